//! Stands in for `librocprofiler-sdk.so`: decodes traces that are text. Each line says what to report or to do:
//!
//! ```text
//! gfxip VERSION
//! occupancy TIME CU SIMD SLOT START ADDRESS CODE-OBJECT
//! wave CU SIMD SLOT BEGIN END           a wave, of which the next lines tell
//! state STATE DURATION
//! run CATEGORY STALL DURATION TIME ADDRESS CODE-OBJECT
//! loads                                 a wave that runs an instruction for each code object that was loaded
//! many COUNT                            a wave that runs COUNT instructions at a thousand addresses
//! info KIND
//! clock SHADER REALTIME
//! frequency HERTZ
//! unknown                               records of an unknown kind
//! print TEXT                            on standard output and standard error
//! status NUMBER, crash, hang, exit NUMBER
//! ```
//!
//! `STAND_IN_CREATE` and `STAND_IN_LOAD` are the statuses of creating a decoder and of loading a code object.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::io::Write;
use std::ptr::{null, null_mut};

#[repr(C)]
#[derive(Clone, Copy)]
struct Pc(u64, u64);

#[repr(C)]
#[derive(Clone, Copy)]
struct Instruction {
    bits: u32,
    duration: i32,
    time: i64,
    pc: Pc,
}

#[repr(C)]
struct State(i32, i32);

#[repr(C)]
struct Wave {
    place: [u8; 4],
    reserved: [u32; 3],
    begin: i64,
    end: i64,
    state_count: u64,
    instruction_count: u64,
    states: *const State,
    instructions: *const Instruction,
}

#[repr(C)]
struct Occupancy {
    pc: Pc,
    time: u64,
    place: [u8; 4],
    start: u32,
}

#[repr(C)]
struct Clock {
    shader: i64,
    realtime: u64,
    reserved: u64,
}

/// A wave with its arrays.
#[derive(Default)]
struct Owned {
    place: [u8; 4],
    begin: i64,
    end: i64,
    states: Vec<State>,
    instructions: Vec<Instruction>,
}

type Take = unsafe extern "C" fn(u32, *mut c_void, u64, *mut c_void);

/// A code object that was loaded: id, address, size, its first byte and its length.
type Loaded = (u64, u64, u64, u8, u64);

thread_local! {
    static LOADED: RefCell<Vec<Loaded>> = const { RefCell::new(Vec::new()) };
}

