//! Leaves out of the lists of stores the keys that `object_store` has no path for: those with an empty part, `.`, `..` or a
//! control character. A page of a list with such a key is an error there, and its folder could not be read
//! (`object_store` 0.14.2, `Path::parse`).
//!
//! Lists are read before `object_store` sees them: pages in XML, with an element for each object (`Contents` of S3 and of
//! Google's XML interface, `Blob` of Azure) that holds its key (`Key`, `Name`).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
    ReqwestConnector,
};
use object_store::path::Path;
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::Event;

/// The elements of objects, and those of their keys in them.
const OBJECTS: [(&[u8], &[u8]); 2] = [(b"Contents", b"Key"), (b"Blob", b"Name")];

/// The parameters of requests for lists: those of S3 and Google, and that of Azure.
const LISTS: [&str; 2] = ["list-type=2", "comp=list"];

/// Connects as `object_store` does, and collects the keys that are left out.
#[derive(Debug, Clone, Default)]
pub(super) struct Listing(Arc<Mutex<BTreeSet<String>>>);

impl Listing {
    /// Returns the keys that lists have left out since the last call.
    pub(super) fn take(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl HttpConnector for Listing {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let inner = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(Filtered { inner, left_out: self.clone() }))
    }
}

struct Filtered {
    inner: HttpClient,
    left_out: Listing,
}

impl fmt::Debug for Filtered {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Filtered").field(&self.inner).finish()
    }
}

#[async_trait]
impl HttpService for Filtered {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let query = request.uri().query().unwrap_or_default();
        let is_list = query.split('&').any(|parameter| LISTS.contains(&parameter));
        let answer = self.inner.execute(request).await?;
        if !is_list || !answer.status().is_success() {
            return Ok(answer);
        }
        let (mut head, body) = answer.into_parts();
        let page = body.bytes().await?;
        let (page, left_out) = named_only(page);
        head.headers.remove("content-length");
        self.left_out.0.lock().unwrap_or_else(PoisonError::into_inner).extend(left_out);
        Ok(HttpResponse::from_parts(head, HttpResponseBody::from(page)))
    }
}

/// Returns a page without the objects that have no path, and their keys. What is no such page stays as it is.
fn named_only(page: Bytes) -> (Bytes, Vec<String>) {
    let objects = str::from_utf8(&page).ok().and_then(unnamed).unwrap_or_default();
    if objects.is_empty() {
        return (page, Vec::new());
    }
    let mut kept = Vec::with_capacity(page.len());
    let mut end = 0;
    for (Range { start, end: next }, _) in &objects {
        kept.extend_from_slice(page.get(end..*start).unwrap_or_default());
        end = *next;
    }
    kept.extend_from_slice(page.get(end..).unwrap_or_default());
    (kept.into(), objects.into_iter().map(|(_, key)| key).collect())
}

/// Returns where the objects without a path are in a page, and their keys; `None` if it is no XML.
fn unnamed(page: &str) -> Option<Vec<(Range<usize>, String)>> {
    let mut reader = Reader::from_str(page);
    let mut found = Vec::new();
    loop {
        let start = position(&reader)?;
        match reader.read_event().ok()? {
            Event::Eof => return Some(found),
            Event::Start(element) => {
                let known = OBJECTS.iter().find(|(name, _)| element.name().as_ref() == *name);
                let Some((_, of_key)) = known else { continue };
                let end = element.to_end().into_owned();
                let within = position(&reader)?;
                reader.read_to_end(end.name()).ok()?;
                let object = start..position(&reader)?;
                let key = key(page.get(within..object.end)?, of_key)?;
                if !has_path(&key) {
                    found.push((object, key));
                }
            }
            _ => {}
        }
    }
}

fn position(reader: &Reader<&[u8]>) -> Option<usize> {
    usize::try_from(reader.buffer_position()).ok()
}

/// Returns the key in the element of an object. What XML has no reference for stays as it is.
fn key(object: &str, of_key: &[u8]) -> Option<String> {
    let mut reader = Reader::from_str(object);
    loop {
        match reader.read_event().ok()? {
            Event::Eof => return None,
            Event::Start(element) if element.name().as_ref() == of_key => {
                let end = element.to_end().into_owned();
                let start = position(&reader)?;
                let span = reader.read_to_end(end.name()).ok()?;
                let length = usize::try_from(span.end - span.start).ok()?;
                let text = object.get(start..start + length)?;
                return Some(unescape(text).map_or_else(|_| text.to_owned(), Cow::into_owned));
            }
            _ => {}
        }
    }
}

/// Whether the path of a key names it again. A slash at the end marks a folder.
fn has_path(key: &str) -> bool {
    Path::parse(key).is_ok_and(|path| path.as_ref() == key.strip_suffix('/').unwrap_or(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_without_a_path_are_left_out() {
        let of = |keys: &[&str]| {
            let object =
                |key: &&str| format!("<Contents><Key>{key}</Key><Size>1</Size></Contents>");
            let objects: String = keys.iter().map(object).collect();
            format!(
                "<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>false</IsTruncated>{objects}</ListBucketResult>"
            )
        };
        let kept = ["a/b &amp; c", "a/", "x&#32;y", ".hidden/..more"];
        let left_out = ["a//b", "./a", "a/..", "/a", "a&#10;b", "a&#1;b"];
        let all: Vec<&str> =
            left_out.iter().zip(kept).flat_map(|(one, other)| [*one, other]).collect();
        let (page, keys) = named_only(of(&[&all[..], &left_out[4..]].concat()).into());
        assert_eq!(page, of(&kept));
        assert_eq!(keys, ["a//b", "./a", "a/..", "/a", "a\nb", "a\u{1}b"]);
    }

    #[test]
    fn lists_of_azure_are_read() {
        let of = |objects: &str| {
            format!(
                "<EnumerationResults><Blobs>{objects}<BlobPrefix><Name>a//</Name></BlobPrefix></Blobs></EnumerationResults>"
            )
        };
        let kept = "<Blob><Name>a</Name><Properties><Etag>1</Etag></Properties></Blob>";
        let (page, keys) = named_only(of(&format!("<Blob><Name>a//b</Name></Blob>{kept}")).into());
        assert_eq!((page, keys), (of(kept).into(), vec!["a//b".to_owned()]));
    }

    #[test]
    fn what_is_no_list_stays() {
        for page in ["", "no XML", "<a><Contents>", "<Contents></Contents>", "\u{feff}<a/>"] {
            let (same, keys) = named_only(page.to_owned().into());
            assert_eq!((same, keys.len()), (Bytes::from(page), 0), "{page}");
        }
    }
}
