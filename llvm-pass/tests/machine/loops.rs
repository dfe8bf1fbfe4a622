//! Counted loops of every form that placement cuts: directions, predicates, widths, steps, early exits, nests.

use std::hint::black_box;

fn mix(sum: u64, value: u64) -> u64 {
    black_box((sum ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23))
}

#[unsafe(no_mangle)]
pub fn up_u64(from: u64, to: u64) -> u64 {
    (from..to).fold(1, mix)
}

#[unsafe(no_mangle)]
pub fn up_i32(from: i32, to: i32) -> u64 {
    let (mut sum, mut at) = (1, from);
    while at < to {
        sum = mix(sum, at as u64);
        at = at.wrapping_add(1);
    }
    sum
}

#[unsafe(no_mangle)]
pub fn up_inclusive_u16(from: u16, to: u16) -> u64 {
    (from..=to).fold(1, |sum, at| mix(sum, u64::from(at)))
}

#[unsafe(no_mangle)]
pub fn down_u32(from: u32, to: u32) -> u64 {
    (to..from).rev().fold(1, |sum, at| mix(sum, u64::from(at)))
}

#[unsafe(no_mangle)]
pub fn down_i64(from: i64, to: i64, by: i64) -> u64 {
    let (mut sum, mut at) = (1, from);
    while at > to {
        sum = mix(sum, at as u64);
        let Some(next) = at.checked_sub(by) else { break };
        at = next;
    }
    sum
}

#[unsafe(no_mangle)]
pub fn by_seven(from: u64, to: u64) -> u64 {
    let (mut sum, mut at) = (1, from);
    while at < to {
        sum = mix(sum, at);
        at = at.wrapping_add(7);
        if at < 7 {
            break;
        }
    }
    sum
}

#[unsafe(no_mangle)]
pub fn by_variable(from: u64, to: u64, by: u64) -> u64 {
    let (mut sum, mut at) = (1, from);
    loop {
        sum = mix(sum, at);
        at = at.wrapping_add(by);
        if at >= to || by == 0 {
            return sum;
        }
    }
}

#[unsafe(no_mangle)]
pub fn until_equal(from: u32, to: u32) -> u64 {
    let (mut sum, mut at) = (1, from);
    loop {
        sum = mix(sum, u64::from(at));
        at = at.wrapping_add(2);
        if at == to {
            return sum;
        }
    }
}

#[unsafe(no_mangle)]
pub fn pointers(values: &[u32]) -> u64 {
    values.iter().fold(1, |sum, value| mix(sum, u64::from(*value)))
}

#[unsafe(no_mangle)]
pub fn pointers_back(values: &[u32]) -> u64 {
    values.iter().rev().fold(1, |sum, value| mix(sum, u64::from(*value)))
}

#[unsafe(no_mangle)]
pub fn find(values: &[u32], wanted: u32) -> usize {
    values.iter().position(|value| black_box(*value) == wanted).unwrap_or(usize::MAX)
}

#[unsafe(no_mangle)]
pub fn triangle(rows: usize, values: &[u32]) -> u64 {
    let mut sum = 1;
    for row in 0..rows {
        for column in 0..row {
            sum = mix(sum, u64::from(values[(row * 31 + column) % values.len()]));
        }
    }
    sum
}

#[unsafe(no_mangle)]
pub fn vectors(values: &mut [u32], by: u32) -> u32 {
    for value in values.iter_mut() {
        *value = value.wrapping_add(by);
    }
    values.iter().fold(0, |sum, value| sum.wrapping_add(*value))
}

#[unsafe(no_mangle)]
pub fn million() -> u64 {
    (0..1_000_000).fold(1, mix)
}

#[unsafe(no_mangle)]
pub fn eight(start: u64) -> u64 {
    (0..8).fold(start, mix)
}
