//! What the detection needs of each function that is dispatched.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::evidence::modules::Modules;
use super::place::{Place, is_initializer, parts};
use super::step::narrow;
use crate::fold::metadata::definitions::Definitions;
use crate::fold::shared::Groups;

/// A function that is dispatched.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// Equal for functions of the same content: a program may load an executable again for each call.
    pub content: u64,
    /// The number of its executable.
    pub executable: u32,
    /// How many executables with this function came before: it is loaded again.
    pub load: u32,
    pub place: Place,
}

/// The functions of a bundle, by session, executable and ordinal.
pub struct Functions {
    definitions: Definitions,
    numbers: Groups<3>,
    known: Vec<Function>,
    /// Session and executable.
    executables: Groups<2>,
    /// The numbers of exported functions by name.
    exported: HashMap<String, u32>,
    /// The number of executables with a function of a content, and the last one.
    loads: HashMap<u64, (u32, u32)>,
}

impl Functions {
    pub fn of(definitions: Definitions) -> Self {
        Self {
            definitions,
            numbers: Groups::default(),
            known: Vec::new(),
            executables: Groups::default(),
            exported: HashMap::new(),
            loads: HashMap::new(),
        }
    }

    /// Returns a function; one that is new becomes known to the modules.
    pub fn find(&mut self, key: [u64; 3], modules: &mut Modules) -> Option<Function> {
        let number = self.numbers.number(key);
        if number == self.known.len() {
            let function = self.read(key, modules);
            self.known.push(function);
        }
        self.known.get(number).copied()
    }

    fn read(&mut self, key: [u64; 3], modules: &mut Modules) -> Function {
        let [session, executable, ordinal] = key;
        let count = self.executables.len();
        let executable_number = self.executables.number([session, executable]);
        let is_new = executable_number == count;
        let executable_number = narrow(executable_number);
        if is_new {
            modules.add(executable_number);
        } else {
            modules.link(executable_number);
        }
        let mut hasher = DefaultHasher::new();
        match self.definitions.content(key) {
            Some(content) => content.hash(&mut hasher),
            None => key.hash(&mut hasher),
        }
        let name = self.definitions.name(session, executable, ordinal);
        let place = name.and_then(parts).map(|(function, nth)| {
            let next = narrow(self.exported.len());
            Place {
                function: Some(*self.exported.entry(function.to_owned()).or_insert(next)),
                is_initializer: is_initializer(function),
                first: nth,
                last: nth,
            }
        });
        let content = hasher.finish();
        let (load, last) = self.loads.entry(content).or_insert((0, executable_number));
        if *last != executable_number {
            (*load, *last) = (*load + 1, executable_number);
        }
        Function {
            content,
            executable: executable_number,
            load: *load,
            place: place.unwrap_or(Place::UNKNOWN),
        }
    }
}
