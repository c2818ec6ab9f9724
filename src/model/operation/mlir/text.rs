//! Finds parts of a line of MLIR.

/// Returns the name of the function that a line begins.
pub fn function_name(line: &str) -> Option<&str> {
    let (_, rest) = line.strip_prefix("func.func ")?.split_once('@')?;
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split('(').next(),
    }
}

/// Returns the name of the operation of a line: `linalg.fill` in `%4 = linalg.fill ins(…`.
pub fn operation(line: &str) -> Option<&str> {
    let line = match line.split_once(" = ") {
        Some((results, rest)) if results.starts_with('%') => rest,
        _ => line,
    };
    let end = line.find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '.' | '_')));
    line.get(..end.unwrap_or(line.len())).filter(|name| name.contains('.'))
}

/// Returns the text behind `opening`, up to the bracket that closes it.
pub fn inside<'a>(line: &'a str, opening: &str) -> Option<&'a str> {
    let start = line.find(opening)? + opening.len();
    let rest = line.get(start..)?;
    let mut depth = 0_usize;
    for (at, letter) in brackets(rest) {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' if depth == 0 => return rest.get(..at),
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Splits a text at the commas that are in no brackets.
pub fn parts(text: &str) -> Vec<&str> {
    let (mut all, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, letter) in brackets(text) {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                all.extend(text.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    all.extend(text.get(start..));
    all.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Iterates over the names behind a sign, each with what follows up to the next sign: `%` stands before values, `@` before
/// symbols, `#` before aliases. A name has letters, digits and what is in `others`.
pub fn names<'a>(
    text: &'a str,
    sign: char,
    others: &str,
) -> impl Iterator<Item = (&'a str, &'a str)> {
    text.split(sign).skip(1).map(move |piece| {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || others.contains(letter);
        let end = piece.find(|letter| !is_letter(letter)).unwrap_or(piece.len());
        piece.split_at_checked(end).unwrap_or((piece, ""))
    })
}

/// Replaces names behind a sign, and the sign, by what `new` returns. Those for which it returns `None` stay.
pub fn replaced<'a>(
    text: &'a str,
    sign: char,
    others: &str,
    mut new: impl FnMut(&'a str) -> Option<String>,
) -> String {
    let mut result = text.split(sign).next().unwrap_or_default().to_owned();
    for (name, rest) in names(text, sign, others) {
        result.push_str(&new(name).unwrap_or_else(|| format!("{sign}{name}")));
        result.push_str(rest);
    }
    result
}

/// Iterates over the letters of a text without the `>` of arrows.
fn brackets(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut before = ' ';
    text.char_indices().filter(move |(_, letter)| {
        let is_arrow = *letter == '>' && before == '-';
        before = *letter;
        !is_arrow
    })
}
