//! Recursive functions of many shapes, for the tests of what is inlined into itself.

#[unsafe(no_mangle)]
#[inline(never)]
pub fn fib(n: u64) -> u64 {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}

#[unsafe(no_mangle)]
pub fn ackermann(m: u64, n: u64) -> u64 {
    match (m, n) {
        (0, n) => n + 1,
        (m, 0) => ackermann(m - 1, 1),
        (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
    }
}

#[unsafe(no_mangle)]
pub fn queens(all: u32, columns: u32, left: u32, right: u32) -> u32 {
    if columns == all {
        return 1;
    }
    let mut count = 0;
    let mut free = all & !(columns | left | right);
    while free != 0 {
        let bit = free & free.wrapping_neg();
        free ^= bit;
        count += queens(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    count
}

/// The height of the tree of the numbers below `limit`, where `n` has the children `2n + 1` and `2n + 2`.
#[unsafe(no_mangle)]
pub fn height(n: u64, limit: u64) -> u64 {
    if n >= limit { 0 } else { 1 + height(2 * n + 1, limit).max(height(2 * n + 2, limit)) }
}

#[unsafe(no_mangle)]
pub fn quicksort(values: &mut [u64]) {
    if values.len() < 2 {
        return;
    }
    let pivot = values[values.len() / 2];
    let (mut low, mut high) = (0, values.len() - 1);
    loop {
        while values[low] < pivot {
            low += 1;
        }
        while values[high] > pivot {
            high -= 1;
        }
        if low >= high {
            break;
        }
        values.swap(low, high);
        low += 1;
        high -= 1;
    }
    let (smaller, larger) = values.split_at_mut(low);
    quicksort(smaller);
    quicksort(larger);
}

#[unsafe(no_mangle)]
pub fn tak(x: i32, y: i32, z: i32) -> i32 {
    if y >= x { z } else { tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y)) }
}

pub struct Dropped<'a>(pub &'a mut u64, pub u64);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        *self.0 = self.0.wrapping_mul(31).wrapping_add(self.1);
    }
}

/// Unwinds from depth `n`, dropping a value at each level.
#[unsafe(no_mangle)]
pub fn unwind(n: u64, log: &mut u64) -> u64 {
    if n == 0 {
        panic!("the bottom");
    }
    let dropped = Dropped(log, n);
    let result = unwind(n - 1, &mut *dropped.0);
    drop(dropped);
    result + 1
}
