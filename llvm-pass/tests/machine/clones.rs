//! What is cloned, and who asks for the clones.

use std::hint::black_box;

unsafe extern "C" {
    safe fn concord_second(function: *const ()) -> *const ();
}

#[unsafe(no_mangle)]
pub fn clone_of_total() -> *const () {
    concord_second(total as fn(&[u32]) -> u32 as *const ())
}

#[unsafe(no_mangle)]
pub fn clone_of_nothing_to_probe() -> *const () {
    concord_second(nothing_to_probe as fn(u32) -> u32 as *const ())
}

#[unsafe(no_mangle)]
pub fn total(values: &[u32]) -> u32 {
    vector_sum(values) ^ longest(black_box(27)) ^ fib(10) ^ nothing_to_probe(values.len() as u32)
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn vector_sum(values: &[u32]) -> u32 {
    values.iter().fold(0, |sum, value| sum.wrapping_add(*value))
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn longest(mut at: u32) -> u32 {
    let mut steps = 0;
    while at != 1 {
        at = if at % 2 == 0 { at / 2 } else { 3 * at + 1 };
        steps += 1;
    }
    steps
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn fib(n: u32) -> u32 {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn nothing_to_probe(value: u32) -> u32 {
    value.rotate_left(3) ^ 5
}
