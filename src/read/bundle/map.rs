//! Memory-maps files: one of the four places with `unsafe` code, which docs/architecture.md lists.
//!
//! If a file becomes shorter while it is mapped, reads beyond its new end raise SIGBUS. A handler replaces the lost
//! pages by zeros, so that the read returns, and marks the map. Within the last page there is no signal, so that
//! [`MappedFile::is_shorter`] also looks at the size of the file. The list of maps and the handler are the only state of
//! the process; what became of a file is known to its own [`MappedFile`].
#![expect(unsafe_code, reason = "mapping a file and handling its signal are unsafe")]

use std::fs::{File, Metadata};
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use memmap2::Mmap;
#[cfg(unix)]
use {
    super::limits::PARALLEL_UNMAPPING_BYTES,
    memmap2::{Advice, UncheckedAdvice},
    std::thread,
};

/// The memory-mapped bytes of a file.
#[derive(Debug)]
pub struct Map {
    bytes: Mmap,
    place: &'static Place,
    file: Arc<MappedFile>,
}

/// A file that is mapped, or was: knows whether it became shorter meanwhile.
#[derive(Debug)]
pub struct MappedFile {
    pub path: PathBuf,
    /// Its size when it was mapped.
    pub length: u64,
    identity: Option<Identity>,
    is_cut: AtomicBool,
    /// Where it is mapped; `None` once it is no longer.
    place: Mutex<Option<&'static Place>>,
}

impl Map {
    /// Maps `file` for reading, mostly from front to back. `path` names it in errors. `is_private` says that no other
    /// program can change it, so that no signal has to be handled.
    pub fn of(file: &File, path: &Path, is_private: bool) -> io::Result<Self> {
        #[cfg(unix)]
        if !is_private {
            signal::handle()?;
        }
        // SAFETY: the map is read-only, and its bytes are only read as plain integers and byte slices through checked
        // access. Another process may change the file, so that values differ from read to read; it may shorten it, for
        // which there is the handler of SIGBUS.
        let bytes = unsafe { Mmap::map(file) }?;
        // The advice increases read-ahead. Failure only costs speed.
        #[cfg(unix)]
        drop(bytes.advise(Advice::Sequential));
        let place = Place::take(&bytes);
        let file = Arc::new(MappedFile {
            path: path.to_owned(),
            length: bytes.len() as u64,
            identity: file.metadata().ok().as_ref().and_then(identity),
            is_cut: AtomicBool::new(false),
            place: Mutex::new(Some(place)),
        });
        Ok(Self { bytes, place, file })
    }

    /// Whether bytes were read that the file no longer has. Costs two loads.
    pub fn is_cut(&self) -> bool {
        self.place.is_cut.load(Ordering::Acquire) || self.file.is_cut.load(Ordering::Acquire)
    }

    /// Returns what is known of the file, beyond the life of the map.
    pub const fn file(&self) -> &Arc<MappedFile> {
        &self.file
    }

    /// Releases the pages of a range. A later read would load them from the file again.
    #[cfg(unix)]
    fn release(&self, start: usize, length: usize) {
        // SAFETY: the map is never written to, so that releasing pages loses no data.
        let released =
            unsafe { self.bytes.unchecked_advise_range(UncheckedAdvice::DontNeed, start, length) };
        // Failure only costs speed.
        drop(released);
    }
}

/// Makes sure that a map whose file becomes shorter does not end the process, also if others have installed a handler of
/// SIGBUS since it was made. Costs a system call.
pub fn guard_maps() -> io::Result<()> {
    #[cfg(unix)]
    signal::handle()?;
    Ok(())
}

impl MappedFile {
    /// Whether the file became shorter while it was mapped, or its storage failed. Looks at its size if it still is
    /// mapped. A file that was replaced by another is still whole.
    pub(crate) fn is_shorter(&self) -> bool {
        let place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = *place {
            self.compare(place);
        }
        self.is_cut.load(Ordering::Acquire)
    }

