//! Stands in for `libamd_comgr.so`: an instruction is a byte `B`, and its text a tab and `op_B` in hexadecimal. The byte 255
//! is no instruction. `STAND_IN_COMGR=FUNCTION:STATUS` lets a function fail.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};

type ReadMemory = unsafe extern "C" fn(u64, *mut c_char, u64, *mut c_void) -> u64;
type Print = unsafe extern "C" fn(*const c_char, *mut c_void);
type PrintAddress = unsafe extern "C" fn(u64, *mut c_void);

thread_local! {
    static CALLBACKS: RefCell<Option<(ReadMemory, Print, PrintAddress)>> = const { RefCell::new(None) };
}

fn status(function: &str) -> i32 {
    let given = std::env::var("STAND_IN_COMGR").unwrap_or_default();
    let given = given.split_once(':').filter(|(name, _)| *name == function);
    given.and_then(|(_, status)| status.parse().ok()).unwrap_or(0)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn amd_comgr_status_string(status: i32, text: *mut *const c_char) -> i32 {
    let name = match status {
        1 => c"ERROR",
        2 => c"ERROR_INVALID_ARGUMENT",
        3 => c"ERROR_OUT_OF_RESOURCES",
        _ => return 2,
    };
    unsafe { *text = name.as_ptr() };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn amd_comgr_create_data(kind: i32, data: *mut u64) -> i32 {
    assert_eq!(kind, 8);
    unsafe { *data = 5 };
    status("create_data")
}

#[unsafe(no_mangle)]
extern "C" fn amd_comgr_release_data(data: u64) -> i32 {
    assert_eq!(data, 5);
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn amd_comgr_set_data(data: u64, _: usize, _: *const c_char) -> i32 {
    assert_eq!(data, 5);
    status("set_data")
}

#[unsafe(no_mangle)]
unsafe extern "C" fn amd_comgr_get_data_isa_name(data: u64, size: *mut usize, name: *mut c_char) -> i32 {
    assert_eq!(data, 5);
    let isa = c"amdgcn-amd-amdhsa--gfx90a".to_bytes_with_nul();
    unsafe {
        assert!(*size >= isa.len());
        *size = isa.len();
        name.copy_from_nonoverlapping(isa.as_ptr().cast(), isa.len());
    }
    status("get_data_isa_name")
}

#[unsafe(no_mangle)]
unsafe extern "C" fn amd_comgr_create_disassembly_info(
    isa: *const c_char,
    read: ReadMemory,
    print: Print,
    annotate: PrintAddress,
    info: *mut u64,
) -> i32 {
    assert_eq!(unsafe { CStr::from_ptr(isa) }, c"amdgcn-amd-amdhsa--gfx90a");
    CALLBACKS.set(Some((read, print, annotate)));
    unsafe { *info = 6 };
    status("create_disassembly_info")
}

#[unsafe(no_mangle)]
extern "C" fn amd_comgr_destroy_disassembly_info(info: u64) -> i32 {
    assert_eq!(info, 6);
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn amd_comgr_disassemble_instruction(
    info: u64,
    address: u64,
    user: *mut c_void,
    size: *mut u64,
) -> i32 {
    assert_eq!(info, 6);
    let (read, print, annotate) = CALLBACKS.with_borrow(|callbacks| callbacks.unwrap());
    let mut bytes = [0_u8; 16];
    let count = unsafe { read(address, bytes.as_mut_ptr().cast(), 16, user) };
    assert_eq!(unsafe { read(address + 1000, bytes[8..].as_mut_ptr().cast(), 8, user) }, 0);
    assert_eq!(unsafe { read(address - 1, bytes[8..].as_mut_ptr().cast(), 8, user) }, 0);
    if count == 0 || bytes[0] == 255 {
        return 1;
    }
    let text = CString::new(format!("\top_{:x}", bytes[0])).unwrap();
    unsafe {
        annotate(address, user);
        print(text.as_ptr(), user);
        *size = 1;
    }
    status("disassemble_instruction")
}
