//! Requests as text: names and sweeps, as a user writes them and a folder remembers them.

use serde::{Deserialize, Serialize};

use super::sweep::sweep;
use super::wanted::{ConvolutionSweeps, Request};
use crate::bench::element::Types;
use crate::bench::error::BenchError;
use crate::bench::operation::{Epilogue, Kind};

/// A request for operations. Extents are sweeps such as `64:512:64` ([`sweep`]); without any, all predefined ones are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestText {
    /// Names of kinds, or `all`. Empty for those that the extents describe, or all without any.
    pub operation_kind: Vec<String>,
    /// Names of element types; empty for all.
    pub types: Vec<String>,
    /// Names of epilogues. Empty for none with extents, or all without any.
    pub epilogue: Vec<String>,
    pub problem_m: Option<String>,
    pub problem_n: Option<String>,
    pub problem_k: Option<String>,
    pub batch_count: Option<String>,
    pub split_k_slices: Option<String>,
    pub conv_n: Option<String>,
    pub conv_h: Option<String>,
    pub conv_w: Option<String>,
    pub conv_c: Option<String>,
    pub conv_f: Option<String>,
    pub filter_h: Option<String>,
    pub filter_w: Option<String>,
    pub stride: Option<String>,
    /// Adds the default configuration of the compiler.
    pub default_config: bool,
}

impl RequestText {
    /// True if any extent is given.
    pub(crate) fn has_extents(&self) -> bool {
        let names = Self {
            operation_kind: self.operation_kind.clone(),
            types: self.types.clone(),
            epilogue: self.epilogue.clone(),
            default_config: self.default_config,
            ..Self::default()
        };
        *self != names
    }

    /// Fills in the kinds and the epilogue that given extents imply.
    pub fn completed(&self) -> Result<Self, BenchError> {
        let mut text = self.clone();
        if self.has_extents() {
            if self.operation_kind.is_empty() {
                let described = self.request(&[])?.described();
                text.operation_kind = described.iter().map(|kind| kind.name().to_owned()).collect();
            }
            if self.epilogue.is_empty() {
                text.epilogue = vec![Epilogue::None.name().to_owned()];
            }
        }
        Ok(text)
    }

    /// Restricts an earlier request to the kinds, types and epilogues that are given. `None` if nothing is left.
    pub(crate) fn narrowed(&self, given: &Self) -> Option<Self> {
        let both = |known: &[String], given: &[String]| -> Option<Vec<String>> {
            let is_any =
                |names: &[String]| names.is_empty() || names.iter().any(|name| name == "all");
            match (is_any(known), is_any(given)) {
                (_, true) => Some(known.to_vec()),
                (true, false) => Some(given.to_vec()),
                (false, false) => {
                    let common = known.iter().filter(|name| given.contains(name)).cloned();
                    Some(common.collect::<Vec<_>>()).filter(|common| !common.is_empty())
                }
            }
        };
        Some(Self {
            operation_kind: both(&self.operation_kind, &given.operation_kind)?,
            types: both(&self.types, &given.types)?,
            epilogue: both(&self.epilogue, &given.epilogue)?,
            default_config: self.default_config || given.default_config,
            ..self.clone()
        })
    }

    /// Parses it. `dispatches` are patterns for the names of dispatches.
    pub fn request(&self, dispatches: &[String]) -> Result<Request, BenchError> {
        let values = |given: &Option<String>| given.as_deref().map_or(Ok(Vec::new()), sweep);
        let is_any = self.operation_kind.iter().any(|kind| kind == "all");
        let kinds = self.operation_kind.iter().filter(|_| !is_any);
        let epilogues = self.epilogue.iter().map(|it| Epilogue::named(it));
        Ok(Request {
            kinds: kinds.map(|it| Kind::named(it)).collect::<Result<_, _>>()?,
            types: self.types.iter().map(|it| Types::named(it)).collect::<Result<_, _>>()?,
            epilogues: epilogues.collect::<Result<_, _>>()?,
            m: values(&self.problem_m)?,
            n: values(&self.problem_n)?,
            k: values(&self.problem_k)?,
            batch_count: values(&self.batch_count)?,
            split_k_slices: values(&self.split_k_slices)?,
            convolution: ConvolutionSweeps {
                batch: values(&self.conv_n)?,
                height: values(&self.conv_h)?,
                width: values(&self.conv_w)?,
                channels: values(&self.conv_c)?,
                filters: values(&self.conv_f)?,
                filter_height: values(&self.filter_h)?,
                filter_width: values(&self.filter_w)?,
                stride: values(&self.stride)?,
            },
            default_config: self.default_config,
            dispatches: dispatches.to_vec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_alone_select_what_they_describe() {
        let extent = || Some("64".to_owned());
        let matmul =
            RequestText { problem_m: extent(), problem_k: extent(), ..RequestText::default() };
        let text = matmul.completed().expect("sweeps");
        assert_eq!(text.operation_kind, ["matmul"]);
        assert_eq!(text.epilogue, ["none"]);
        let names = |text: RequestText| text.completed().expect("sweeps").operation_kind;
        let batched = RequestText { batch_count: extent(), ..matmul.clone() };
        assert_eq!(names(batched.clone()), ["batch_matmul"]);
        let convolution = RequestText { conv_h: extent(), ..batched };
        assert_eq!(names(convolution), ["batch_matmul", "conv2d"]);
        // What is asked for stays.
        let all = RequestText {
            operation_kind: vec!["all".to_owned()],
            epilogue: vec!["bias_relu".to_owned()],
            ..matmul
        };
        assert_eq!(all.completed().expect("sweeps"), all);
        assert_eq!(RequestText::default().completed().expect("nothing"), RequestText::default());
    }
}