    fn compare(&self, place: &Place) {
        let is_less = || {
            let metadata = self.path.metadata().ok()?;
            Some(identity(&metadata) == Some(self.identity?) && metadata.len() < self.length)
        };
        if place.is_cut.load(Ordering::Acquire) || is_less() == Some(true) {
            self.is_cut.store(true, Ordering::Release);
        }
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        #[cfg(unix)]
        self.release_in_parallel();
        let mut place = self.file.place.lock().unwrap_or_else(PoisonError::into_inner);
        self.file.compare(self.place);
        *place = None;
        self.place.leave();
    }
}

#[cfg(unix)]
impl Map {
    /// Releases the pages of a large file with two threads. Unmapping them with one takes about a tenth of the time of
    /// reading them.
    fn release_in_parallel(&self) {
        // `madvise` needs a page-aligned start. A multiple of 2 MiB is aligned for all common page sizes.
        let half = ((self.bytes.len() / 2) >> 21) << 21;
        if half * 2 < PARALLEL_UNMAPPING_BYTES {
            return;
        }
        thread::scope(|scope| {
            let rest = || self.release(half, self.bytes.len() - half);
            if thread::Builder::new().spawn_scoped(scope, rest).is_ok() {
                self.release(0, half);
            }
        });
    }
}

/// Device and inode of a file.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(metadata: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    // A file without a name cannot be found again, and nothing else writes to it.
    (metadata.nlink() > 0).then(|| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_metadata: &Metadata) -> Option<Identity> {
    None
}

/// Where a file is mapped. Places form a list that only grows, so that the handler can walk it at any time; those of
/// dropped maps are used again.
///
/// Invariant: as long as `start` is an address, `length` is that of the map there. So the length is stored before the
/// start, and the start is removed first.
#[derive(Debug)]
struct Place {
    /// Address of the first byte; 0 for a free place, [`TAKEN`] for one that has no map yet.
    start: AtomicUsize,
    length: AtomicUsize,
    is_cut: AtomicBool,
    next: Option<&'static Self>,
}

const TAKEN: usize = 1;

static FIRST: AtomicPtr<Place> = AtomicPtr::new(std::ptr::null_mut());

/// Iterates over all places.
fn places() -> impl Iterator<Item = &'static Place> {
    // SAFETY: the pointer is null or comes from a leaked box, see `Place::added`.
    let first = unsafe { FIRST.load(Ordering::Acquire).as_ref() };
    std::iter::successors(first, |place| place.next)
}

impl Place {
    /// Enters a map.
    fn take(bytes: &[u8]) -> &'static Self {
        let free = places().find(|place| {
            let taken = place.start.compare_exchange(0, TAKEN, Ordering::AcqRel, Ordering::Relaxed);
            taken.is_ok()
        });
        let place = free.unwrap_or_else(Self::added);
        place.is_cut.store(false, Ordering::Release);
        place.length.store(bytes.len(), Ordering::Release);
        place.start.store(bytes.as_ptr().addr(), Ordering::Release);
        place
    }

    fn added() -> &'static Self {
        let next = places().next();
        let place = Box::leak(Box::new(Self {
            start: AtomicUsize::new(TAKEN),
            length: AtomicUsize::new(0),
            is_cut: AtomicBool::new(false),
            next,
        }));
        let before = next.map_or(std::ptr::null_mut(), |next| std::ptr::from_ref(next).cast_mut());
        match FIRST.compare_exchange(before, place, Ordering::AcqRel, Ordering::Relaxed) {
            Ok(_) => place,
            // Another thread has added one; this one stays unused.
            Err(_) => Self::added(),
        }
    }

    /// Removes the map, which is about to be unmapped.
    fn leave(&self) {
        self.start.store(0, Ordering::Release);
    }
}

#[cfg(unix)]
mod signal {
    use std::io;
    use std::mem::MaybeUninit;
    use std::ptr;
    use std::sync::atomic::{AtomicPtr, Ordering};
    use std::sync::{Mutex, PoisonError};

    use libc::{c_int, c_void, siginfo_t};

    use super::{TAKEN, places};

    /// A handler that this one has replaced.
    struct Before {
        action: libc::sigaction,
        page: usize,
        /// The one that it had replaced. There are several if others install theirs later and this one is installed again.
        earlier: *const Self,
    }

    /// What happens with a SIGBUS that is not about a map: what happened before. Null until the handler is installed.
    static BEFORE: AtomicPtr<Before> = AtomicPtr::new(ptr::null_mut());

