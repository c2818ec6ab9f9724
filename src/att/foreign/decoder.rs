//! The decoder of traces in `librocprofiler-sdk`.
#![expect(unsafe_code, reason = "a library in C is called")]

use std::ffi::{CString, c_char, c_void};
use std::path::{Path, PathBuf};

use libloading::Library as Loaded;

use super::library::{SUCCESS, array, function, load, path_of, text};
use crate::error::{AttError, WITHOUT};
use crate::rocm::{self, Chosen, TRACE_DECODER};

/// A place in a code object; all zeros if it is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(C)]
pub struct Pc {
    pub address: u64,
    pub code_object: u64,
}

/// One execution of an instruction by a wave.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Instruction {
    /// The category in the lowest eight bits, the stall in the others.
    bits: u32,
    pub duration: i32,
    pub time: i64,
    pub pc: Pc,
}

impl Instruction {
    pub const fn category(&self) -> u8 {
        (self.bits & 0xff) as u8
    }

    pub const fn stall(&self) -> u32 {
        self.bits >> 8
    }
}

/// A span of a wave in one state.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct State {
    pub state: i32,
    pub duration: i32,
}

/// What one wave did. Only the library creates it.
#[derive(Debug)]
#[repr(C)]
pub struct Wave {
    pub cu: u8,
    pub simd: u8,
    pub slot: u8,
    pub contexts: u8,
    reserved: [u32; 3],
    pub begin: i64,
    pub end: i64,
    state_count: u64,
    instruction_count: u64,
    states: *const State,
    instructions: *const Instruction,
}

impl Wave {
    pub fn states(&self) -> &[State] {
        // SAFETY: the library fills an array of this length, and keeps it as long as the wave.
        unsafe { array(self.states, self.state_count) }
    }

    pub fn instructions(&self) -> &[Instruction] {
        // SAFETY: as above.
        unsafe { array(self.instructions, self.instruction_count) }
    }
}

/// The start or the end of a wave.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Occupancy {
    pub pc: Pc,
    pub time: u64,
    reserved: u8,
    pub cu: u8,
    pub simd: u8,
    pub slot: u8,
    /// 1 in the lowest bit at the start.
    bits: u32,
}

impl Occupancy {
    pub const fn is_start(&self) -> bool {
        self.bits & 1 == 1
    }
}

/// The shader clock and the real-time clock of the GPU at the same moment.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Clock {
    pub shader: i64,
    pub realtime: u64,
    reserved: u64,
}

