//! Plays calls of random programs on a simulated machine.

use super::random::Random;
use super::random_program::{Calling, Driver, Function, LIBRARY, Part, Scene, Work};
use super::recorded_calls::{Dispatch, Operation, Record};

/// What was played: the bundle, and the call of each dispatch that it has.
#[derive(Debug)]
pub struct Played {
    pub bytes: Vec<u8>,
    /// `None` for what loading a module dispatched.
    pub calls: Vec<Option<usize>>,
    /// The submission of each: session, whether the device timed it, device, queue, stream and id.
    pub submissions: Vec<[u64; 6]>,
}

/// Plays a scene.
pub fn play(scene: &Scene, random: &mut Random) -> Played {
    let mut machine = Machine::new(scene, random);
    let times = if let Calling::Replayed(times) = scene.calling { times } else { 1 };
    for time in 0..times {
        machine.replay = time;
        if scene.initializes {
            machine.initialize();
        }
        machine.call_all();
    }
    machine.recorded()
}

/// Types of queue operations.
const EXECUTE: i128 = 3;
const ALLOCA: i128 = 9;
const DEALLOCA: i128 = 10;
const BARRIER: i128 = 1;

/// Bytes of tensors, and of values that the host reads.
const LARGE: i128 = 16_384;
const SMALL: i128 = 4;

struct Machine<'a> {
    scene: &'a Scene,
    random: &'a mut Random,
    replay: usize,
    call: Option<usize>,
    count: usize,
    time: i64,
    /// How long the host takes for an operation, and between calls, as a multiple of it.
    pace: i64,
    pause: i64,
    /// How long a dispatch takes.
    length: i64,
    /// When each queue of each device has done all that it was given.
    free: [[i64; 2]; 2],
    submissions: [[u64; 2]; 2],
    allocations: i128,
    operations: Vec<Operation>,
    dispatches: Vec<Dispatch>,
    /// When the last submission of the call ends.
    end: i64,
    /// Whether a call of each function has left a state.
    states: [bool; 3],
    /// Whether something of the call can be waited for.
    has_begun: bool,
}

impl<'a> Machine<'a> {
    fn new(scene: &'a Scene, random: &'a mut Random) -> Self {
        let length = [3_000, 30_000, 300_000][random.below(3)];
        let pause = 18 + drawn(random, 60);
        let pace = 800 + drawn(random, 2_000);
        Self {
            scene,
            random,
            replay: 0,
            call: None,
            count: 0,
            time: 1_000_000,
            pace,
            pause,
            length,
            free: [[0; 2]; 2],
            submissions: [[0; 2]; 2],
            allocations: 0,
            operations: Vec::new(),
            dispatches: Vec::new(),
            end: 0,
            states: [false; 3],
            has_begun: false,
        }
    }

    /// Lets the host work for about as many tenths of an operation. Sometimes, something else is in its way.
    fn pass(&mut self, tenths: i64) {
        let usual = self.pace * tenths / 10;
        self.time += usual + drawn(self.random, usual / 2 + 1);
        if self.random.below(100) < 8 {
            self.time += drawn(self.random, 20_000);
        }
    }

    fn wait_until(&mut self, end: i64) {
        if self.time < end {
            self.time = end + 2_000 + drawn(self.random, 10_000);
        }
    }

    fn initialize(&mut self) {
        self.call = None;
        self.has_begun = false;
        let work = Work {
            dispatches: vec![0],
            device: 0,
            queue: 0,
            is_first: true,
            is_read: false,
            allocates: false,
            releases: false,
        };
        self.work(usize::MAX, &work, false);
        self.wait_until(self.end);
    }

    fn call_all(&mut self) {
        let length = match self.scene.calling {
            Calling::Batches(length) | Calling::SideBySide(length) => length,
            Calling::Plain | Calling::Replayed(_) => 1,
        };
        let order = &self.scene.order;
        for batch in order.chunks(length) {
            for (nth, function) in batch.iter().enumerate() {
                let pause = if nth > 0 { self.pause } else { 100 };
                self.pass(pause);
                let is_chained = nth > 0 && matches!(self.scene.calling, Calling::Batches(_));
                self.call(*function, is_chained);
            }
            self.wait_until(self.free.into_iter().flatten().max().unwrap_or_default());
        }
    }

    fn call(&mut self, nth: usize, is_chained: bool) {
        let function: &'a Function = &self.scene.functions[nth];
        self.call = Some(self.count);
        self.count += 1;
        self.has_begun = is_chained || function.has_state && self.states[nth];
        self.states[nth] = function.has_state;
        if function.reads_first {
            self.read([0; 2], self.has_begun);
        }
        let spanning = function.spans.then(|| self.allocate([0; 2], self.has_begun, LARGE));
        for part in &function.body {
            match part {
                Part::Work(work) => self.work(nth, work, is_chained),
                Part::Call(work) => {
                    // Modules that call each other wait for what was given to them.
                    self.pass(40);
                    self.wait_until(self.end);
                    self.work(LIBRARY, work, false);
                    self.pass(40);
                    self.wait_until(self.end);
                    self.has_begun = false;
                }
                Part::Branch(one, other) => {
                    let work = if self.random.below(2) == 0 { one } else { other };
                    self.work(nth, work, is_chained);
                }
                Part::Loop { body, turns, varies } => {
                    let turns = if *varies { 1 + self.random.below(*turns) } else { *turns };
                    for turn in 0..turns {
                        for work in body {
                            // A turn depends on the one before.
                            let is_first = work.is_first && turn == 0;
                            self.work(nth, &Work { is_first, ..work.clone() }, is_chained);
                        }
                    }
                }
            }
        }
        if let Some(allocation) = spanning {
            self.release([0; 2], allocation);
        }
    }

