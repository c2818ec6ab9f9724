//! Addresses of objects.

use object_store::ObjectStoreScheme;
use object_store::path::Path;
use url::Url;

use super::error::RemoteError;

/// The schemes of stores.
const SCHEMES: [&str; 9] = ["s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "http", "https"];

/// Whether a text is an address of an object, not a path.
pub fn is_address(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| SCHEMES.contains(&scheme))
}

/// An address, taken apart.
#[derive(Debug, Clone)]
pub struct Address {
    /// The address as it was given, without slashes at its end.
    pub text: String,
    /// The store: the address up to the path.
    pub root: Url,
    /// The path in the store as text, which may be a pattern.
    pub key: String,
}

impl Address {
    /// Takes an address apart.
    pub fn parse(text: &str) -> Result<Self, RemoteError> {
        let wrong = |what: String| RemoteError::Address { address: text.to_owned(), what };
        let after = text.find("://").map_or(0, |at| at + 3);
        let length = text.trim_end_matches('/').len().max(after);
        let text = text.get(..length).unwrap_or(text);
        let rest = text.get(after..).unwrap_or_default();
        let (host, key) = rest.split_once('/').unwrap_or((rest, ""));
        if host.is_empty() {
            return Err(wrong("it names no bucket or server".to_owned()));
        }
        let root = Url::parse(text.get(..after + host.len()).unwrap_or_default())
            .map_err(|error| wrong(error.to_string()))?;
        Path::parse(key).map_err(|error| wrong(error.to_string()))?;
        let is_web = matches!(root.scheme(), "http" | "https");
        if is_web && !matches!(ObjectStoreScheme::parse(&root), Ok((ObjectStoreScheme::Http, _))) {
            return Err(wrong("write it as s3://BUCKET/KEY or az://CONTAINER/KEY".to_owned()));
        }
        Ok(Self { text: text.to_owned(), root, key: key.to_owned() })
    }

    /// Returns the path in the store.
    pub fn path(&self) -> Path {
        Path::parse(&self.key).unwrap_or_else(|_| Path::from(self.key.as_str()))
    }

    /// Returns the address of a path in the same store.
    pub fn of(&self, path: &Path) -> String {
        format!("{}/{path}", self.store())
    }

    /// Returns the address of the store as it was given.
    pub fn store(&self) -> &str {
        let start = self.text.len() - self.key.len();
        self.text.get(..start).unwrap_or(&self.text).trim_end_matches('/')
    }

    /// Returns the folder of an object in the same store; `None` if it is in none.
    pub fn folder_of(&self, object: &Path) -> Option<Self> {
        let (key, _) = object.as_ref().rsplit_once('/')?;
        let path = Path::parse(key).ok()?;
        Some(Self { text: self.of(&path), root: self.root.clone(), key: key.to_owned() })
    }

    /// Returns the start of the path that is no pattern, up to a slash, and whether there is more.
    pub fn fixed(&self) -> (&str, bool) {
        let Some(at) = self.key.find(['*', '?', '[']) else { return (&self.key, false) };
        let start = self.key.get(..at).unwrap_or_default();
        (start.rsplit_once('/').map_or("", |(folder, _)| folder), true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_store_and_a_path() {
        let address = Address::parse("s3://b/a/m v.ireeprof").unwrap();
        assert_eq!(address.root.as_str(), "s3://b");
        assert_eq!(address.path().as_ref(), "a/m v.ireeprof");
        assert_eq!(address.of(&Path::from("x/y")), "s3://b/x/y");
        let bucket = Address::parse("s3://b/").unwrap();
        assert_eq!((bucket.key.as_str(), bucket.of(&Path::from("x")).as_str()), ("", "s3://b/x"));
        assert_eq!(Address::parse("gs://b/n/2026-*/x?").unwrap().fixed(), ("n", true));
        assert!(Address::parse("s3:///x").is_err() && Address::parse("s3://").is_err());
        assert!(Address::parse("s3://b//").is_ok() && Address::parse("s3://b/a//c").is_err());
        assert!(Address::parse("https://h.example/x").is_ok());
        assert!(Address::parse("https://b.s3.eu-west-1.amazonaws.com/x").is_err());
        assert!(is_address("https://h/x") && !is_address("a/b") && !is_address("x=s3://b"));
    }
}