/// What the decoder found, in parts.
#[derive(Debug)]
pub enum Records<'a> {
    /// The major version of the GPU's graphics core.
    Gfxip(u64),
    Occupancy(&'a [Occupancy]),
    Waves(&'a [Wave]),
    /// Kinds of what went wrong.
    Info(&'a [u32]),
    Clocks(&'a [Clock]),
    /// The frequency of the real-time clock in hertz.
    Frequency(u64),
    Other,
}

type Create = unsafe extern "C" fn(*mut u64, *const c_char) -> i32;
type Destroy = unsafe extern "C" fn(u64);
type LoadCodeObject = unsafe extern "C" fn(u64, u64, u64, u64, *const c_void, u64) -> i32;
type Take = unsafe extern "C" fn(u32, *mut c_void, u64, *mut c_void);
type Decode = unsafe extern "C" fn(u64, Take, *mut c_void, u64, *mut c_void) -> i32;
type InfoString = unsafe extern "C" fn(u64, u32) -> *const c_char;

/// A decoder of traces, and the library that has it.
pub struct Decoder {
    handle: u64,
    destroy: Destroy,
    load_code_object: LoadCodeObject,
    decode: Decode,
    info_string: InfoString,
    pub path: PathBuf,
    _library: Loaded,
}

/// What receives the records of a trace.
type Receive<'a> = &'a mut dyn FnMut(Records<'_>);

impl Decoder {
    /// Loads the library and creates a decoder.
    pub fn new(chosen: Option<&Chosen>) -> Result<Self, AttError> {
        let (library, path) = load(&rocm::ROCPROFILER, chosen)?;
        // SAFETY: the types are those of rocprofiler-sdk's headers; the functions are kept with the library.
        let (create, destroy, load_code_object, decode, info_string) = unsafe {
            (
                function::<Create>(&library, &path, "rocprofiler_thread_trace_decoder_create")?,
                function::<Destroy>(&library, &path, "rocprofiler_thread_trace_decoder_destroy")?,
                function::<LoadCodeObject>(
                    &library,
                    &path,
                    "rocprofiler_thread_trace_decoder_codeobj_load",
                )?,
                function::<Decode>(&library, &path, "rocprofiler_trace_decode")?,
                function::<InfoString>(
                    &library,
                    &path,
                    "rocprofiler_thread_trace_decoder_info_string",
                )?,
            )
        };
        let path = path_of(decode as *const c_void, &path);
        let folder = path.parent().unwrap_or(Path::new("."));
        let name = CString::new(folder.as_os_str().as_encoded_bytes()).unwrap_or_default();
        let mut handle = 0;
        // SAFETY: the handle is written, and the name ends with a zero.
        let status = unsafe { create(&raw mut handle, name.as_ptr()) };
        let decoder = Self {
            handle,
            destroy,
            load_code_object,
            decode,
            info_string,
            path: path.clone(),
            _library: library,
        };
        match decoder.check(status, "rocprofiler_thread_trace_decoder_create") {
            Err(AttError::Failed(what)) if !folder.join(TRACE_DECODER).exists() => {
                Err(AttError::Lacking(format!(
                    "{what}: it needs {TRACE_DECODER} beside it, which https://github.com/ROCm/rocprof-trace-decoder has. {WITHOUT}"
                )))
            }
            done => done.map(|()| decoder),
        }
    }

    /// Tells the decoder of an image, which must be kept until the decoder is dropped, and where it was loaded.
    pub fn load(&self, id: u64, address: u64, size: u64, image: &[u8]) -> Result<(), AttError> {
        let (data, length) = (image.as_ptr().cast(), image.len() as u64);
        // SAFETY: the library reads the image.
        let status =
            unsafe { (self.load_code_object)(self.handle, id, address, size, data, length) };
        self.check(status, "rocprofiler_thread_trace_decoder_codeobj_load")
    }

    /// Decodes a trace, and passes on what is found.
    pub fn decode(&self, trace: &mut [u8], mut receive: Receive<'_>) -> Result<(), AttError> {
        let (data, length) = (trace.as_mut_ptr().cast(), trace.len() as u64);
        let user = (&raw mut receive).cast();
        // SAFETY: the library reads the trace, and calls `take` with `user` until it returns.
        let status = unsafe { (self.decode)(self.handle, take, data, length, user) };
        self.check(status, "rocprofiler_trace_decode")
    }

    /// Returns what the library says of a kind of [`Records::Info`].
    pub fn info(&self, kind: u32) -> String {
        // SAFETY: the library returns a constant, or null.
        unsafe { text((self.info_string)(self.handle, kind)) }
    }

    fn check(&self, status: i32, what: &str) -> Result<(), AttError> {
        if status == SUCCESS {
            return Ok(());
        }
        let path = self.path.display();
        Err(AttError::Failed(format!("{what} failed with rocprofiler status {status} (in {path})")))
    }
}

impl Drop for Decoder {
    fn drop(&mut self) {
        if self.handle != 0 {
            // SAFETY: the handle was created, and is used no more.
            unsafe { (self.destroy)(self.handle) }
        }
    }
}

/// Passes records of the library on.
unsafe extern "C" fn take(kind: u32, records: *mut c_void, count: u64, user: *mut c_void) {
    // SAFETY: `Decoder::decode` passes this pointer, and the library returns before it ends.
    let Some(receive) = (unsafe { user.cast::<Receive<'_>>().as_mut() }) else { return };
    // SAFETY: the kind tells the type of the records.
    let found = unsafe {
        match kind {
            // The value is passed in place of the address.
            0 => Records::Gfxip(records as u64),
            1 => Records::Occupancy(array(records.cast(), count)),
            3 => Records::Waves(array(records.cast(), count)),
            4 => Records::Info(array(records.cast(), count)),
            7 => Records::Clocks(array(records.cast(), count)),
            8 => array::<u64>(records.cast(), count)
                .first()
                .map_or(Records::Other, |frequency| Records::Frequency(*frequency)),
            _ => Records::Other,
        }
    };
    receive(found);
}
