//! Symbols that the link may or may not have: their addresses, 0 when absent.
//!
//! A data word per symbol, so that the weak reference exists in one object alone; stable Rust has no weak
//! linkage of its own. `.weakref` and not `.weak`: the pass merges this assembly into the module where it
//! defines `concord_build_info`, and there `.weak` would conflict with the definition's own binding.

use std::arch::global_asm;

global_asm!(
    ".pushsection .data.rel.ro.concord_weak_addresses,\"aw\",@progbits",
    ".weakref concord_ref_cxa_get_globals, __cxa_get_globals",
    ".weakref concord_ref_build_info, concord_build_info",
    ".globl concord_weak_addresses",
    ".hidden concord_weak_addresses",
    ".type concord_weak_addresses,@object",
    ".p2align 3",
    "concord_weak_addresses:",
    ".quad concord_ref_cxa_get_globals",
    ".quad concord_ref_build_info",
    ".size concord_weak_addresses, 16",
    ".popsection",
);

unsafe extern "C" {
    static concord_weak_addresses: [usize; 2];
}

/// State of a thread's C++ exceptions (Itanium C++ ABI, section 2.2.2).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExceptionGlobals {
    caught: usize,
    uncaught: u32,
}

/// This thread's C++ exception state; `None` in a program without a C++ runtime.
pub(crate) fn exception_globals() -> Option<*mut ExceptionGlobals> {
    // SAFETY: the array above, filled by the linker and the loader before any code runs.
    let address = unsafe { concord_weak_addresses[0] };
    if address == 0 {
        return None;
    }
    // SAFETY: the symbol is the C++ runtime's `__cxa_eh_globals *__cxa_get_globals(void)`.
    let get: extern "C" fn() -> *mut ExceptionGlobals = unsafe { std::mem::transmute(address) };
    Some(get())
}

/// Bytes of the pass's build record, when this artefact has one.
pub(crate) fn build_info() -> Option<&'static [u8; size_of::<concord_abi::BuildInfo>()]> {
    // SAFETY: as above.
    let address = unsafe { concord_weak_addresses[1] };
    // SAFETY: the symbol, when defined, is a read-only `BuildInfo`, plain integers without padding.
    unsafe { (address as *const [u8; size_of::<concord_abi::BuildInfo>()]).as_ref() }
}
