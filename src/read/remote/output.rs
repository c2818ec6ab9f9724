//! Writes one object, such as the result of a command.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use object_store::ObjectStore;

use super::address::Address;
use super::error::RemoteError;
use super::stores::Stores;
use super::upload::upload;

/// The place of an object that is to be written.
pub struct RemoteOutput {
    stores: Stores,
    store: Arc<dyn ObjectStore>,
    address: Address,
}

impl Stores {
    /// Returns the place of an object. Writes nothing.
    pub fn output(&self, text: &str) -> Result<RemoteOutput, RemoteError> {
        let wrong =
            |what: &str| RemoteError::Address { address: text.to_owned(), what: what.to_owned() };
        if text.ends_with('/') {
            return Err(wrong("it names a folder; write the name of an object"));
        }
        let address = Address::parse(text)?;
        if address.key.is_empty() {
            return Err(wrong("it names a bucket; write s3://BUCKET/KEY"));
        }
        if matches!(address.root.scheme(), "http" | "https") {
            return Err(wrong("web servers are only read; write to a file or to an object store"));
        }
        let store = self.store(&address)?;
        Ok(RemoteOutput { stores: self.clone(), store, address })
    }
}

impl RemoteOutput {
    /// Copies a file of this machine to the object, which then has all of it or stays as it is.
    pub fn write(self, from: &Path) -> Result<(), RemoteError> {
        let Self { stores, store, address } = self;
        let (key, text, from) = (address.path(), address.text, PathBuf::from(from));
        stores.wait(&text.clone(), async move { upload(store, key, text, from).await })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_are_written() {
        let stores = Stores::default();
        assert!(stores.output("s3://bucket/key.csv").is_ok());
        for wrong in ["s3://bucket", "s3://bucket/", "s3://bucket/folder/", "https://host/key.csv"]
        {
            let refused = stores.output(wrong).map(|_| ());
            assert!(matches!(refused, Err(RemoteError::Address { .. })), "{wrong}");
        }
    }
}
