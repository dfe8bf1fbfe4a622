//! Code that nothing but a probe makes preemptible, in shapes that optimisers treat specially.

use std::hint::black_box;

unsafe extern "C" {
    fn opaque(value: u64) -> u64;
}

#[unsafe(no_mangle)]
pub fn pointer_chase(next: &[usize], mut at: usize) -> usize {
    let mut steps = 0;
    while at < next.len() {
        at = next[at];
        steps += 1;
    }
    steps
}

#[unsafe(no_mangle)]
pub fn fnv(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ u64::from(bytes[at])).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}

#[unsafe(no_mangle)]
pub fn histogram(bytes: &[u8], counts: &mut [u32; 256]) {
    let mut at = 0;
    while at < bytes.len() {
        counts[usize::from(bytes[at])] += 1;
        at += 1;
    }
}

#[unsafe(no_mangle)]
pub fn million() -> u64 {
    let (mut sum, mut at) = (0u64, 0u64);
    while at < 1_000_000 {
        sum = black_box(sum ^ at);
        at += 1;
    }
    sum
}

/// # Safety
/// `flag` can be read.
#[unsafe(no_mangle)]
pub unsafe fn wait_for(flag: *const u32) {
    // SAFETY: the caller's word.
    while unsafe { flag.read_volatile() } == 0 {}
}

#[unsafe(no_mangle)]
pub fn forever() -> ! {
    #[allow(clippy::empty_loop)]
    loop {}
}

pub struct Tree {
    pub children: Option<(Box<Tree>, Box<Tree>)>,
}

/// Recursion, and no loop.
#[unsafe(no_mangle)]
pub fn depth(tree: &Tree) -> u64 {
    match &tree.children {
        Some((left, right)) => 1 + depth(left).max(depth(right)),
        None => 0,
    }
}

/// Recursion through another function.
#[unsafe(no_mangle)]
pub fn sum_even(tree: &Tree) -> u64 {
    match &tree.children {
        Some((left, right)) => sum_odd(left).wrapping_mul(3) ^ sum_odd(right),
        None => 1,
    }
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn sum_odd(tree: &Tree) -> u64 {
    match &tree.children {
        Some((left, right)) => sum_even(left).wrapping_mul(5) ^ sum_even(right),
        None => 2,
    }
}

pub trait Shape {
    fn area(&self) -> u64;
}

#[unsafe(no_mangle)]
pub fn total_area(shapes: &[&dyn Shape]) -> u64 {
    let (mut total, mut at) = (0, 0);
    while at < shapes.len() {
        total += shapes[at].area();
        at += 1;
    }
    total
}

#[unsafe(no_mangle)]
pub fn several_latches(mut value: u64) -> u64 {
    let mut steps = 0;
    while value != 1 {
        steps += 1;
        if value % 2 == 0 {
            value /= 2;
            continue;
        }
        if value % 3 == 0 {
            // SAFETY: the function exists to be unknown; the code never runs.
            value = unsafe { opaque(value) };
            continue;
        }
        value = value * 3 + 1;
    }
    steps
}

/// Values to drop when a call unwinds, in a loop.
#[unsafe(no_mangle)]
pub fn cleanups(count: u64, made: &mut dyn FnMut(u64) -> u64) -> Vec<String> {
    let mut names = Vec::new();
    let mut at = 0;
    while at < count {
        let name = String::from("name");
        let value = made(at);
        let other = vec![value; 3];
        made(other[0]);
        names.push(name);
        at += 1;
    }
    names
}

#[unsafe(no_mangle)]
pub fn assembly(mut value: u64) -> u64 {
    while value > 1 {
        // SAFETY: the instruction shifts a register.
        unsafe { std::arch::asm!("shr {0}, 1", inout(reg) value, options(nomem, nostack)) };
    }
    value
}
