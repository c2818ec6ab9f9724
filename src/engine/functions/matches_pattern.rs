//! `matches_pattern(text, pattern)`: matches text against a pattern of `--filter`.

use std::sync::Arc;

use base::Pattern;
use datafusion::arrow::array::{AsArray, BooleanArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{ScalarValue, internal_err, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility, lit,
};

/// The call and the documentation.
pub(crate) const DOC: (&str, &str) = (
    "matches_pattern(text, pattern)",
    "True if the text matches a pattern as in `--filter`: `*` matches any bytes, `?` matches one.",
);

/// The scalar function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct MatchesPattern {
    signature: Signature,
}

impl MatchesPattern {
    /// Creates the function.
    pub fn new() -> Self {
        Self { signature: Signature::user_defined(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for MatchesPattern {
    fn name(&self) -> &'static str {
        "matches_pattern"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        if given.len() != 2 {
            return plan_err!("matches_pattern requires 2 arguments, but got {}", given.len());
        }
        Ok(vec![DataType::Utf8View; 2])
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    /// Replaces a call with a pattern that matches everything by `true`.
    fn simplify(&self, args: Vec<Expr>, _context: &SimplifyContext) -> Result<ExprSimplifyResult> {
        if let [_, Expr::Literal(pattern, _)] = args.as_slice()
            && let Some(Some(text)) = pattern.try_as_str()
            && Pattern::new(text).matches_all()
        {
            return Ok(ExprSimplifyResult::Simplified(lit(true)));
        }
        Ok(ExprSimplifyResult::Original(args))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [text, pattern] = arguments.args.as_slice() else {
            return internal_err!("matches_pattern takes two arguments");
        };
        let rows = arguments.number_rows;
        let texts = text.to_array(rows)?;
        let texts = texts.as_string_view();
        let matched: BooleanArray = match pattern {
            ColumnarValue::Scalar(ScalarValue::Utf8View(Some(pattern))) => {
                let pattern = Pattern::new(pattern);
                texts.iter().map(|text| text.map(|text| pattern.matches(text))).collect()
            }
            pattern => {
                let patterns = pattern.to_array(rows)?;
                let patterns = patterns.as_string_view();
                texts
                    .iter()
                    .zip(patterns)
                    .map(|(text, pattern)| Some(Pattern::new(pattern?).matches(text?)))
                    .collect()
            }
        };
        debug_assert_eq!(matched.len(), rows);
        Ok(ColumnarValue::Array(Arc::new(matched)))
    }
}