    /// The handler that a fault was passed on to. One that sends the signal again, as that of Python's `faulthandler` does,
    /// has restored this one by then, and wants what was before it.
    static PASSED: AtomicPtr<Before> = AtomicPtr::new(ptr::null_mut());

    /// Installs the handler for the whole process, unless it is.
    pub fn handle() -> io::Result<()> {
        static ONE: Mutex<()> = Mutex::new(());
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut present = MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: the calls only read and write the given structures. The former action is known before the handler can run.
        unsafe {
            if libc::sigaction(libc::SIGBUS, ptr::null(), present.as_mut_ptr()) != 0 {
                return Err(io::Error::last_os_error());
            }
            let action = present.assume_init();
            if action.sa_sigaction == lost as *const () as usize {
                return Ok(());
            }
            let page = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).unwrap_or(4096);
            let earlier = BEFORE.load(Ordering::Acquire);
            let before = Box::leak(Box::new(Before { action, page, earlier }));
            BEFORE.store(before, Ordering::Release);
            let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            action.sa_sigaction = lost as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            if libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut()) != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    }

    /// The handler. It only loads and stores atomics and makes system calls, as handlers must.
    extern "C" fn lost(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        // SAFETY: a pointer that is not null comes from a leaked box.
        let Some(before) = (unsafe { BEFORE.load(Ordering::Acquire).as_ref() }) else { return };
        // SAFETY: the system passes a valid structure.
        let is_sent = unsafe { (*info).si_code } <= 0;
        if is_sent {
            // SAFETY: as above; the arguments are those of this signal.
            unsafe {
                let passed = PASSED.load(Ordering::Acquire).as_ref();
                let next = passed.map_or(ptr::from_ref(before), |passed| passed.earlier);
                return pass_on(next, signal, info, context);
            }
        }
        // SAFETY: the system passes a valid structure.
        let address = unsafe { (*info).si_addr() }.addr();
        let page = address & !(before.page - 1);
        let is_replaced = places().any(|place| {
            let start = place.start.load(Ordering::Acquire);
            let end = start.saturating_add(place.length.load(Ordering::Acquire));
            if start <= TAKEN || address < start || page >= end {
                return false;
            }
            place.is_cut.store(true, Ordering::Release);
            let (protection, flags) =
                (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED);
            let start = ptr::without_provenance_mut(page);
            // SAFETY: the range from the page to the end belongs to the map, which stays mapped as a whole.
            let zeros = unsafe { libc::mmap(start, end - page, protection, flags, -1, 0) };
            zeros != libc::MAP_FAILED
        });
        if !is_replaced {
            // SAFETY: the arguments are those of this signal.
            unsafe { pass_on(before, signal, info, context) };
        }
    }

    /// Does with a signal what would happen without this handler.
    ///
    /// # Safety
    ///
    /// The arguments are those of a handler, and the pointer is null or that of a leaked box.
    unsafe fn pass_on(
        before: *const Before,
        signal: c_int,
        info: *mut siginfo_t,
        context: *mut c_void,
    ) {
        // SAFETY: see above.
        let Some(Before { action, .. }) = (unsafe { before.as_ref() }) else {
            // SAFETY: both may be called in a handler. An access is repeated and meets the default action; what was sent is
            // sent again.
            unsafe {
                libc::signal(libc::SIGBUS, libc::SIG_DFL);
                libc::raise(signal);
            }
            return;
        };
        PASSED.store(before.cast_mut(), Ordering::Release);
        let handler = action.sa_sigaction;
        if matches!(handler, libc::SIG_DFL | libc::SIG_IGN) {
            // SAFETY: as above; this restores the action that was read before.
            unsafe {
                libc::sigaction(libc::SIGBUS, &raw const *action, ptr::null_mut());
                libc::raise(signal);
            }
        } else if action.sa_flags & libc::SA_SIGINFO == 0 {
            // SAFETY: a handler without SA_SIGINFO is a function of this type.
            let handler: extern "C" fn(c_int) = unsafe { std::mem::transmute(handler) };
            handler(signal);
        } else {
            // SAFETY: a handler with SA_SIGINFO is a function of this type.
            let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) =
                unsafe { std::mem::transmute(handler) };
            handler(signal, info, context);
        }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, ExitStatus};
    use std::{env, mem, ptr};

    use libc::{c_int, c_void, siginfo_t};

    use super::*;

    /// Names the case in the process that the test starts for it, as handlers belong to a process.
    const CASE: &str = "IREESCOPE_TEST_SIGNAL";

    /// The address that is no address of a [`Map`].
    static FOREIGN: AtomicUsize = AtomicUsize::new(0);

    extern "C" fn plain(_: c_int) {
        // SAFETY: ends the process.
        unsafe { libc::_exit(7) }
    }

    extern "C" fn informed(_: c_int, info: *mut siginfo_t, _: *mut c_void) {
        // SAFETY: the handler before this one passes a valid structure.
        let address = unsafe { (*info).si_addr() }.addr();
        // SAFETY: ends the process.
        unsafe { libc::_exit(if address == FOREIGN.load(Ordering::Acquire) { 8 } else { 9 }) }
    }

    /// What a handler that was installed later has replaced.
    static REPLACED: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());

    /// Restores what it has replaced, and sends the signal again, as the handler of Python's `faulthandler` does.
    extern "C" fn resending(signal: c_int) {
        // SAFETY: the pointer is set before this handler is installed; both functions may be called in a handler.
        unsafe {
            libc::sigaction(signal, REPLACED.load(Ordering::Acquire), ptr::null_mut());
            libc::raise(signal);
        }
    }

    /// Installs [`resending`] over the handler of this module, which is installed again.
    fn resend() {
        let replaced = Box::leak(Box::new(mem::MaybeUninit::<libc::sigaction>::uninit()));
        REPLACED.store(replaced.as_mut_ptr(), Ordering::Release);
        // SAFETY: zero is a valid value of each field, and the handler has the type that the flags say.
        let set = unsafe {
            let mut action: libc::sigaction = mem::zeroed();
            action.sa_sigaction = resending as *const () as usize;
            libc::sigaction(libc::SIGBUS, &raw const action, replaced.as_mut_ptr())
        };
        assert_eq!(set, 0);
        guard_maps().unwrap();
    }

    #[test]
    fn a_foreign_signal_goes_to_the_handler_before() {
        if let Ok(case) = env::var(CASE) {
            return fault(&case);
        }
        let ended = |case: &str| -> ExitStatus {
            let name = "bundle::map::tests::a_foreign_signal_goes_to_the_handler_before";
            let mut command = Command::new(env::args_os().next().unwrap());
            command.args([name, "--exact", "--nocapture"]).env(CASE, case).output().unwrap().status
        };
        assert_eq!(ended("plain").code(), Some(7));
        assert_eq!(ended("informed").code(), Some(8));
        for case in ["default", "none", "resending"] {
            assert_eq!(ended(case).signal(), Some(libc::SIGBUS), "{case}");
        }
    }

    /// Installs a handler, then maps two files, of which one is no [`Map`], and reads both once they are shorter.
    fn fault(case: &str) {
        // SAFETY: zero is a valid value of each field.
        let mut action: libc::sigaction = unsafe { mem::zeroed() };
        (action.sa_sigaction, action.sa_flags) = match case {
            "plain" => (plain as *const () as usize, 0),
            "informed" => (informed as *const () as usize, libc::SA_SIGINFO),
            _ => (libc::SIG_DFL, 0),
        };
        if !matches!(case, "none" | "resending") {
            // SAFETY: the handler has the type that the flags say.
            let set = unsafe { libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut()) };
            assert_eq!(set, 0);
        }
        let [known, foreign] = [(), ()].map(|()| {
            let file = tempfile::tempfile().unwrap();
            file.set_len(1 << 16).unwrap();
            file
        });
        let map = Map::of(&known, Path::new("known"), false).unwrap();
        // SAFETY: nothing else reads the file.
        let other = unsafe { Mmap::map(&foreign) }.unwrap();
        if case == "resending" {
            resend();
        }
        known.set_len(0).unwrap();
        foreign.set_len(0).unwrap();
        black_box(map[0]);
        assert!(map.is_cut());
        FOREIGN.store(other.as_ptr().addr(), Ordering::Release);
        black_box(other[0]);
    }
}
