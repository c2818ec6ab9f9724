//! What a tool is.

use std::sync::Arc;

use rmcp::model::{self, JsonObject, ToolAnnotations};
use serde_json::Value;

use super::call::Call;
use super::error::CallError;
use super::reply::Reply;

/// A tool.
pub struct Tool {
    pub name: &'static str,
    pub description: &'static str,
    /// The schema of its arguments.
    pub input: fn() -> Arc<JsonObject>,
    /// The schema of its content.
    pub output: fn() -> Arc<JsonObject>,
    pub run: fn(&Call, Value) -> Result<Reply, CallError>,
}

impl Tool {
    /// Returns the tool as clients see it. Only `report` writes, and nothing that is there.
    pub fn listed(&self) -> model::Tool {
        let annotations = if self.name == "report" {
            ToolAnnotations::new().read_only(false).destructive(false)
        } else {
            ToolAnnotations::new().read_only(true)
        };
        model::Tool::new(self.name, self.description, (self.input)())
            .with_raw_output_schema((self.output)())
            .with_annotations(annotations)
    }
}
