//! The forms of statements that `DuckDB` takes and sqlparser does not, rewritten into those that it parses:
//! `FROM t WHERE …`, `PIVOT t ON … USING … GROUP BY …`, `UNPIVOT t ON …` and `SUMMARIZE …`.

use std::collections::VecDeque;

use datafusion::sql::sqlparser::tokenizer::{Span, Token, TokenWithSpan};

use super::refusal::Fault;
use super::refused;
use super::tokens::{self, Builder, Item, Kind, cut, listed};

/// The table function that stands for SUMMARIZE.
pub const SUMMARIZE: &str = "SUMMARIZE";
/// The aggregate that stands for the GROUP BY of a PIVOT.
pub const GROUPS: &str = "GROUP BY";

const SETS: &[&str] = &["UNION", "INTERSECT", "EXCEPT"];
/// Words that begin the clauses after a FROM.
const CLAUSES: &[&str] = &["WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY"];
/// Words that begin the clauses after a query.
const TAIL: &[&str] = &["ORDER", "LIMIT", "OFFSET", "FETCH"];

/// Rewrites the tokens of a script.
pub fn rewrite(tokens: Vec<TokenWithSpan>) -> Result<Vec<TokenWithSpan>, Fault> {
    tokens::rewrite(tokens, &|items, before, is_whole| {
        let is_clause = before.is_some_and(|item| item.is("PIVOT"));
        match items.iter().position(|item| item.is("FOR")).filter(|_| is_clause) {
            Some(place) => Ok(group_first(items, place)),
            None => queries(items, is_whole),
        }
    })
}

/// Moves the GROUP BY of `PIVOT (f(x) FOR c IN (…) GROUP BY g)` before FOR.
fn group_first(mut items: Vec<Item>, place: usize) -> Vec<Item> {
    if let Some(groups) = cut(&mut items, "GROUP", &[]) {
        let after = items.split_off(place);
        items.extend(grouped(groups, after.first()));
        items.extend(after);
    }
    items
}

/// Rewrites the queries of a script or group. In a group, `pivot` may be a column.
fn queries(items: Vec<Item>, is_whole: bool) -> Result<Vec<Item>, Fault> {
    let mut rest = VecDeque::from(items);
    let mut done: Vec<Item> = Vec::new();
    loop {
        if is_whole && done.last().is_none_or(|item| item.kind == Kind::Semicolon) {
            refused::check(&rest.iter(), is_built_in)?;
        }
        pass_lead(&mut rest, &mut done);
        let ends = |item: &Item| item.kind == Kind::Semicolon || item.is_one_of(SETS);
        let end = rest.iter().position(ends).unwrap_or(rest.len());
        done.extend(query(rest.drain(..end).collect(), is_whole)?);
        let Some(separator) = rest.pop_front() else { return Ok(done) };
        done.push(separator);
        pass(&mut rest, &mut done, &["ALL", "DISTINCT", "BY", "NAME"]);
    }
}

fn is_built_in(name: &str) -> bool {
    schemas::find(name).is_some() || sql::find(sql::Kind::View, name).is_some()
}

/// Moves words.
fn pass(rest: &mut VecDeque<Item>, done: &mut Vec<Item>, words: &[&str]) {
    while let Some(word) = rest.pop_front_if(|item| item.is_one_of(words)) {
        done.push(word);
    }
}

