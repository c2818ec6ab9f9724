//! Reads attributes from text.

use super::value::{Attribute, Entry, is_name_letter};

/// Attributes in attributes. More than any configuration has, and few enough for the stack.
const DEPTH: usize = 64;

/// Why a text is no attribute.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at byte {offset} an attribute should have {expected}, but there is {found}")]
pub struct Syntax {
    /// From the start of the text that was read.
    pub offset: usize,
    pub expected: &'static str,
    /// What stands there instead.
    pub found: String,
}

impl Attribute {
    /// Reads a text that is one attribute.
    pub fn parse(text: &str) -> Result<Self, Syntax> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let attribute = parser.attribute()?;
        parser.skip_space();
        if parser.rest().is_empty() { Ok(attribute) } else { Err(parser.expected("its end")) }
    }

    /// Reads the attribute that a text begins with. Returns it with its length in bytes.
    pub(crate) fn parse_prefix(text: &str) -> Result<(Self, usize), Syntax> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let attribute = parser.attribute()?;
        Ok((attribute, parser.at))
    }
}

struct Parser<'a> {
    text: &'a str,
    /// The byte to read next.
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Takes `text` if it is next.
    fn take(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    /// Takes the letters that `belongs` accepts.
    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|letter| !belongs(letter)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    fn expected(&self, expected: &'static str) -> Syntax {
        let next: String = self.rest().chars().take(20).take_while(|it| *it != '\n').collect();
        let found = if next.is_empty() { "the end".to_owned() } else { format!("`{next}`") };
        Syntax { offset: self.at, expected, found }
    }

    /// Reads an attribute and its type, if it has one.
    fn attribute(&mut self) -> Result<Attribute, Syntax> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.expected("no more than 64 levels"));
        }
        self.skip_space();
        let value = self.untyped()?;
        self.depth -= 1;
        let before = self.at;
        self.skip_space();
        if self.take(": ") {
            self.skip_space();
            return Ok(Attribute::Typed(Box::new(value), self.verbatim("a type")?.to_owned()));
        }
        self.at = before;
        Ok(value)
    }

    fn untyped(&mut self) -> Result<Attribute, Syntax> {
        match self.peek() {
            Some('[') => self.array(),
            Some('{') => {
                self.at += 1;
                Ok(Attribute::Dictionary(self.dictionary()?))
            }
            Some('"') => Ok(Attribute::String(self.string()?.to_owned())),
            Some('#') => {
                self.at += 1;
                let name = self.take_while(is_name_letter);
                if name.is_empty() {
                    return Err(self.expected("a name"));
                }
                let body = if self.peek() == Some('<') { Some(self.body()?) } else { None };
                Ok(Attribute::Dialect { name: name.to_owned(), body })
            }
            Some('<') => Ok(Attribute::Dialect { name: String::new(), body: Some(self.body()?) }),
            _ => {
                let text = self.verbatim("a value")?;
                Ok(match (text, text.parse()) {
                    ("true", _) => Attribute::Boolean(true),
                    ("false", _) => Attribute::Boolean(false),
                    ("unit", _) => Attribute::Unit,
                    // Other spellings of a number, such as `+1` and `007`, stay as they are.
                    (_, Ok(number)) if i64::to_string(&number) == text => {
                        Attribute::Integer(number)
                    }
                    _ => Attribute::Verbatim(text.to_owned()),
                })
            }
        }
    }

    fn array(&mut self) -> Result<Attribute, Syntax> {
        self.at += 1;
        let mut values = Vec::new();
        loop {
            self.skip_space();
            if self.take("]") {
                return Ok(Attribute::Array(values));
            }
            if !values.is_empty() && !self.take(",") {
                return Err(self.expected("`,` or `]`"));
            }
            values.push(self.attribute()?);
        }
    }

    /// Reads the text of a string, whose quotation mark is next.
    fn string(&mut self) -> Result<&'a str, Syntax> {
        let start = self.at + 1;
        let mut escaped = false;
        for (at, letter) in self.rest().char_indices().skip(1) {
            match letter {
                '\\' if !escaped => escaped = true,
                '"' if !escaped => {
                    let end = self.at + at;
                    self.at = end + 1;
                    return Ok(self.text.get(start..end).unwrap_or_default());
                }
                _ => escaped = false,
            }
        }
        self.at = self.text.len();
        Err(self.expected("`\"` at the end of a string"))
    }

    /// Reads the parts of a dictionary behind its `{`.
    fn dictionary(&mut self) -> Result<Vec<Entry>, Syntax> {
        let mut entries = Vec::new();
        loop {
            self.skip_space();
            if self.take("}") {
                return Ok(entries);
            }
            if !entries.is_empty() && !self.take(",") {
                return Err(self.expected("`,` or `}`"));
            }
            self.skip_space();
            let key = self.key()?.ok_or_else(|| self.expected("a key"))?;
            self.skip_space();
            let value = if self.take("=") { self.attribute()? } else { Attribute::Unit };
            entries.push(Entry::new(key, value));
        }
    }

    /// Reads a key; `None` if none is next.
    fn key(&mut self) -> Result<Option<String>, Syntax> {
        let key =
            if self.peek() == Some('"') { self.string()? } else { self.take_while(is_name_letter) };
        Ok(Some(key.to_owned()).filter(|key| !key.is_empty()))
    }

    /// Reads the parts between `<` and `>`, of which some have keys.
    fn body(&mut self) -> Result<Vec<Entry>, Syntax> {
        self.at += 1;
        let mut entries = Vec::new();
        loop {
            self.skip_space();
            if self.take(">") {
                return Ok(entries);
            }
            let comma = !entries.is_empty() && self.take(",");
            self.skip_space();
            let start = self.at;
            let key = self.key()?;
            self.skip_space();
            let key = match key {
                Some(key) if self.take("=") => key,
                _ => {
                    self.at = start;
                    String::new()
                }
            };
            let value = self.attribute()?;
            entries.push(Entry { key, value, comma });
        }
    }

    /// Reads a text up to a comma, a space or a closing bracket, with the brackets in it and around arrows.
    fn verbatim(&mut self, expected: &'static str) -> Result<&'a str, Syntax> {
        let start = self.at;
        let mut open = Vec::new();
        while let Some(letter) = self.peek() {
            match letter {
                '"' => {
                    self.string()?;
                    continue;
                }
                '-' if self.take("->") => continue,
                '(' => open.push(')'),
                '[' => open.push(']'),
                '{' => open.push('}'),
                '<' => open.push('>'),
                ')' | ']' | '}' | '>' => match open.pop() {
                    Some(closing) if closing == letter => {}
                    None => break,
                    // Inside brackets, `>` may be a comparison.
                    Some(closing) if letter == '>' => open.push(closing),
                    Some(_) => return Err(self.expected("matching brackets")),
                },
                ',' if open.is_empty() => break,
                space if space.is_whitespace() && open.is_empty() => {
                    let spaced = self.at;
                    self.skip_space();
                    if !self.take("->") {
                        self.at = spaced;
                        break;
                    }
                    self.skip_space();
                    continue;
                }
                _ => {}
            }
            self.at += letter.len_utf8();
        }
        if !open.is_empty() {
            return Err(self.expected("a closing bracket"));
        }
        if self.at == start {
            return Err(self.expected(expected));
        }
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attributes as compilers for several targets print them.
    const PRINTED: &[&str] = &[
        "#iree_cpu.lowering_config<distribution = [32, 64, 0], vector_common_parallel = [8, 16, 0], vector_reduction = [0, 0, 16]>",
        "#iree_codegen.lowering_config<tile_sizes = [[16, 256], [8, 8], [0, 0, 4]]>",
        "#iree_codegen.translation_info<pipeline = #iree_gpu.spirv_pipeline<BaseVectorize> workgroup_size = [32, 2, 1]>",
        "#iree_gpu.lowering_config<{convert_acc_gemm, mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, promote_operands = [0, 1]}>",
        "#iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [256, 1, 1] subgroup_size = 64, {iree_codegen.denormal_fp_math_f32 = #iree_codegen.denormal_fp_math<\"preserve-sign\">}>",
        "#iree_gpu.lowering_config<{promotion_types = [#iree_gpu.derived_thread_config, #iree_gpu.derived_thread_config]}>",
        "<\"vulkan-spirv\", \"vulkan-spirv-fb\", {iree_codegen.target_info = #iree_gpu.target<arch = \"a\", wgp = <compute = fp32|int32, mma = [<A_1x2>, <B>]>>}>",
        "{max_stack_allocation_size = 32768 : i64, strides = dense<1> : tensor<2xi64>, \"a key\" = true}",
        "[affine_map<(d0, d1) -> (d0 floordiv 2, d1)>, affine_set<(d0) : (d0 >= 0)>, (i32) -> i32, !hal.device, @name]",
        "#iree_codegen.root_op<set = 0>",
        "\"a \\\" b\"",
        "-9223372036854775808",
        "9223372036854775808",
        "1.000000e+00 : f32",
    ];

    #[test]
    fn what_is_read_is_printed_alike() {
        for text in PRINTED {
            let read = Attribute::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(read.to_string(), *text);
        }
    }

    #[test]
    fn trees_have_the_parts_of_the_text() {
        let read = Attribute::parse("#a.b<{ x = [1,2 : i64] , y},z>").expect("an attribute");
        let two = Attribute::Typed(Box::new(Attribute::Integer(2)), "i64".to_owned());
        let x = Entry::new("x", Attribute::Array(vec![Attribute::Integer(1), two]));
        let dictionary = Attribute::Dictionary(vec![x, Entry::new("y", Attribute::Unit)]);
        let first = Entry { key: String::new(), value: dictionary, comma: false };
        let z = Entry::new("", Attribute::Verbatim("z".to_owned()));
        assert_eq!(read, Attribute::dialect("a.b", vec![first, z]));
    }

    #[test]
    fn prefixes_end_where_the_attribute_ends() {
        for (text, length) in [
            ("#a.b<c = 1>, root_op = #x", 11),
            ("{a = \"}\"} {", 9),
            ("1}", 1),
            ("#alias\n  next", 6),
            ("true", 4),
        ] {
            let (read, read_length) = Attribute::parse_prefix(text).expect(text);
            assert_eq!((read.to_string().len(), read_length), (length, length), "{text}");
        }
    }

    #[test]
    fn errors_say_where() {
        for (text, offset, words) in [
            ("", 0, "a value, but there is the end"),
            ("[1, 2", 5, "`,` or `]`"),
            ("[1 2]", 3, "but there is `2]`"),
            ("{1.5 = , }", 7, "a value"),
            ("{= 1}", 1, "a key"),
            ("#<>", 1, "a name"),
            ("#a<b", 4, "a value, but there is the end"),
            ("\"abc", 4, "at the end of a string"),
            ("tensor<2xi64", 12, "a closing bracket"),
            ("(a]", 2, "matching brackets"),
            ("1 2", 2, "its end"),
        ] {
            let error = Attribute::parse(text).expect_err(text);
            assert_eq!(error.offset, offset, "{text}: {error}");
            assert!(error.to_string().contains(words), "{text}: {error}");
        }
        for deep in ["[", "#a<", "{a = ", "("] {
            assert!(Attribute::parse(&deep.repeat(100_000)).is_err(), "{deep}");
        }
    }
}
