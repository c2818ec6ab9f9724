//! The text of a spec: without comments, with aliases written out, and divided into its named sequences.

use std::collections::BTreeMap;

use super::matcher::Sequence;
use crate::operation::mlir::{inside, names, replaced};
use crate::tuning::attribute::{Attribute, is_name_letter};

/// The size of a spec with its aliases written out. Aliases of aliases could grow without end.
const LIMIT: usize = 64 << 20;

/// Removes comments.
pub(crate) fn without_comments(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for line in text.lines() {
        let mut is_string = false;
        let mut before = ' ';
        let mut end = line.len();
        for (at, letter) in line.char_indices() {
            match letter {
                '"' if before != '\\' => is_string = !is_string,
                '/' if before == '/' && !is_string => {
                    end = at - 1;
                    break;
                }
                _ => {}
            }
            before = letter;
        }
        result.push_str(line.get(..end).unwrap_or_default().trim_end());
        result.push('\n');
    }
    result
}

/// Replaces aliases such as `#map` by what they stand for, and removes their definitions. `None` if that is too long.
pub(crate) fn without_aliases(text: &str) -> Option<String> {
    let mut aliases: BTreeMap<String, String> = BTreeMap::new();
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, at_line)) = next_line(rest) {
        result.push_str(&written_out(before, &aliases));
        if let Some((name, length, value)) = definition(at_line) {
            aliases.insert(name, written_out(value, &aliases));
            rest = at_line.get(length..).unwrap_or_default();
        } else {
            let end = at_line.find('\n').map_or(at_line.len(), |end| end + 1);
            result.push_str(&written_out(at_line.get(..end).unwrap_or_default(), &aliases));
            rest = at_line.get(end..).unwrap_or_default();
        }
        if result.len() + aliases.values().map(String::len).sum::<usize>() > LIMIT {
            return None;
        }
    }
    Some(result)
}

/// Divides a text before its first line that is not empty.
fn next_line(text: &str) -> Option<(&str, &str)> {
    let blank = text.len() - text.trim_start_matches('\n').len();
    text.split_at_checked(blank).filter(|(_, line)| !line.is_empty())
}

/// Reads `#name = attribute` at the start of a text: its name, its length and the attribute.
fn definition(text: &str) -> Option<(String, usize, &str)> {
    let (name, value) = text.strip_prefix('#')?.split_once('=')?;
    let name = name.trim();
    if name.is_empty() || !name.chars().all(is_name_letter) {
        return None;
    }
    let start = text.len() - value.trim_start().len();
    let (_, length) = Attribute::parse_prefix(text.get(start..)?).ok()?;
    Some((name.to_owned(), start + length, text.get(start..start + length)?))
}

fn written_out(text: &str, aliases: &BTreeMap<String, String>) -> String {
    replaced(text, '#', "_$.", |name| aliases.get(name).cloned())
}

/// Returns the length of the text in braces that a text begins with. `None` if it is not closed.
pub fn braces(text: &str) -> Option<usize> {
    let (mut depth, mut is_string, mut before) = (0_usize, false, ' ');
    for (at, letter) in text.char_indices() {
        match letter {
            '"' if before != '\\' => is_string = !is_string,
            '{' if !is_string => depth += 1,
            '}' if !is_string => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        before = letter;
    }
    None
}

/// What the names of symbols have besides letters and digits.
pub(crate) const SYMBOL: &str = "_$.-";

/// The word that begins a named sequence.
const SEQUENCE: &str = "transform.named_sequence";

/// Returns the named sequences of a text. Fails with the name of one that is not closed.
pub fn sequences(text: &str) -> Result<Vec<Sequence>, String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(SEQUENCE) {
        let own = rest.get(start..).unwrap_or_default();
        let name = names(own, '@', SYMBOL).next().map_or("", |(name, _)| name).to_owned();
        let length = length(own).ok_or_else(|| name.clone())?;
        let text = own.get(..length).unwrap_or_default().to_owned();
        found.push(Sequence { name, text });
        rest = own.get(length..).unwrap_or_default();
    }
    Ok(found)
}

/// Returns the length of the sequence that a text begins with: its body is the last of the braces that follow its
/// arguments, and attributes may precede it.
fn length(text: &str) -> Option<usize> {
    let mut at = text.find('(')? + inside(text, "(")?.len() + 2;
    loop {
        let brace = at + text.get(at..)?.find('{')?;
        let end = brace + braces(text.get(brace..)?)?;
        let between = text.get(at..brace)?;
        if !between.trim_end().ends_with("attributes") {
            return Some(end);
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_written_out() {
        let text = "#a = #x.y<1>\n#b = [#a,\n  #a]\nmodule {\n  use #b, #a, #ab, #x.y\n}\n";
        let text = without_aliases(text).expect("short");
        assert_eq!(text.trim(), "module {\n  use [#x.y<1>,\n  #x.y<1>], #x.y<1>, #ab, #x.y\n}");
        let growing: String =
            (1..40).map(|nth| format!("#a{nth} = [#a{0}, #a{0}]\n", nth - 1)).collect();
        assert_eq!(without_aliases(&format!("#a0 = 1\n{growing}#a39\n")), None);
    }

    #[test]
    fn comments_are_removed() {
        assert_eq!(without_comments("a // b\n\"//\" c\n// d"), "a\n\"//\" c\n\n");
    }

    #[test]
    fn sequences_are_found_with_their_attributes() {
        let text = "module {\n transform.named_sequence @a(%x: t {y}) -> (t) attributes { e } {\n  \"}\"\n }\n transform.named_sequence @b-c(%x: t) { {} }\n}";
        let found = sequences(text).expect("closed");
        let names: Vec<&str> = found.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["a", "b-c"]);
        assert!(found[0].text.ends_with("\"}\"\n }"), "{}", found[0].text);
        assert!(found[1].text.ends_with("{ {} }"), "{}", found[1].text);
        assert_eq!(sequences("transform.named_sequence @a(%x) { {"), Err("a".to_owned()));
    }
}
