//! Fits a table into the width of a terminal. First, names lose what most of them begin with; then less important
//! columns go, and a column `…` shows where; at last, names lose their middle, but stay different.

use super::names::{shortened, without_beginning};
use super::text;

/// A column of a table.
#[derive(Debug, Clone)]
pub struct Column {
    pub head: String,
    pub cells: Vec<String>,
    pub is_left: bool,
    pub fit: Fit,
}

/// What happens to a column if the table is too wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    Stays,
    /// A name of a function, which is shortened.
    Name,
    /// Sentences, which go to lines of their own.
    Prose,
    /// It goes, the one with the highest number first.
    Goes(usize),
}

/// The width that names keep while other columns can go, in characters.
const NAME: usize = 40;

/// The width that names keep in any case.
const SHORTEST: usize = 16;

/// A column of a table of items: its head, the text for an item, whether it is aligned to the left, and what happens if the
/// table is too wide.
pub type Shown<T> = (&'static str, fn(&T) -> String, bool, Fit);

/// Draws a table of items, as [`table`] does.
pub fn shown<T>(columns: &[Shown<T>], items: &[T], width: Option<usize>) -> String {
    let columns = columns.iter().map(|(head, text, is_left, fit)| Column {
        head: (*head).to_owned(),
        cells: items.iter().map(text).collect(),
        is_left: *is_left,
        fit: *fit,
    });
    table(columns.collect(), width)
}

/// Draws a table that is at most `width` characters wide; `None` if the output is no terminal.
pub fn table(mut columns: Vec<Column>, width: Option<usize>) -> String {
    if let Some(width) = width.filter(|width| needed(&columns) > *width) {
        if columns.iter().any(|column| column.fit == Fit::Prose) {
            return paragraphs(&columns);
        }
        fit(&mut columns, width);
    }
    let rows = columns.iter().map(|column| column.cells.len()).max().unwrap_or_default();
    let line =
        |nth: usize| columns.iter().filter_map(move |it| it.cells.get(nth).cloned()).collect();
    let heads: Vec<String> = columns.iter().map(|column| column.head.clone()).collect();
    let lines = std::iter::once(heads).chain((0..rows).map(line));
    text::table(lines, |nth| columns.get(nth).is_some_and(|column| column.is_left))
}

/// Writes each row as lines: short cells first, beside them each sentence on its own line.
fn paragraphs(columns: &[Column]) -> String {
    let (prose, short): (Vec<&Column>, Vec<&Column>) =
        columns.iter().partition(|column| column.fit == Fit::Prose);
    let mut text = String::new();
    for row in 0..columns.first().map(|column| column.cells.len()).unwrap_or_default() {
        let mut head = String::from(" ");
        for (column, cell) in short.iter().filter_map(|it| Some((it, it.cells.get(row)?))) {
            let width = widest(column);
            head += &if column.is_left {
                format!("{cell:<width$}  ")
            } else {
                format!("{cell:>width$}  ")
            };
        }
        for cell in prose.iter().filter_map(|column| column.cells.get(row)) {
            text.push_str(&format!("{head}{cell}\n"));
            head = " ".repeat(head.chars().count());
        }
    }
    text
}

/// Returns the width of a table in characters, without the blank after the last column.
fn needed(columns: &[Column]) -> usize {
    columns.iter().map(|column| widest(column) + 2).sum::<usize>().saturating_sub(1)
}

fn fit(columns: &mut Vec<Column>, width: usize) {
    columns.iter_mut().filter(|column| column.fit == Fit::Name).for_each(without_prefix);
    drop_columns(columns, width);
    shorten_names(columns, width);
}

fn widest(column: &Column) -> usize {
    let texts = column.cells.iter().chain([&column.head]);
    texts.map(|text| text.chars().count()).max().unwrap_or_default()
}

/// Replaces the most frequent prefix of the names by `…`, and says so in the head if there is room.
fn without_prefix(column: &mut Column) {
    let Some(most) = without_beginning(&mut column.cells) else { return };
    let head = format!("{} ({most}…)", column.head);
    if head.chars().count() <= widest(column) {
        column.head = head;
    }
}

/// Drops columns until the table fits with names of the width [`NAME`].
fn drop_columns(columns: &mut Vec<Column>, width: usize) {
    let excess = |columns: &[Column]| {
        let names = columns.iter().filter(|column| column.fit == Fit::Name);
        let saved: usize = names.map(|column| widest(column).saturating_sub(NAME)).sum();
        needed(columns).saturating_sub(saved) > width
    };
    while excess(columns) {
        let rank = |(_, column): &(usize, &Column)| match column.fit {
            Fit::Goes(rank) => Some(rank),
            _ => None,
        };
        let goes = columns.iter().enumerate().filter(|it| rank(it).is_some()).max_by_key(rank);
        let Some((place, _)) = goes.filter(|(_, column)| column.head != "…") else { return };
        columns.remove(place);
        let known = columns.iter().position(|column| column.head == "…");
        match known {
            Some(known) if known <= place => {}
            known => {
                known.map(|known| columns.remove(known));
                let rows = columns.first().map(|column| column.cells.len()).unwrap_or_default();
                let cells = vec![String::new(); rows];
                let mark = Column { head: "…".into(), cells, is_left: true, fit: Fit::Stays };
                columns.insert(place, mark);
            }
        }
    }
}

/// Shortens names to the width that the other columns leave, the longest ones first.
fn shorten_names(columns: &mut [Column], width: usize) {
    let all = needed(columns);
    let mut names: Vec<(usize, &mut Column)> = columns
        .iter_mut()
        .filter(|column| column.fit == Fit::Name)
        .map(|column| (widest(column), column))
        .collect();
    names.sort_by_key(|(widest, _)| *widest);
    let wanted: usize = names.iter().map(|(widest, _)| widest).sum();
    let mut left = (width + wanted).saturating_sub(all);
    let mut rest = names.len();
    for (widest, column) in names {
        let share = (left / rest).max(SHORTEST).min(widest);
        // The prefix goes from the head where it does not fit.
        if let Some((head, _)) = column.head.split_once(" (")
            && column.head.chars().count() > share
        {
            column.head = head.to_owned();
        }
        column.cells = shortened(&column.cells, share);
        left = left.saturating_sub(share);
        rest -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(head: &str, cell: &str, fit: Fit) -> Column {
        Column { head: head.into(), cells: vec![cell.into()], is_left: fit == Fit::Name, fit }
    }

    fn drawn(name: &str, width: usize) -> String {
        let columns = vec![
            column("total", "1.234 ms", Fit::Stays),
            column("p99", "12.34 µs", Fit::Goes(1)),
            column("max", "12.34 ms", Fit::Goes(0)),
            column("function", name, Fit::Name),
        ];
        table(columns, Some(width))
    }

    #[test]
    fn names_lose_their_prefix_then_columns_go() {
        let name = "main$async_dispatch_7_matmul_like_32x256x128_f32_dispatch_1";
        for (width, wanted) in [
            (100, format!("    total       p99       max  function\n 1.234 ms  12.34 µs  12.34 ms  {name}\n")),
            (80, "    total       p99       max  function (main$async_dispatch_…)\n 1.234 ms  12.34 µs  12.34 ms  …7_matmul_like_32x256x128_f32_dispatch_1\n".into()),
            (66, "    total  …       max  function (main$async_dispatch_…)\n 1.234 ms     12.34 ms  …7_matmul_like_32x256x128_f32_dispatch_1\n".into()),
            (40, "    total  …  function\n 1.234 ms     …7_matmul_lik…2_dispatch_1\n".into()),
        ] {
            assert_eq!(drawn(name, width), wanted, "{width}");
            assert!(wanted.lines().all(|line| line.chars().count() <= width), "{width}");
        }
    }
}
