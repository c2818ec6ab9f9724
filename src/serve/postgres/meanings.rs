//! What a statement means to PostgreSQL, where it means something else to the engine: written otherwise, or refused.

use std::borrow::Cow;

use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};
use pgwire::error::PgWireResult;

use super::errors::refused;
use super::statements::byte;
use super::values::{Item, read_array, read_bytes, read_interval};
use super::words::{closing, tokens};

/// Parts of patterns of `to_char`, and what they are in patterns of the engine (chrono's). Longer ones come first.
const PATTERNS: &[(&str, &str)] = &[
    ("FMMonth", "%B"),
    ("HH24", "%H"),
    ("HH12", "%I"),
    ("FMDay", "%A"),
    ("YYYY", "%Y"),
    ("IYYY", "%G"),
    ("DDD", "%j"),
    ("Mon", "%b"),
    ("YY", "%y"),
    ("MM", "%m"),
    ("DD", "%d"),
    ("HH", "%I"),
    ("MI", "%M"),
    ("SS", "%S"),
    ("MS", "%3f"),
    ("US", "%6f"),
    ("am", "%P"),
    ("pm", "%P"),
    ("AM", "%p"),
    ("PM", "%p"),
    ("Dy", "%a"),
    ("IW", "%V"),
];

/// Writes a statement so that it means to the engine what it means to PostgreSQL: texts that are bytes or intervals, and
/// patterns of `to_char`.
pub fn rewritten(text: &str) -> PgWireResult<Cow<'_, str>> {
    // What cannot be divided is wrong, which the engine tells.
    let Ok(tokens) = tokens(text) else { return Ok(text.into()) };
    let mut parts: Vec<(&TokenWithSpan, &TokenWithSpan, String)> = Vec::new();
    for (nth, token) in tokens.iter().enumerate() {
        let next = |after: usize| tokens.get(nth + after);
        let Some(word) = next(0).and_then(as_word) else {
            let (Some(literal), Some(colons), Some(kind)) = (string(token), next(1), next(2))
            else {
                continue;
            };
            if colons.token != Token::DoubleColon {
                continue;
            }
            // `'{1,2}'::bigint[]`
            if next(3).is_some_and(|it| it.token == Token::LBracket) {
                parts.push((token, token, listed(literal)?));
            } else if let Some(kind_name) = as_word(kind)
                && let Some(written) = typed(&kind_name, literal)?
            {
                parts.push((token, kind, written));
            }
            continue;
        };
        if matches!(word.as_str(), "bytea" | "interval")
            && let Some(end) = next(1)
            && let Some(literal) = string(end)
            && let Some(written) = typed(&word, literal)?
        {
            parts.push((token, end, written));
        }
        // `= ANY('{1,2}')`
        if matches!(word.as_str(), "any" | "all" | "some")
            && let (Some(open), Some(list), Some(close)) = (next(1), next(2), next(3))
            && (&open.token, &close.token) == (&Token::LParen, &Token::RParen)
            && let Some(literal) = string(list)
        {
            parts.push((list, list, listed(literal)?));
        }
        if word == "to_char" && next(1).is_some_and(|it| it.token == Token::LParen) {
            let pattern = last_argument(tokens.get(nth + 2..).unwrap_or_default());
            let Some((pattern, literal)) = pattern.and_then(|it| Some((it, string(it)?))) else {
                return Err(refused(
                    "0A000",
                    "the pattern of to_char has to be written in the statement",
                ));
            };
            parts.push((pattern, pattern, format!("'{}'", chrono(literal)?.replace('\'', "''"))));
        }
    }
    let (mut written, mut done) = (String::new(), 0);
    for (first, last, part) in parts {
        let places = (byte(text, first.span.start), byte(text, last.span.end));
        let (Some(begin), Some(end)) = places else { continue };
        // The parts of a part are written with it.
        if begin < done {
            continue;
        }
        written.push_str(text.get(done..begin).unwrap_or_default());
        written.push_str(&part);
        done = end;
    }
    if done == 0 {
        return Ok(text.into());
    }
    written.push_str(text.get(done..).unwrap_or_default());
    Ok(written.into())
}

fn as_word(token: &TokenWithSpan) -> Option<String> {
    match &token.token {
        Token::Word(word) if word.quote_style.is_none() => Some(word.value.to_lowercase()),
        _ => None,
    }
}

fn string(token: &TokenWithSpan) -> Option<&str> {
    match &token.token {
        Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text) => Some(text),
        _ => None,
    }
}