    fn operate(
        &mut self,
        kind: i128,
        on: [usize; 2],
        waits: i128,
        [allocation, length]: [i128; 2],
    ) -> u64 {
        self.pass(10);
        let count = &mut self.submissions[on[0]][on[1]];
        *count += 1;
        let (time, submission) = (self.time, *count);
        let operation = Operation { time, kind, on, submission, waits, allocation, length };
        self.operations.push(operation);
        submission
    }

    fn allocate(&mut self, on: [usize; 2], waits: bool, length: i128) -> i128 {
        self.allocations += 1;
        let is_known = self.scene.driver != Driver::Sync;
        let allocation = if is_known { self.allocations } else { 0 };
        self.operate(ALLOCA, on, waits.into(), [allocation, length]);
        allocation
    }

    /// Copies a value, and waits for it.
    fn read(&mut self, on: [usize; 2], waits: bool) {
        self.allocate(on, waits, SMALL);
        self.operate(EXECUTE, on, 1, [0; 2]);
        self.pass(20);
        self.wait_until(self.end);
    }

    fn release(&mut self, on: [usize; 2], allocation: i128) {
        let kind = if self.scene.driver == Driver::Sync { BARRIER } else { DEALLOCA };
        self.operate(kind, on, 1, [allocation, 0]);
    }

    fn work(&mut self, function: usize, work: &Work, is_chained: bool) {
        // What depends on the inputs waits only for what the caller chains it to.
        let waits = self.has_begun && (!work.is_first || is_chained || self.is_inside(function));
        let on = [work.device, work.queue];
        let allocated: Vec<i128> = if work.allocates {
            let count = 1 + usize::from(work.releases);
            (0..count).map(|_| self.allocate(on, waits, LARGE)).collect()
        } else {
            Vec::new()
        };
        if work.is_read && !self.scene.copies {
            self.allocate(on, waits, SMALL);
        }
        let count = allocated.len().max(usize::from(waits)) as i128;
        let submission = self.operate(EXECUTE, on, count, [0; 2]);
        self.execute(function, work, submission);
        if work.releases {
            self.release(on, *allocated.last().unwrap_or(&0));
        }
        self.has_begun = true;
        if work.is_read && self.scene.copies {
            self.read(on, true);
        } else if work.is_read {
            self.pass(20);
            self.wait_until(self.end);
        }
    }

    /// Whether a function has a state that its first submissions wait for.
    fn is_inside(&self, function: usize) -> bool {
        self.scene.functions.get(function).is_some_and(|function| function.has_state)
    }

    fn execute(&mut self, function: usize, work: &Work, submission: u64) {
        let on = [work.device, work.queue];
        let ready = if work.is_first { 0 } else { self.end };
        let mut at = self.free[on[0]][on[1]].max(self.time + 1_000).max(ready);
        let first = work.dispatches.first().copied().unwrap_or_default();
        let buffer = if self.scene.keeps_buffers {
            1 + i128::from(first)
                + 100 * (1 + function as i128 % 100)
                + 100_000 * self.replay as i128
        } else {
            1 + self.dispatches.len() as i128
        };
        for number in &work.dispatches {
            let length = self.length / 2 + drawn(self.random, self.length);
            self.dispatches.push(Dispatch {
                on,
                submission,
                buffer,
                function,
                number: *number,
                replay: self.replay,
                start: at,
                end: at + length,
                call: self.call,
            });
            at += length + 500;
        }
        (self.free[on[0]][on[1]], self.end) = (at, at);
        if self.scene.driver == Driver::Sync {
            self.time = self.time.max(at);
        }
    }

    fn recorded(mut self) -> Played {
        let [operations, dispatches] = [self.operations.len(), self.dispatches.len()];
        let kept = |all: usize, lost: Option<usize>| lost.map_or(all, |kept| all * kept / 100);
        let operations = kept(operations, self.scene.lost[0]);
        let dispatches = kept(dispatches, self.scene.lost[1]);
        self.operations.truncate(if self.scene.has_queue_events { operations } else { 0 });
        self.dispatches.truncate(dispatches);
        let calls = self.dispatches.iter().map(|dispatch| dispatch.call).collect();
        let on_device = u64::from(self.scene.driver == Driver::Gpu);
        let submission = |it: &Dispatch| {
            let [device, queue] = it.on.map(|it| it as u64);
            [1, on_device, device, queue, 10 * device + queue, it.submission]
        };
        let submissions = self.dispatches.iter().map(submission).collect();
        let (operations, dispatches) = (&self.operations, &self.dispatches);
        let bytes = Record { scene: self.scene, operations, dispatches }.bundle();
        Played { bytes, calls, submissions }
    }
}

/// Draws a number below `limit`.
fn drawn(random: &mut Random, limit: i64) -> i64 {
    let limit = limit.try_into().expect("it is not negative");
    random.below(limit).try_into().expect("it is small")
}
