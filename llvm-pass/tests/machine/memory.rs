//! Memory operations whose length the code does not know, for the tests of operations in pieces.

use std::ffi::{c_int, c_void};

unsafe extern "C" {
    fn memcmp(a: *const u8, b: *const u8, length: usize) -> c_int;
    fn bcmp(a: *const u8, b: *const u8, length: usize) -> c_int;
    fn memchr(a: *const u8, byte: c_int, length: usize) -> *const c_void;
}

/// # Safety
/// As for [`std::ptr::copy_nonoverlapping`].
#[unsafe(no_mangle)]
pub unsafe fn copy_bytes(to: *mut u8, from: *const u8, length: usize) {
    // SAFETY: by the caller's word.
    unsafe { std::ptr::copy_nonoverlapping(from, to, length) }
}

/// # Safety
/// As for [`std::ptr::copy`].
#[unsafe(no_mangle)]
pub unsafe fn move_bytes(to: *mut u8, from: *const u8, length: usize) {
    // SAFETY: by the caller's word.
    unsafe { std::ptr::copy(from, to, length) }
}

/// # Safety
/// As for [`std::ptr::write_bytes`].
#[unsafe(no_mangle)]
pub unsafe fn set_bytes(to: *mut u8, byte: u8, length: usize) {
    // SAFETY: by the caller's word.
    unsafe { std::ptr::write_bytes(to, byte, length) }
}

/// # Safety
/// Both are valid for reads of `length` bytes.
#[unsafe(no_mangle)]
pub unsafe fn compare_bytes(a: *const u8, b: *const u8, length: usize) -> i32 {
    // SAFETY: by the caller's word.
    unsafe { memcmp(a, b, length) }
}

/// # Safety
/// Both are valid for reads of `length` bytes.
#[unsafe(no_mangle)]
pub unsafe fn differ(a: *const u8, b: *const u8, length: usize) -> bool {
    // SAFETY: by the caller's word.
    unsafe { bcmp(a, b, length) != 0 }
}

/// # Safety
/// `a` is valid for reads of `length` bytes.
#[unsafe(no_mangle)]
pub unsafe fn find(a: *const u8, byte: u8, length: usize) -> *const u8 {
    // SAFETY: by the caller's word.
    unsafe { memchr(a, c_int::from(byte), length).cast() }
}

/// What loop idiom recognition makes a `memset`.
#[unsafe(no_mangle)]
pub fn clear(bytes: &mut [u8]) {
    for byte in bytes {
        *byte = 0;
    }
}

/// # Safety
/// Both are valid for 100,000 bytes.
#[unsafe(no_mangle)]
pub unsafe fn copy_constant(to: *mut u8, from: *const u8) {
    // SAFETY: by the caller's word.
    unsafe { std::ptr::copy_nonoverlapping(from, to, 100_000) }
}
