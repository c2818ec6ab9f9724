//! Reads the text of arrays, as PostgreSQL does: `{1,NULL,"a \"b\""}`, also nested, with blanks and bounds.

/// An element of an array.
#[derive(Debug, PartialEq, Eq)]
pub enum Item {
    Null,
    Text(String),
    List(Vec<Item>),
}

/// Nested more deeply, PostgreSQL refuses arrays.
const DEEPEST: usize = 6;

/// Reads an array.
pub fn read(text: &str) -> Result<Vec<Item>, String> {
    let wrong = || format!("malformed array literal: \"{text}\"");
    let mut rest = text.trim_matches(is_blank);
    // The bounds of dimensions, as in `[0:1]={a,b}`: arrays here begin at 1.
    if rest.starts_with('[') {
        let (bounds, items) = rest.split_once('=').ok_or_else(wrong)?;
        let is_bound = |it: char| it.is_ascii_digit() || matches!(it, '[' | ']' | ':' | '+' | '-');
        if !bounds.trim_end_matches(is_blank).chars().all(is_bound) {
            return Err(wrong());
        }
        rest = items.trim_start_matches(is_blank);
    }
    let mut reader = Reader { rest, depth: 0 };
    let items = reader.list().ok_or_else(wrong)?;
    if reader.rest.is_empty() { Ok(items) } else { Err(wrong()) }
}

const fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}')
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl Reader<'_> {
    fn take(&mut self, letter: char) -> bool {
        let rest = self.rest.strip_prefix(letter);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start_matches(is_blank);
    }

    /// Reads a list in braces; `None` if it is wrong.
    fn list(&mut self) -> Option<Vec<Item>> {
        self.depth += 1;
        if !self.take('{') || self.depth > DEEPEST {
            return None;
        }
        let mut items = Vec::new();
        self.skip();
        while !self.take('}') {
            if !items.is_empty() && !self.take(',') {
                return None;
            }
            self.skip();
            items.push(self.item()?);
            self.skip();
        }
        self.depth -= 1;
        let is_list = |item: &Item| matches!(item, Item::List(_));
        let lists = items.iter().filter(|item| is_list(item)).count();
        (lists == 0 || lists == items.len()).then_some(items)
    }

    fn item(&mut self) -> Option<Item> {
        if self.rest.starts_with('{') {
            return self.list().map(Item::List);
        }
        if self.take('"') {
            let mut text = String::new();
            loop {
                let letter = self.next()?;
                match letter {
                    '"' => return Some(Item::Text(text)),
                    '\\' => text.push(self.next()?),
                    letter => text.push(letter),
                }
            }
        }
        // Blanks at the end do not count, but for those after a backslash.
        let (mut text, mut kept) = (String::new(), 0);
        while let Some(letter) = self.rest.chars().next() {
            match letter {
                ',' | '}' => break,
                '{' | '"' => return None,
                '\\' => {
                    self.next();
                    text.push(self.next()?);
                    kept = text.len();
                }
                letter => {
                    self.next();
                    text.push(letter);
                    kept = if is_blank(letter) { kept } else { text.len() };
                }
            }
        }
        text.truncate(kept);
        if text.is_empty() {
            return None;
        }
        Some(if text.eq_ignore_ascii_case("NULL") { Item::Null } else { Item::Text(text) })
    }

    fn next(&mut self) -> Option<char> {
        let mut letters = self.rest.chars();
        let letter = letters.next()?;
        self.rest = letters.as_str();
        Some(letter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Item {
        Item::Text(text.to_owned())
    }

    #[test]
    fn arrays_are_read_as_postgresql_does() {
        for (literal, wanted) in [
            ("{}", vec![]),
            (" { 1 , 2 } ", vec![text("1"), text("2")]),
            ("{a b, NULL,null,\"NULL\"}", vec![text("a b"), Item::Null, Item::Null, text("NULL")]),
            (r#"{"a\"b\\c","",a\ }"#, vec![text(r#"a"b\c"#), text(""), text("a ")]),
            ("[0:1]={1,2}", vec![text("1"), text("2")]),
            (
                "{{1,2},{3,NULL}}",
                vec![
                    Item::List(vec![text("1"), text("2")]),
                    Item::List(vec![text("3"), Item::Null]),
                ],
            ),
        ] {
            assert_eq!(read(literal).unwrap(), wanted, "{literal}");
        }
        for wrong in [
            "",
            "1",
            "{1",
            "{1}}",
            "{1,}",
            "{,1}",
            "{1,{2}}",
            "{a\"b\"}",
            "{\"a}",
            "{{{{{{{1}}}}}}}",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
