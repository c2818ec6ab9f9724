//! Sends the rows of COPY.

use std::sync::Arc;

use bytes::Bytes;
use futures::{Sink, SinkExt};
use pgwire::api::portal::Format;
use pgwire::api::results::Tag;
use pgwire::error::{PgWireError, PgWireResult};
use pgwire::messages::PgWireBackendMessage;
use pgwire::messages::copy::{CopyData, CopyDone, CopyOutResponse};
use pgwire::types::format::FormatOptions;

use super::copy::Copy;
use super::errors::told;
use super::values::Column;
use crate::rows::Rows;

/// The rows of a query that are copied.
pub struct Copied {
    pub rows: Rows,
    pub columns: Arc<[Column]>,
    pub options: FormatOptions,
    pub copy: Arc<Copy>,
    pub statement: Arc<str>,
}

impl Copied {
    /// Sends the rows, as they come.
    pub async fn send<C>(self, client: &mut C) -> PgWireResult<()>
    where
        C: Sink<PgWireBackendMessage> + Unpin,
        PgWireError: From<<C as Sink<PgWireBackendMessage>>::Error>,
    {
        let Self { mut rows, columns, options, copy, statement } = self;
        let is_binary = matches!(copy.format(), Format::UnifiedBinary);
        let count = i16::try_from(columns.len()).unwrap_or(i16::MAX);
        let formats = vec![i16::from(is_binary); columns.len()];
        let begin = CopyOutResponse::new(i8::from(is_binary), count, formats);
        client.feed(PgWireBackendMessage::CopyOutResponse(begin)).await?;
        let data = |bytes: Bytes| PgWireBackendMessage::CopyData(CopyData::new(bytes));
        // What begins a binary copy is in one message with the first row, where clients look for it.
        let mut head = copy.head(&columns);
        if !is_binary && let Some(names) = head.take() {
            client.feed(data(names)).await?;
        }
        let mut with_head = move |bytes: Bytes| match head.take() {
            Some(head) => Bytes::from([head, bytes].concat()),
            None => bytes,
        };
        let mut copied = 0;
        while let Some(batch) = rows.next().await {
            let batch = batch.map_err(|error| told(&error, &statement))?;
            let (copy, columns, options) =
                (Arc::clone(&copy), Arc::clone(&columns), options.clone());
            let written = rows.compute(move || copy.rows(&columns, &options, &batch)).await;
            for row in written.map_err(|error| told(&error, &statement))?? {
                copied += 1;
                client.feed(data(with_head(row))).await?;
            }
        }
        if let Some(tail) = copy.tail() {
            client.feed(data(with_head(tail))).await?;
        }
        client.feed(PgWireBackendMessage::CopyDone(CopyDone::new())).await?;
        let tag = Tag::new("COPY").with_rows(copied);
        Ok(client.feed(PgWireBackendMessage::CommandComplete(tag.into())).await?)
    }
}
