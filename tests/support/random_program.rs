//! Random programs, and ways to call and to record them, of which the calls are known.

use super::random::Random;

/// A part of the body of a function.
#[derive(Debug, Clone)]
pub enum Part {
    Work(Work),
    /// One of two works, as a value says; both may be the same.
    Branch(Work, Work),
    /// A body that is repeated: always as often, or up to so many times.
    Loop {
        body: Vec<Work>,
        turns: usize,
        varies: bool,
    },
    /// A function of another module.
    Call(Work),
}

/// Stands for the function of another module.
pub const LIBRARY: usize = usize::MAX - 1;

/// A submission.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is drawn on its own")]
pub struct Work {
    /// The numbers of its dispatches within the function.
    pub dispatches: Vec<u32>,
    pub device: usize,
    pub queue: usize,
    /// Whether it depends on nothing but the inputs of the function.
    pub is_first: bool,
    /// Whether the host reads a value of it back.
    pub is_read: bool,
    /// Whether it allocates memory, and releases some of it when it has ended.
    pub allocates: bool,
    pub releases: bool,
}

/// An exported function.
#[derive(Debug, Clone)]
pub struct Function {
    pub name: String,
    pub body: Vec<Part>,
    /// Whether something that it allocates first is released at its end.
    pub spans: bool,
    /// Whether it waits for its call before.
    pub has_state: bool,
    /// Whether the host reads a value first, such as a position that the call before has left.
    pub reads_first: bool,
}

impl Function {
    /// Lets the host wait for nothing: what reads a value cannot be chained.
    fn read_nothing(&mut self) {
        self.reads_first = false;
        for part in &mut self.body {
            match part {
                Part::Work(work) | Part::Call(work) => work.is_read = false,
                Part::Branch(one, other) => (one.is_read, other.is_read) = (false, false),
                Part::Loop { body, .. } => body.iter_mut().for_each(|work| work.is_read = false),
            }
        }
    }
}

/// What executes a program, and what it records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// A CPU, in the background.
    Task,
    /// A CPU, at once.
    Sync,
    /// A GPU, with an executable for each dispatch.
    Gpu,
}

/// How functions are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calling {
    /// One call after the other.
    Plain,
    /// Batches of calls that are chained by fences.
    Batches(usize),
    /// Batches of calls side by side.
    SideBySide(usize),
    /// The whole run is recorded and repeated, with new executables each time.
    Replayed(usize),
}

/// A program, and how it is called and recorded.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is drawn on its own")]
pub struct Scene {
    pub driver: Driver,
    pub functions: Vec<Function>,
    /// The function of each call.
    pub order: Vec<usize>,
    pub calling: Calling,
    /// Whether loading the module dispatches something.
    pub initializes: bool,
    pub has_names: bool,
    pub has_queue_events: bool,
    /// Whether values that the host reads are copied first.
    pub copies: bool,
    /// Whether command buffers are executed again in the next call, or recorded for each.
    pub keeps_buffers: bool,
    /// The percentage of the records of queue operations and of dispatches after which the others are lost.
    pub lost: [Option<usize>; 2],
}

fn chance(random: &mut Random, percent: usize) -> bool {
    random.below(100) < percent
}

/// Draws a scene.
pub fn scene(random: &mut Random) -> Scene {
    let driver =
        [Driver::Task, Driver::Task, Driver::Sync, Driver::Gpu, Driver::Gpu][random.below(5)];
    let devices = if chance(random, 20) { 2 } else { 1 };
    let count = if chance(random, 60) { 1 } else { 2 + random.below(2) };
    let mut functions: Vec<Function> =
        (0..count).map(|nth| function(random, nth, devices)).collect();
    let calling = match random.below(100) {
        0..70 => Calling::Plain,
        70..80 => Calling::Batches(2 + random.below(6)),
        80..92 => Calling::SideBySide(2 + random.below(3)),
        _ => Calling::Replayed(2 + random.below(4)),
    };
    if matches!(calling, Calling::Batches(_) | Calling::SideBySide(_)) {
        functions.iter_mut().for_each(Function::read_nothing);
    }
    Scene {
        driver,
        order: order(random, count, calling),
        functions,
        calling,
        initializes: chance(random, 15),
        has_names: chance(random, 85),
        has_queue_events: chance(random, 85),
        copies: chance(random, 70),
        keeps_buffers: chance(random, 60),
        lost: [12, 6].map(|percent| chance(random, percent).then(|| 30 + random.below(60))),
    }
}

/// Draws which functions are called: one after the other, in turns, or in any order.
fn order(random: &mut Random, functions: usize, calling: Calling) -> Vec<usize> {
    let calls = 3 + random.below(30);
    let kind = random.below(3);
    let mut order: Vec<usize> = (0..calls)
        .map(|nth| match kind {
            0 => nth * functions / calls,
            1 => nth % functions,
            _ => random.below(functions),
        })
        .collect();
    if let Calling::Batches(length) | Calling::SideBySide(length) = calling {
        // A batch calls one function.
        order.truncate(calls.div_ceil(length));
        order = order.into_iter().flat_map(|of| std::iter::repeat_n(of, length)).collect();
    }
    order
}

fn function(random: &mut Random, nth: usize, devices: usize) -> Function {
    let mut next = 0;
    let plain = chance(random, 12);
    let parts = 1 + if chance(random, 50) { 0 } else { random.below(4) };
    let mut body = Vec::new();
    for part in 0..parts {
        let is_first = part == 0;
        body.push(match random.below(20) {
            0..14 => Part::Work(work(random, &mut next, devices, is_first, plain)),
            14 => {
                // The numbers of its dispatches are its own.
                Part::Call(work(random, &mut 0, 1, true, plain))
            }
            15..17 => {
                let one = work(random, &mut next, devices, is_first, plain);
                let other = work(random, &mut next, devices, is_first, plain);
                Part::Branch(one, other)
            }
            _ => {
                let count = 1 + random.below(2);
                let body =
                    (0..count).map(|_| work(random, &mut next, devices, is_first, plain)).collect();
                Part::Loop { body, turns: 2 + random.below(7), varies: chance(random, 50) }
            }
        });
    }
    let has_state = chance(random, 10);
    Function {
        name: ["main", "second", "third"][nth].to_owned(),
        body,
        spans: !plain && chance(random, 40),
        has_state,
        reads_first: chance(random, if has_state { 50 } else { 4 }),
    }
}

fn work(random: &mut Random, next: &mut u32, devices: usize, is_first: bool, plain: bool) -> Work {
    let count = 1 + random.below(3) as u32;
    let dispatches = (*next..*next + count).collect();
    *next += count;
    Work {
        dispatches,
        device: random.below(devices),
        queue: usize::from(chance(random, 10)),
        is_first: is_first || chance(random, 3),
        is_read: chance(random, 12),
        allocates: !plain,
        releases: !plain && chance(random, 70),
    }
}
