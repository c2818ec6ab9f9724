//! Reads the first definition of each exported function, per session. Most queries name dispatches by them.

use std::collections::HashMap;
use std::sync::Arc;

use read::bundle::cursor::u32_at;
use read::bundle::{Bundle, BundleError};
use read::table::hash_text;
use schemas::place::Places;
use schemas::spec::Kind;

use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{ABSENT, Columns, Grouped, HeapBytes, Relation, Row, blocks, place};

/// The pass.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata().small();

static OUTPUTS: &[Output] = &[Output::of(
    "function_definitions",
    "The first definition of each function of a session's executables.",
    || columns().fields(),
)];

const EXECUTABLES: usize = 0;
const TABLES: [&str; 2] = [EXECUTABLE.table, FUNCTION.table];

const EXECUTABLE: Places<1> = Places::new("executables", ["executable_id"]);
const FUNCTION: Places<2> =
    Places::new("executable_functions", ["executable_id", "function_ordinal"]);

/// Counts and workgroup size of a function.
const SIGNATURE: Places<6> = Places::new(
    FUNCTION.table,
    [
        "constant_count",
        "binding_count",
        "parameter_count",
        "workgroup_size_x",
        "workgroup_size_y",
        "workgroup_size_z",
    ],
);

/// The first definitions of functions, by session.
#[derive(Debug, Default)]
pub struct Definitions {
    /// Session, executable and ordinal of each function.
    functions: Grouped<3, Definition>,
    /// Code object hashes by session and executable.
    code_objects: HashMap<(u64, u64), String>,
}

/// One function. Its ids are the key in [`Definitions::keys`].
#[derive(Debug)]
struct Definition {
    name: String,
    hash: Option<String>,
    numbers: [u64; 6],
}

impl HeapBytes for Definitions {}

impl Definitions {
    /// Reads the definitions of `bundle`.
    pub fn read(bundle: &Arc<Bundle>) -> Result<Self, BundleError> {
        let mut definitions = Self::default();
        let code_object = HashPlace::of(EXECUTABLE.table, "code_object_hash");
        let function = HashPlace::of(FUNCTION.table, "function_hash");
        blocks(bundle, &TABLES, |block| {
            let session = block.header.session_id;
            block.rows().for_each(|row| match block.table {
                EXECUTABLES => definitions.add_executable(session, row, code_object),
                _ => definitions.add_function(session, row, function),
            });
            Ok(())
        })?;
        Ok(definitions)
    }

    fn add_executable(&mut self, session: u64, row: Row<'_>, hash: Option<HashPlace>) {
        // If an executable is defined twice, the greater hash counts, regardless of order.
        if let Some(hash) = hash.and_then(|place| place.read(row)) {
            let [executable] = row.numbers(&EXECUTABLE);
            let known = self.code_objects.entry((session, executable)).or_default();
            *known = hash.max(std::mem::take(known));
        }
    }

    fn add_function(&mut self, session: u64, row: Row<'_>, hash: Option<HashPlace>) {
        let [executable, ordinal] = row.numbers(&FUNCTION);
        self.functions.define([session, executable, ordinal], || Definition {
            name: row.text(0).into_owned(),
            hash: hash.and_then(|place| place.read(row)),
            numbers: row.numbers(&SIGNATURE),
        });
    }

    /// Returns the name of a function, which may be empty; `None` if it is not defined.
    pub fn name(&self, session: u64, executable: u64, ordinal: u64) -> Option<&str> {
        // Raw values of an absent executable or ordinal.
        if executable == 0 || ordinal == ABSENT {
            return None;
        }
        self.functions.find([session, executable, ordinal]).map(|function| &*function.name)
    }

    /// Returns the name of a function and the hash of its code, by which it is known when it is loaded again; `None` if
    /// it is not defined.
    pub fn content(&self, [session, executable, ordinal]: [u64; 3]) -> Option<[&str; 2]> {
        let function = self.functions.find([session, executable, ordinal])?;
        let code_object = || self.code_objects.get(&(session, executable)).map(String::as_str);
        let hash = function.hash.as_deref().or_else(code_object).unwrap_or_default();
        Some([&function.name, hash])
    }
}

/// Session, executable and ordinal; the definition; the code object hash of the executable.
type Defined<'a> = ([u64; 3], &'a Definition, Option<&'a str>);

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let Definitions { functions, code_objects } = Definitions::read(call.bundle)?;
    let row = |(key, function)| {
        let &[session, executable, _] = key;
        // Id 0 means no executable.
        let hash = code_objects.get(&(session, executable)).filter(|_| executable != 0);
        (*key, function, hash.map(String::as_str))
    };
    let rows: Vec<Defined<'_>> = functions.iter().map(row).collect();
    Ok(vec![columns().relation(&rows)])
}

fn columns<'a>() -> Columns<Defined<'a>> {
    let number = |(_, function, _): &Defined<'_>, nth: usize| {
        u32::try_from(*function.numbers.get(nth)?).ok()
    };
    Columns::<Defined<'_>>::new()
        .number("session_id", |([session, ..], ..)| *session)
        .optional_number("executable_id", |([_, executable, _], ..)| {
            (*executable != 0).then_some(*executable)
        })
        .word("function_ordinal", |([.., ordinal], ..)| {
            u32::try_from(*ordinal).ok().filter(|ordinal| *ordinal != u32::MAX)
        })
        .text("name", |(_, function, _)| &function.name)
        .optional_text("function_hash", |(_, function, _)| function.hash.as_deref())
        .optional_text("code_object_hash", |(.., hash)| *hash)
        .word("constant_count", move |row| number(row, 0))
        .word("binding_count", move |row| number(row, 1))
        .word("parameter_count", move |row| number(row, 2))
        .word("workgroup_size_x", move |row| number(row, 3))
        .word("workgroup_size_y", move |row| number(row, 4))
        .word("workgroup_size_z", move |row| number(row, 5))
}

/// The offset of a hash in a record, and the flag bit that marks it as present.
#[derive(Clone, Copy)]
struct HashPlace {
    at: usize,
    flags: usize,
    bit: u32,
}

impl HashPlace {
    fn of(table: &str, column: &str) -> Option<Self> {
        let (at, Kind::Hash { flags, bit }) = place(table, column)? else { return None };
        Some(Self { at, flags, bit })
    }

    fn read(self, row: Row<'_>) -> Option<String> {
        let is_there = u32_at(row.bytes(), self.flags) >> self.bit & 1 == 1;
        is_there.then(|| hash_text(row.bytes(), self.at))
    }
}
