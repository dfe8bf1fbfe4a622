//! Loops and calls of many shapes, for the tests of machine code.

use std::hint::black_box;

unsafe extern "C" {
    fn opaque(value: u64) -> u64;
}

#[unsafe(no_mangle)]
pub fn vector_sum(values: &[u32]) -> u32 {
    values.iter().fold(0, |sum, value| sum.wrapping_add(*value))
}

#[unsafe(no_mangle)]
pub fn vector_scale(values: &mut [f32], by: f32) {
    for value in values {
        *value *= by;
    }
}

#[unsafe(no_mangle)]
pub fn matrix_product(a: &[f64], b: &[f64], c: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..n {
            let mut sum = 0.0;
            for k in 0..n {
                sum += a[i * n + k] * b[k * n + j];
            }
            c[i * n + j] = sum;
        }
    }
}

#[unsafe(no_mangle)]
pub fn sieve(flags: &mut [bool]) -> usize {
    let mut count = 0;
    for at in 2..flags.len() {
        if !flags[at] {
            count += 1;
            let mut multiple = at * 2;
            while multiple < flags.len() {
                flags[multiple] = true;
                multiple += at;
            }
        }
    }
    count
}

#[unsafe(no_mangle)]
pub fn collatz(mut value: u64) -> u32 {
    let mut steps = 0;
    while value != 1 {
        steps += 1;
        if value % 2 == 0 {
            value /= 2;
            continue;
        }
        value = value * 3 + 1;
    }
    steps
}

#[unsafe(no_mangle)]
pub fn find_byte(bytes: &[u8], byte: u8) -> Option<usize> {
    bytes.iter().position(|other| *other == byte)
}

#[unsafe(no_mangle)]
pub fn interpret(code: &[u8]) -> i64 {
    let (mut at, mut value, mut fuel) = (0, 0i64, 1_000_000u32);
    while at < code.len() && fuel > 0 {
        fuel -= 1;
        match code[at] {
            0 => value += 1,
            1 => value -= 1,
            2 => value = value.wrapping_mul(3),
            3 => value ^= 0x55,
            4 if value > 0 => at = 0,
            5 => value = black_box(value),
            6 => value = value.rotate_left(3),
            7 => return value,
            _ => value = -value,
        }
        at += 1;
    }
    value
}

#[unsafe(no_mangle)]
pub fn fib(n: u64) -> u64 {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}

#[unsafe(no_mangle)]
pub fn is_even(n: u64) -> bool {
    n == 0 || is_odd(n - 1)
}

#[unsafe(no_mangle)]
pub fn is_odd(n: u64) -> bool {
    n != 0 && is_even(n - 1)
}

#[unsafe(no_mangle)]
pub fn calls_in_loop(count: u64) -> u64 {
    // SAFETY: the function exists to be unknown; the code never runs.
    (0..count).map(|value| unsafe { opaque(value) }).sum()
}

#[unsafe(no_mangle)]
pub fn calls_straight(value: u64) -> u64 {
    // SAFETY: as above.
    unsafe { opaque(opaque(value)) + 1 }
}

pub trait Shape {
    fn area(&self) -> f64;
}

#[unsafe(no_mangle)]
pub fn total_area(shapes: &[Box<dyn Shape>]) -> f64 {
    shapes.iter().map(|shape| shape.area()).sum()
}

#[unsafe(no_mangle)]
pub fn sort(values: &mut [u64]) {
    values.sort_unstable();
}

#[unsafe(no_mangle)]
pub fn collect(count: u32) -> Vec<String> {
    (0..count).map(|value| value.to_string()).collect()
}

#[unsafe(no_mangle)]
pub fn levenshtein(a: &[u8], b: &[u8], row: &mut [usize]) -> usize {
    for (j, cell) in row.iter_mut().enumerate() {
        *cell = j;
    }
    for i in 0..a.len() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for j in 0..b.len() {
            let substituted = diagonal + usize::from(a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[unsafe(no_mangle)]
pub fn atomic_or(word: &std::sync::atomic::AtomicU64, bits: u64) -> u64 {
    word.fetch_or(bits, std::sync::atomic::Ordering::Relaxed)
}

#[unsafe(no_mangle)]
pub fn no_loop(a: u64, b: u64) -> u64 {
    a.wrapping_mul(b) ^ a
}