fn status(variable: &str) -> i32 {
    std::env::var(variable).ok().and_then(|it| it.parse().ok()).unwrap_or(0)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rocprofiler_thread_trace_decoder_create(id: *mut u64, folder: *const c_char) -> i32 {
    let folder = unsafe { CStr::from_ptr(folder) }.to_str().unwrap();
    assert!(std::path::Path::new(folder).join("librocprofiler-sdk.so").exists(), "{folder}");
    unsafe { *id = 77 };
    status("STAND_IN_CREATE")
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rocprofiler_thread_trace_decoder_destroy(id: u64) {
    assert_eq!(id, 77);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rocprofiler_thread_trace_decoder_codeobj_load(
    id: u64,
    load: u64,
    address: u64,
    size: u64,
    data: *const u8,
    length: u64,
) -> i32 {
    assert_eq!(id, 77);
    let first = if length == 0 { 0 } else { unsafe { *data } };
    LOADED.with_borrow_mut(|all| all.push((load, address, size, first, length)));
    status("STAND_IN_LOAD")
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rocprofiler_thread_trace_decoder_info_string(_: u64, info: u32) -> *const c_char {
    match info {
        1 => c"Data was lost.".as_ptr(),
        2 => c"Stitching is incomplete.".as_ptr(),
        _ => null(),
    }
}

fn send(take: Take, user: *mut c_void, waves: &mut Vec<Owned>) {
    if waves.is_empty() {
        return;
    }
    let mut sent: Vec<Wave> = waves
        .iter()
        .map(|wave| Wave {
            place: wave.place,
            reserved: [0; 3],
            begin: wave.begin,
            end: wave.end,
            state_count: wave.states.len() as u64,
            instruction_count: wave.instructions.len() as u64,
            states: if wave.states.is_empty() { null() } else { wave.states.as_ptr() },
            instructions: if wave.instructions.is_empty() { null() } else { wave.instructions.as_ptr() },
        })
        .collect();
    unsafe { take(3, sent.as_mut_ptr().cast(), sent.len() as u64, user) };
    waves.clear();
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rocprofiler_trace_decode(
    id: u64,
    take: Take,
    data: *const u8,
    length: u64,
    user: *mut c_void,
) -> i32 {
    assert_eq!(id, 77);
    let bytes = unsafe { std::slice::from_raw_parts(data, length as usize) };
    let mut waves = Vec::new();
    for line in String::from_utf8_lossy(bytes).lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let numbers: Vec<i128> = rest.split(' ').filter_map(|word| word.parse().ok()).collect();
        if !matches!(word, "wave" | "state" | "run") {
            send(take, user, &mut waves);
        }
        match (word, numbers.as_slice()) {
            ("gfxip", [version]) => unsafe { take(0, *version as usize as *mut c_void, 1, user) },
            ("occupancy", [time, cu, simd, slot, start, address, object]) => {
                let mut change = Occupancy {
                    pc: Pc(*address as u64, *object as u64),
                    time: *time as u64,
                    place: [0, *cu as u8, *simd as u8, *slot as u8],
                    start: *start as u32,
                };
                unsafe { take(1, (&raw mut change).cast(), 1, user) }
            }
            ("wave", [cu, simd, slot, begin, end]) => waves.push(Owned {
                place: [*cu as u8, *simd as u8, *slot as u8, 0],
                begin: *begin as i64,
                end: *end as i64,
                ..Owned::default()
            }),
            ("state", [state, duration]) => {
                waves.last_mut().unwrap().states.push(State(*state as i32, *duration as i32));
            }
            ("run", [category, stall, duration, time, address, object]) => {
                waves.last_mut().unwrap().instructions.push(Instruction {
                    bits: *category as u32 | (*stall as u32) << 8,
                    duration: *duration as i32,
                    time: *time as i64,
                    pc: Pc(*address as u64, *object as u64),
                });
            }
            ("loads", _) => waves.push(Owned {
                instructions: LOADED.with_borrow(|all| {
                    all.iter()
                        .map(|(id, address, size, first, length)| Instruction {
                            bits: 1 | (*length as u32) << 8,
                            duration: *size as i32,
                            time: i64::from(*first),
                            pc: Pc(*address, *id),
                        })
                        .collect()
                }),
                ..Owned::default()
            }),
            ("many", [count]) => waves.push(Owned {
                instructions: (0..*count)
                    .map(|nth| Instruction {
                        bits: 6 | 2 << 8,
                        duration: 5,
                        time: nth as i64,
                        pc: Pc(4096 + 4 * (nth % 1000) as u64, 3),
                    })
                    .collect(),
                ..Owned::default()
            }),
            ("info", [kind]) => {
                let mut kind = *kind as u32;
                unsafe { take(4, (&raw mut kind).cast(), 1, user) }
            }
            ("clock", [shader, realtime]) => {
                let mut clock =
                    Clock { shader: *shader as i64, realtime: *realtime as u64, reserved: 0 };
                unsafe { take(7, (&raw mut clock).cast(), 1, user) }
            }
            ("frequency", [hertz]) => {
                let mut hertz = *hertz as u64;
                unsafe { take(8, (&raw mut hertz).cast(), 1, user) }
            }
            ("unknown", _) => unsafe { take(9, null_mut(), 3, user) },
            ("print", _) => {
                println!("{rest}");
                let _ = std::io::stdout().flush();
                eprintln!("{rest}");
            }
            ("status", [number]) => return *number as i32,
            ("crash", _) => unsafe { std::ptr::write_volatile(8 as *mut u8, 1) },
            ("hang", _) => loop {
                std::thread::sleep(std::time::Duration::from_secs(1));
            },
            ("exit", [number]) => std::process::exit(*number as i32),
            _ => panic!("what is {line}?"),
        }
    }
    send(take, user, &mut waves);
    0
}
