//! A statement as items: words, commas and groups in parentheses, so that clauses can be found and moved without parsing.

use std::vec::IntoIter;

use datafusion::sql::sqlparser::tokenizer::{Span, Token, TokenWithSpan};

use super::refusal::Fault;

/// Limit on groups within groups, below which the recursion cannot overflow the stack.
const DEPTH: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A word without quotes, in capitals.
    Word(String),
    Group,
    Comma,
    Semicolon,
    Other,
}

/// A token, or a group of them with its parentheses; with the white space before it.
#[derive(Debug, Clone)]
pub struct Item {
    pub tokens: Vec<TokenWithSpan>,
    pub kind: Kind,
}

impl Item {
    pub fn is(&self, word: &str) -> bool {
        matches!(&self.kind, Kind::Word(known) if known == word)
    }

    pub fn is_one_of(&self, words: &[&str]) -> bool {
        matches!(&self.kind, Kind::Word(known) if words.contains(&known.as_str()))
    }

    pub fn span(&self) -> Span {
        self.tokens.last().map_or_else(Span::empty, |token| token.span)
    }

    fn of(trivia: Vec<TokenWithSpan>, token: TokenWithSpan) -> Self {
        let kind = match &token.token {
            Token::Word(word) if word.quote_style.is_none() => {
                Kind::Word(word.value.to_uppercase())
            }
            Token::Comma => Kind::Comma,
            Token::SemiColon => Kind::Semicolon,
            _ => Kind::Other,
        };
        let mut tokens = trivia;
        tokens.push(token);
        Self { tokens, kind }
    }
}

/// Rewrites the items of a level.
type Rewrite<'a> = dyn Fn(Vec<Item>, Option<&Item>, bool) -> Result<Vec<Item>, Fault> + 'a;

/// Splits tokens into items. `each` rewrites the items of each group, and those of the whole; it is told whether they are the
/// whole and which item comes before the group.
pub fn rewrite(
    tokens: Vec<TokenWithSpan>,
    each: &Rewrite<'_>,
) -> Result<Vec<TokenWithSpan>, Fault> {
    let mut rest = tokens.into_iter();
    let mut items = Vec::new();
    // A `)` without its `(` ends a level; the parser will complain about it.
    while rest.len() > 0 {
        let (part, end) = level(&mut rest, each, 0)?;
        items.extend(part);
        items.extend(end.map(|token| Item::of(Vec::new(), token)));
    }
    Ok(flat(each(items, None, true)?))
}

pub fn flat(items: Vec<Item>) -> Vec<TokenWithSpan> {
    items.into_iter().flat_map(|item| item.tokens).collect()
}

type Level = (Vec<Item>, Option<TokenWithSpan>);

/// Reads up to a `)`, which is returned apart.
fn level(
    rest: &mut IntoIter<TokenWithSpan>,
    each: &Rewrite<'_>,
    depth: usize,
) -> Result<Level, Fault> {
    if depth > DEPTH {
        return Err("the parentheses are nested too deeply".into());
    }
    let (mut items, mut trivia) = (Vec::<Item>::new(), Vec::new());
    while let Some(token) = rest.next() {
        match &token.token {
            Token::Whitespace(_) => trivia.push(token),
            Token::LParen => {
                let (within, end) = level(rest, each, depth + 1)?;
                let mut tokens = std::mem::take(&mut trivia);
                tokens.push(token);
                // Without its `)`, a group is left as it is for the parser.
                tokens.extend(match &end {
                    Some(_) => flat(each(within, items.last(), false)?),
                    None => flat(within),
                });
                tokens.extend(end);
                items.push(Item { tokens, kind: Kind::Group });
            }
            Token::RParen => return Ok((items, Some(token))),
            _ => items.push(Item::of(std::mem::take(&mut trivia), token)),
        }
    }
    Ok((items, None))
}

/// Builds items at the place of another one.
#[derive(Debug)]
pub struct Builder {
    span: Span,
    pub items: Vec<Item>,
}

impl Builder {
    pub fn at(span: Span) -> Self {
        Self { span, items: Vec::new() }
    }

    pub fn words(mut self, words: &[&str]) -> Self {
        for word in words {
            self = self.token(Token::make_keyword(word));
        }
        self
    }

    pub fn token(mut self, token: Token) -> Self {
        self.items.push(Item::of(Vec::new(), TokenWithSpan::new(token, self.span)));
        self
    }

    pub fn items(mut self, items: Vec<Item>) -> Self {
        self.items.extend(items);
        self
    }

    pub fn group(mut self, within: Vec<Item>) -> Self {
        let mut tokens = vec![TokenWithSpan::new(Token::LParen, self.span)];
        tokens.extend(flat(within));
        tokens.push(TokenWithSpan::new(Token::RParen, self.span));
        self.items.push(Item { tokens, kind: Kind::Group });
        self
    }
}

/// Removes the clause that begins with a word and ends before any of `ends`, and returns what follows the word.
pub fn cut(items: &mut Vec<Item>, word: &str, ends: &[&str]) -> Option<Vec<Item>> {
    let start = items.iter().position(|item| item.is(word))?;
    let after = items.iter().skip(start + 1);
    let length = after.take_while(|item| !item.is_one_of(ends)).count();
    Some(items.drain(start..=start + length).skip(1).collect())
}

/// Splits a list at its commas.
pub fn listed(items: Vec<Item>) -> Vec<Vec<Item>> {
    let mut list = vec![Vec::new()];
    for item in items {
        match (&item.kind, list.last_mut()) {
            (Kind::Comma, _) => list.push(Vec::new()),
            (_, Some(part)) => part.push(item),
            _ => {}
        }
    }
    list
}