/// Moves what may stand before a query: EXPLAIN, CREATE … AS, WITH ….
fn pass_lead(rest: &mut VecDeque<Item>, done: &mut Vec<Item>) {
    pass(rest, done, &["EXPLAIN", "ANALYZE", "VERBOSE", "DESCRIBE"]);
    if rest.front().is_some_and(|item| item.is("CREATE")) {
        let ends = |item: &Item| item.kind == Kind::Semicolon;
        let end = rest.iter().position(ends).unwrap_or(rest.len());
        let Some(place) = rest.iter().take(end).position(|item| item.is("AS")) else { return };
        done.extend(rest.drain(..=place));
        pass(rest, done, &["TABLE"]);
    }
    if rest.front().is_some_and(|item| item.is("WITH")) {
        done.extend(rest.pop_front());
        loop {
            // The name, its columns, and AS; then the query.
            while let Some(word) =
                rest.pop_front_if(|item| !item.is("AS") && item.kind != Kind::Semicolon)
            {
                done.push(word);
            }
            pass(rest, done, &["AS", "NOT", "MATERIALIZED"]);
            done.extend(rest.pop_front_if(|item| item.kind == Kind::Group));
            let Some(comma) = rest.pop_front_if(|item| item.kind == Kind::Comma) else { break };
            done.push(comma);
        }
    }
}

fn query(items: Vec<Item>, is_whole: bool) -> Result<Vec<Item>, Fault> {
    let has = |word| items.iter().any(|item| item.is(word));
    let Some(Kind::Word(word)) = items.first().map(|item| &item.kind) else { return Ok(items) };
    match word.as_str() {
        "FROM" => Ok(from_first(items)),
        "PIVOT" | "PIVOT_WIDER" if is_whole || has("ON") => pivot(items),
        "UNPIVOT" | "PIVOT_LONGER" if is_whole || has("ON") => unpivot(items),
        "SUMMARIZE" if is_whole || items.len() > 1 => summarize(items),
        _ => Ok(items),
    }
}

/// `FROM t SELECT a WHERE …` is `SELECT a FROM t WHERE …`, and without SELECT it is `SELECT *`.
fn from_first(mut items: Vec<Item>) -> Vec<Item> {
    let is_piped = |item: &Item| {
        item.tokens.last().is_some_and(|it| it.token == Token::VerticalBarRightAngleBracket)
    };
    if items.iter().any(is_piped) {
        return items;
    }
    let ends: Vec<&str> = CLAUSES.iter().chain(TAIL).copied().collect();
    match cut(&mut items, "SELECT", &ends) {
        Some(columns) => {
            Builder::at(span(&items)).words(&["SELECT"]).items(columns).items(items).items
        }
        None if items.iter().any(|item| item.is_one_of(CLAUSES)) => star(&items).items(items).items,
        None => items,
    }
}

/// Begins a `SELECT *` at the place of the first of `items`.
fn star(items: &[Item]) -> Builder {
    Builder::at(span(items)).words(&["SELECT"]).token(Token::Mul)
}

/// `, "GROUP BY"(a, b)`, of the items after GROUP.
fn grouped(mut groups: Vec<Item>, place: Option<&Item>) -> Vec<Item> {
    if groups.first().is_some_and(|item| item.is("BY")) {
        groups.remove(0);
    }
    let name = Token::make_word(GROUPS, Some('"'));
    let builder = Builder::at(place.map_or_else(Span::empty, Item::span));
    builder.token(Token::Comma).token(name).group(groups).items
}

