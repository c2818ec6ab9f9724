//! The words of statements that the engine does not answer.

use datafusion::sql::sqlparser::dialect::PostgreSqlDialect;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};
use pgwire::error::PgWireResult;

use super::errors::refused;
use super::statements::byte;

/// Returns the tokens of a statement, without what is between them.
pub fn tokens(text: &str) -> PgWireResult<Vec<TokenWithSpan>> {
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, text).tokenize_with_location();
    let mut tokens = tokens.map_err(|error| refused("42601", error.to_string()))?;
    tokens.retain(|it| !matches!(it.token, Token::Whitespace(_)));
    Ok(tokens)
}

/// The words of a statement that are not read yet.
pub struct Words<'a>(pub &'a [TokenWithSpan]);

impl<'a> Words<'a> {
    /// Takes a word if it is the next one.
    pub fn take(&mut self, wanted: &str) -> bool {
        match self.peek() {
            Some(Token::Word(word)) if word.value.eq_ignore_ascii_case(wanted) => {
                self.next();
                true
            }
            _ => false,
        }
    }

    /// Takes words if they are the next ones.
    pub(crate) fn take_all(&mut self, wanted: &[&str]) -> bool {
        let before = self.0;
        let has_all = wanted.iter().all(|word| self.take(word));
        if !has_all {
            self.0 = before;
        }
        has_all
    }

    /// Returns the next token, which is not taken.
    pub fn peek(&self) -> Option<&'a Token> {
        self.0.first().map(|it| &it.token)
    }

    pub fn next(&mut self) -> Option<&'a Token> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(&first.token)
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes a name, perhaps of several parts, as it is written.
    pub fn name(&mut self) -> Option<String> {
        let Some(Token::Word(word)) = self.next() else { return None };
        let mut name = word.value.clone();
        while let [point, part, rest @ ..] = self.0
            && point.token == Token::Period
            && let Token::Word(part) = &part.token
        {
            name.push('.');
            name.push_str(&part.value);
            self.0 = rest;
        }
        Some(name)
    }

    /// Takes the name of something, which has small letters without quotes.
    pub fn identifier(&mut self) -> Option<String> {
        match self.next()? {
            Token::Word(word) if word.quote_style.is_some() => Some(word.value.clone()),
            Token::Word(word) => Some(word.value.to_lowercase()),
            _ => None,
        }
    }

    /// Takes the rest as a value; a list has commas.
    pub fn value(&mut self) -> String {
        let mut value = String::new();
        while let Some(token) = self.next() {
            match token {
                Token::Comma => value.push_str(", "),
                Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text) => {
                    value.push_str(text);
                }
                other => value.push_str(&other.to_string()),
            }
        }
        value
    }
}

/// Returns a part of a statement, with blanks instead of what is before it, so that places in it are those of the whole.
pub fn padded(text: &str, part: &[TokenWithSpan]) -> Option<String> {
    let [begin, end] = [part.first()?.span.start, part.last()?.span.end].map(|it| byte(text, it));
    let (before, part) = (text.get(..begin?)?, text.get(begin?..end?)?);
    let blanks = before.chars().map(|it| if it == '\n' { '\n' } else { ' ' });
    Some(blanks.chain(part.chars()).collect())
}

/// Returns the place of the parenthesis that closes one before these tokens.
pub fn closing(tokens: &[TokenWithSpan]) -> Option<usize> {
    let mut depth = 1;
    tokens.iter().position(|it| {
        depth += match it.token {
            Token::LParen => 1,
            Token::RParen => -1,
            _ => 0,
        };
        depth == 0
    })
}