/// Writes a text that is a value of a type; `None` for other types.
fn typed(kind: &str, literal: &str) -> PgWireResult<Option<String>> {
    let wrong = |what: String| refused("22P02", what);
    Ok(match kind {
        "bytea" => {
            let bytes = read_bytes(literal).ok_or_else(|| {
                wrong(format!("invalid input syntax for type bytea: \"{literal}\""))
            })?;
            let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            Some(format!("X'{digits}'"))
        }
        "interval" => {
            let interval = read_interval(literal).map_err(wrong)?;
            let (months, days) = (interval.months, interval.days);
            let microseconds = interval.nanoseconds / 1_000;
            let (seconds, rest) = (microseconds / 1_000_000, microseconds % 1_000_000);
            Some(format!(
                "INTERVAL '{months} months {days} days {seconds} seconds {rest} microseconds'"
            ))
        }
        _ => None,
    })
}

/// Writes the text of an array as a list.
fn listed(literal: &str) -> PgWireResult<String> {
    let items = read_array(literal).map_err(|what| refused("22P02", what))?;
    Ok(list(&items))
}

fn list(items: &[Item]) -> String {
    let is_number = |item: &Item| match item {
        Item::Text(text) => text.parse::<f64>().is_ok_and(f64::is_finite),
        Item::Null => true,
        Item::List(_) => false,
    };
    let are_numbers = items.iter().all(is_number);
    let written: Vec<String> = items
        .iter()
        .map(|item| match item {
            Item::Null => "NULL".to_owned(),
            Item::Text(text) if are_numbers => text.clone(),
            Item::Text(text) => format!("'{}'", text.replace('\'', "''")),
            Item::List(items) => list(items),
        })
        .collect();
    format!("ARRAY[{}]", written.join(", "))
}

/// Returns the last argument of a call, if it is one token.
fn last_argument(tokens: &[TokenWithSpan]) -> Option<&TokenWithSpan> {
    let end = closing(tokens)?;
    let [before, last] = tokens.get(end.checked_sub(2)?..end)? else { return None };
    (before.token == Token::Comma).then_some(last)
}

/// Returns a pattern of `to_char` as the engine has it.
fn chrono(pattern: &str) -> PgWireResult<String> {
    let (mut written, mut rest) = (String::new(), pattern);
    while let Some(letter) = rest.chars().next() {
        if let Some(quoted) = rest.strip_prefix('"') {
            let (text, after) = quoted.split_once('"').unwrap_or((quoted, ""));
            written.push_str(&text.replace('%', "%%"));
            rest = after;
            continue;
        }
        // Names of months and days say by their case how they are written; numbers do not.
        let is_name = |part: &str| part.contains(|it: char| it.is_ascii_lowercase());
        let begins = |part: &&(&str, &str)| {
            let (part, _) = **part;
            let beginning = rest.get(..part.len());
            beginning
                .is_some_and(|it| it == part || !is_name(part) && it.eq_ignore_ascii_case(part))
        };
        if let Some((part, meaning)) = PATTERNS.iter().find(begins) {
            written.push_str(meaning);
            rest = rest.get(part.len()..).unwrap_or_default();
        } else if letter.is_ascii_alphanumeric() {
            let known: Vec<&str> = PATTERNS.iter().map(|(part, _)| *part).collect();
            return Err(refused(
                "0A000",
                format!(
                    "to_char has {} and text in double quotes here, not \"{rest}\"",
                    known.join(", ")
                ),
            ));
        } else {
            written.push_str(if letter == '%' {
                "%%"
            } else {
                rest.get(..letter.len_utf8()).unwrap_or_default()
            });
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        }
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_mean_what_they_mean_to_postgresql() {
        for (text, wanted) in [
            ("SELECT 'a', x::text", "SELECT 'a', x::text"),
            ("SELECT '\\x6162'::bytea, 1", "SELECT X'6162', 1"),
            ("SELECT BYTEA 'a\\\\b'", "SELECT X'615C62'"),
            (
                "SELECT '1 day 02:00:00.5'::interval + x",
                "SELECT INTERVAL '0 months 1 days 7200 seconds 500000 microseconds' + x",
            ),
            (
                "SELECT to_char(f(a, 1), 'yyyy-MM-DD\"T\"HH24:MI:SS.US'), 2",
                "SELECT to_char(f(a, 1), '%Y-%m-%dT%H:%M:%S.%6f'), 2",
            ),
            ("SELECT 'interval' FROM t", "SELECT 'interval' FROM t"),
            ("SELECT '{1,NULL}'::bigint[], x[1]", "SELECT ARRAY[1, NULL]::bigint[], x[1]"),
            ("SELECT x = ANY('{a,\"b,\"}'), '{}'", "SELECT x = ANY(ARRAY['a', 'b,']), '{}'"),
        ] {
            assert_eq!(rewritten(text).unwrap(), wanted);
        }
        for wrong in [
            "SELECT to_char(x, '999D99')",
            "SELECT to_char(x, p)",
            "SELECT '\\xZZ'::bytea",
            "SELECT INTERVAL 'soon'",
        ] {
            assert!(rewritten(wrong).is_err(), "{wrong}");
        }
    }
}