/// `PIVOT t ON c USING f(x) GROUP BY g` is `SELECT * FROM t PIVOT (f(x), "GROUP BY"(g) FOR (c) IN (ANY))`.
fn pivot(mut items: Vec<Item>) -> Result<Vec<Item>, Fault> {
    const ENDS: &[&str] = &["ON", "USING", "GROUP", "ORDER", "LIMIT", "OFFSET", "FETCH"];
    let result = star(&items);
    let span = span(&items);
    let on = cut(&mut items, "ON", ENDS);
    let using = cut(&mut items, "USING", ENDS);
    let groups = cut(&mut items, "GROUP", ENDS);
    let tail = tail(&mut items);
    let Some(on) = on.filter(|_| items.len() > 1) else {
        return Err("PIVOT requires ON; write PIVOT t ON column USING sum(x) GROUP BY y".into());
    };
    let mut columns = listed(on);
    let mut values = Builder::at(span).words(&["ANY"]).items;
    let is_one = columns.len() == 1;
    for column in &mut columns {
        if let Some(given) = cut(column, "IN", &[]) {
            if !is_one {
                return Err("IN of several columns of ON is not supported; filter the table: PIVOT (SELECT … WHERE a IN (…)) ON a, b".into());
            }
            values = given;
        }
    }
    let mut names = Builder::at(span);
    for (nth, column) in columns.into_iter().enumerate() {
        if nth > 0 {
            names = names.token(Token::Comma);
        }
        names = names.group(column);
    }
    // An aggregate is required; without USING, it counts.
    let within = match using {
        Some(using) => Builder::at(span).items(using),
        None => {
            Builder::at(span).words(&["count"]).group(Builder::at(span).token(Token::Mul).items)
        }
    };
    let within = match groups {
        Some(groups) => within.items(grouped(groups, items.first())),
        None => within,
    };
    let within = within.words(&["FOR"]).group(names.items).words(&["IN"]);
    // The list of IN brings its own parentheses.
    let within = match values.as_slice() {
        [Item { kind: Kind::Group, .. }] => within.items(values),
        _ => within.group(values),
    };
    let table = items.split_off(1);
    Ok(result.words(&["FROM"]).items(table).words(&["PIVOT"]).group(within.items).items(tail).items)
}

fn span(items: &[Item]) -> Span {
    items.first().map_or_else(Span::empty, Item::span)
}

/// Removes ORDER BY, LIMIT and what follows.
fn tail(items: &mut Vec<Item>) -> Vec<Item> {
    let start = items.iter().position(|item| item.is_one_of(TAIL)).unwrap_or(items.len());
    items.split_off(start)
}

/// `UNPIVOT t ON a, b INTO NAME n VALUE v` is `SELECT * FROM t UNPIVOT (v FOR n IN (a, b))`.
fn unpivot(mut items: Vec<Item>) -> Result<Vec<Item>, Fault> {
    let result = star(&items);
    let span = span(&items);
    let tail = tail(&mut items);
    let into = cut(&mut items, "INTO", &[]);
    let on = cut(&mut items, "ON", &[]);
    let Some(on) = on.filter(|_| items.len() > 1) else {
        return Err(
            "UNPIVOT requires ON; write UNPIVOT t ON a, b INTO NAME name VALUE value".into()
        );
    };
    let (name, value) = match into {
        None => {
            (Builder::at(span).words(&["name"]).items, Builder::at(span).words(&["value"]).items)
        }
        Some(mut into) => {
            match (cut(&mut into, "NAME", &["VALUE"]), cut(&mut into, "VALUE", &["NAME"])) {
                (Some(name), Some(value)) if name.len() == 1 && value.len() == 1 => (name, value),
                _ => return Err("write INTO NAME name VALUE value".into()),
            }
        }
    };
    let within =
        Builder::at(span).items(value).words(&["FOR"]).items(name).words(&["IN"]).group(on);
    let table = items.split_off(1);
    Ok(result
        .words(&["FROM"])
        .items(table)
        .words(&["UNPIVOT"])
        .group(within.items)
        .items(tail)
        .items)
}

/// `SUMMARIZE t` is `SELECT * FROM "SUMMARIZE"((SELECT * FROM t))`.
fn summarize(mut items: Vec<Item>) -> Result<Vec<Item>, Fault> {
    if items.len() == 1 {
        return Err("SUMMARIZE requires a table or a query".into());
    }
    let result = star(&items);
    let span = span(&items);
    let what = items.split_off(1);
    let is_query = what.first().is_some_and(|item| {
        item.is_one_of(&["SELECT", "WITH", "VALUES", "FROM", "PIVOT", "UNPIVOT"])
            || item.kind == Kind::Group && what.len() == 1
    });
    let within = if is_query {
        queries(what, false)?
    } else {
        star(&items).words(&["FROM"]).items(what).items
    };
    let inner = Builder::at(span).group(within).items;
    Ok(result.words(&["FROM"]).token(Token::make_word(SUMMARIZE, Some('"'))).group(inner).items)
}
