//! The first line of an operation, without the attributes that configure it.

use crate::tuning::attribute::Attribute;

/// A first line, and the configuration that it had.
#[derive(Debug, Default)]
pub struct Head {
    pub text: String,
    pub lowering: Option<Attribute>,
    pub decomposition: Option<Attribute>,
    /// Whether it is marked as the root operation of its dispatch.
    pub is_root: bool,
}

impl Head {
    /// Reads a line. Attributes stand in dictionaries, and for some operations between `<` and `>`.
    pub fn read(line: &str) -> Self {
        let mut head = Self::default();
        let mut rest = line;
        while let Some(letter) = rest.chars().next() {
            if let Some(behind) = rest.strip_prefix("->") {
                head.text.push_str("->");
                rest = behind;
                continue;
            }
            let read = match letter {
                '{' | '<' | '[' => Attribute::parse_prefix(rest).ok(),
                _ => None,
            };
            let Some((attribute, length)) = read else {
                head.text.push(letter);
                rest = rest.get(letter.len_utf8()..).unwrap_or_default();
                continue;
            };
            let written = rest.get(..length).unwrap_or_default();
            rest = rest.get(length..).unwrap_or_default();
            match head.strip(attribute) {
                None => head.text.push_str(written),
                Some(left) if left.is_empty() => {
                    let kept = head.text.trim_end().trim_end_matches("attrs =").trim_end().len();
                    head.text.truncate(kept);
                }
                Some(left) => head.text.push_str(&left),
            }
        }
        head
    }

    /// Takes what configures an operation out of its attributes. Returns what is left as text; `None` if there was
    /// nothing to take.
    fn strip(&mut self, mut attribute: Attribute) -> Option<String> {
        let (Attribute::Dictionary(entries) | Attribute::Dialect { body: Some(entries), .. }) =
            &mut attribute
        else {
            return None;
        };
        let count = entries.len();
        // What the compiler adds when it configures an operation. All others are there before, and matchers need them.
        entries.retain_mut(|entry| {
            let mut value = || std::mem::replace(&mut entry.value, Attribute::Unit);
            match entry.key.as_str() {
                "lowering_config" => self.lowering = Some(value()),
                "decomposition_config" => self.decomposition = Some(value()),
                "root_op" => self.is_root = true,
                _ => return true,
            }
            false
        });
        if entries.len() == count {
            return None;
        }
        let is_empty = entries.is_empty();
        Some(if is_empty { String::new() } else { attribute.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_configures_an_operation_is_taken_out() {
        let map = "affine_map<(d0, d1) -> (d0, d1)>";
        for (line, text) in [
            (
                "%7 = linalg.matmul {lowering_config = #a.b<c = [1]>, root_op = #r<set = 0>} ins(%a : tensor<2xf32>)"
                    .to_owned(),
                "%7 = linalg.matmul ins(%a : tensor<2xf32>)".to_owned(),
            ),
            (
                format!("%9 = linalg.generic {{indexing_maps = [{map}]}} ins(%a : t) outs(%b : t) attrs =  {{lowering_config = #a.b<c = [1]>, root_op = #r<set = 0>}} {{"),
                format!("%9 = linalg.generic {{indexing_maps = [{map}]}} ins(%a : t) outs(%b : t) {{"),
            ),
            (
                format!("%1:3 = x.online_attention <indexing_maps = [{map}], decomposition_config = {{qk_attrs = {{lowering_config = #d}}}}> {{kept = 1 : i64, lowering_config = #a.b<c = [1]>, root_op = #r<set = 0>}} ins(%a : t) -> t"),
                format!("%1:3 = x.online_attention <indexing_maps = [{map}]> {{kept = 1 : i64}} ins(%a : t) -> t"),
            ),
        ] {
            let head = Head::read(&line);
            assert_eq!(head.text, text);
            assert!(head.is_root);
            assert_eq!(head.lowering.map(|it| it.to_string()).as_deref(), Some("#a.b<c = [1]>"));
            assert_eq!(head.decomposition.is_some(), text.contains("attention"));
        }
        let plain =
            "%1 = linalg.fill {a = 1} ins(%c : f32) outs(%2 : tensor<?xf32>) -> tensor<?xf32>";
        assert_eq!(Head::read(plain).text, plain);
    }
}
