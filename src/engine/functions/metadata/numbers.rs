//! Interns texts as numbers. Grouping by looked-up names uses the numbers, which are cheap to hash and compare.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::{
    ArrayRef, AsArray, StringViewArray, StringViewBuilder, UInt64Array,
};
use datafusion::arrow::datatypes::{DataType, UInt64Type};
use datafusion::common::internal_err;
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

/// An interner of texts, shared by all partitions of all queries.
#[derive(Debug, Default)]
pub struct Numbers(Mutex<Numbering>);

#[derive(Debug, Default)]
struct Numbering {
    numbers: HashMap<Arc<str>, u64>,
    texts: Vec<Arc<str>>,
}

impl Numbers {
    /// Returns the number of each text; NULL for NULL. Adds new texts.
    pub fn of(&self, texts: &StringViewArray) -> UInt64Array {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.iter().map(|text| text.map(|text| known.number(text))).collect()
    }

    fn texts(&self, numbers: &UInt64Array) -> StringViewArray {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut texts = StringViewBuilder::new();
        for number in numbers {
            let nth = number.and_then(|number| usize::try_from(number).ok());
            texts.append_option(nth.and_then(|nth| known.texts.get(nth)));
        }
        texts.finish()
    }
}

impl Numbering {
    fn number(&mut self, text: &str) -> u64 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let (number, text) = (self.texts.len() as u64, Arc::<str>::from(text));
        self.numbers.insert(Arc::clone(&text), number);
        self.texts.push(text);
        number
    }
}

/// The function from numbers back to texts. It is not registered, so queries cannot call it.
pub struct TextOf {
    numbers: Arc<Numbers>,
    signature: Signature,
}

impl TextOf {
    /// Creates the function.
    pub fn new(numbers: &Arc<Numbers>) -> Self {
        let signature = Signature::exact(vec![DataType::UInt64], Volatility::Stable);
        Self { numbers: Arc::clone(numbers), signature }
    }
}

impl ScalarUDFImpl for TextOf {
    fn name(&self) -> &'static str {
        "text_of"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let [numbers] = arrays.as_slice() else {
            return internal_err!("text_of takes one argument");
        };
        let texts = self.numbers.texts(numbers.as_primitive::<UInt64Type>());
        Ok(ColumnarValue::Array(Arc::new(texts) as ArrayRef))
    }
}

impl fmt::Debug for TextOf {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TextOf").finish_non_exhaustive()
    }
}

impl PartialEq for TextOf {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.numbers, &other.numbers)
    }
}

impl Eq for TextOf {}

impl Hash for TextOf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}
