//! Our own versions of the kernels where published designs did worst: tight loops, recursion, calls through
//! pointers.

use std::hint::black_box;

use crate::data::{Numbers, hash, text};
use crate::kernel::{Kernel, Work};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel::rust("fib", || Box::new(|| fib(black_box(27))), 196_418),
    Kernel::rust("sieve", || Box::new(|| sieve(black_box(300_000))), 25_997),
    Kernel::rust("n-queens", || Box::new(|| queens(black_box(11), 0, 0, 0)), 2_680),
    Kernel::rust("quicksort", prepare_quicksort, 0xdda3_7802_251a_58b3),
    Kernel::rust("pointer-chase", prepare_pointer_chase, 0x90e3_c797_76c1_c7dc),
    Kernel::rust("histogram", prepare_histogram, 0xf05_39f9),
    Kernel::rust("fnv", prepare_fnv, 0x28e6_bf8d_33db_a9f7),
    Kernel::rust("string-match", prepare_string_match, 0x2d0_2bf6_1e38),
    Kernel::rust("levenshtein", prepare_levenshtein, 0x461),
    Kernel::rust("sum", prepare_sum, 0x17ba_2212_fb5a_d918),
    Kernel::rust("dyn-calls", prepare_dyn_calls, 0x83fe_3469_7f7e_682f),
    Kernel::rust("bytecode", prepare_bytecode, 0x1801_da65_083d_9c0a),
];

fn fib(n: u32) -> u64 {
    if n < 2 { u64::from(n) } else { fib(n - 1) + fib(n - 2) }
}

fn sieve(limit: usize) -> u64 {
    let mut composite = vec![false; limit];
    let mut primes = 0;
    for number in 2..limit {
        if composite[number] {
            continue;
        }
        primes += 1;
        let mut multiple = number * number;
        while multiple < limit {
            composite[multiple] = true;
            multiple += number;
        }
    }
    primes
}

/// Solutions of the n queens problem below the rows already placed, given as the columns and the two kinds of
/// diagonals that are under attack.
fn queens(side: u32, columns: u32, falling: u32, rising: u32) -> u64 {
    let all = (1 << side) - 1;
    if columns == all {
        return 1;
    }
    let mut free = all & !(columns | falling | rising);
    let mut solutions = 0;
    while free != 0 {
        let place = free & free.wrapping_neg();
        free ^= place;
        solutions += queens(side, columns | place, (falling | place) << 1, (rising | place) >> 1);
    }
    solutions
}

fn prepare_quicksort() -> Work {
    let numbers: Vec<u64> = Numbers(2).take(30_000).collect();
    let mut sorted = Vec::new();
    Box::new(move || {
        sorted.clone_from(&numbers);
        quicksort(&mut sorted);
        weighted(&sorted)
    })
}

/// Hoare's partition around the middle element, recursion into both sides.
fn quicksort(values: &mut [u64]) {
    let mut rest = values;
    while rest.len() > 1 {
        let pivot = rest[rest.len() / 2];
        let (mut low, mut high) = (0, rest.len() - 1);
        let split = loop {
            while rest[low] < pivot {
                low += 1;
            }
            while rest[high] > pivot {
                high -= 1;
            }
            if low >= high {
                break high + 1;
            }
            rest.swap(low, high);
            low += 1;
            high -= 1;
        };
        let (left, right) = rest.split_at_mut(split.min(rest.len() - 1));
        quicksort(left);
        rest = right;
    }
}

/// Depends on every element and on its place.
fn weighted(values: &[u64]) -> u64 {
    values
        .iter()
        .enumerate()
        .fold(0, |sum: u64, (index, value)| sum.wrapping_add(value.wrapping_mul(index as u64 + 1)))
}

fn prepare_pointer_chase() -> Work {
    const NODES: usize = 1 << 16;
    // Sattolo's shuffle: one cycle through all nodes.
    let mut next: Vec<u32> = (0..NODES as u32).collect();
    for (last, number) in (1..NODES).rev().zip(Numbers(4)) {
        next.swap(last, number as usize % last);
    }
    Box::new(move || {
        let (mut node, mut sum) = (0, 0u64);
        for _ in 0..100_000 {
            node = next[node as usize];
            sum = sum.wrapping_mul(3).wrapping_add(u64::from(node));
        }
        sum
    })
}

fn prepare_histogram() -> Work {
    let pixels: Vec<u8> = Numbers(5).take(2_000_000).map(|number| (number % 251) as u8).collect();
    Box::new(move || {
        let mut counts = [0u64; 256];
        for pixel in &pixels {
            counts[usize::from(*pixel)] += 1;
        }
        weighted(&counts)
    })
}

fn prepare_fnv() -> Work {
    let bytes = text(500_000).into_bytes();
    Box::new(move || hash(bytes.iter().copied()))
}

/// Counts occurrences of a few keys, each tried at every place.
fn prepare_string_match() -> Work {
    let text = text(150_000).into_bytes();
    let keys: [&[u8]; 4] = [b"lith", b"quison", b"tarwen ka", b"zz"];
    Box::new(move || {
        let count =
            |key: &[u8]| (0..=text.len() - key.len()).filter(|&at| is_at(&text, at, key)).count() as u64;
        black_box(keys).iter().fold(0, |sum, key| sum * 1_000 + count(key))
    })
}

fn is_at(text: &[u8], at: usize, key: &[u8]) -> bool {
    let mut matched = 0;
    while matched < key.len() && text[at + matched] == key[matched] {
        matched += 1;
    }
    matched == key.len()
}

fn prepare_levenshtein() -> Work {
    let text = text(3_000).into_bytes();
    Box::new(move || {
        let (left, right) = text.split_at(text.len() / 2);
        levenshtein(left, right)
    })
}

fn levenshtein(left: &[u8], right: &[u8]) -> u64 {
    let mut row: Vec<u64> = (0..=right.len() as u64).collect();
    for (index, own) in left.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index as u64 + 1);
        for (column, other) in right.iter().enumerate() {
            let substituted = diagonal + u64::from(own != other);
            diagonal = row[column + 1];
            row[column + 1] = substituted.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

fn prepare_sum() -> Work {
    let numbers: Vec<u64> = Numbers(1).take(100_000).collect();
    Box::new(move || {
        (0..40).fold(0, |sum: u64, _| {
            black_box(&numbers).iter().fold(sum, |sum, number| sum.wrapping_add(*number))
        })
    })
}

trait Step {
    fn step(&self, state: u64) -> u64;
}

struct Add(u64);
struct Rotate(u32);
struct Twice(Box<dyn Step>);

impl Step for Add {
    fn step(&self, state: u64) -> u64 {
        state.wrapping_add(self.0)
    }
}

impl Step for Rotate {
    fn step(&self, state: u64) -> u64 {
        state.rotate_left(self.0)
    }
}

impl Step for Twice {
    fn step(&self, state: u64) -> u64 {
        self.0.step(self.0.step(state))
    }
}

fn prepare_dyn_calls() -> Work {
    let numbers: Vec<u64> = Numbers(1).take(100_000).collect();
    let steps: [Box<dyn Step>; 4] = [
        Box::new(Add(7)),
        Box::new(Rotate(5)),
        Box::new(Twice(Box::new(Add(3)))),
        Box::new(Twice(Box::new(Rotate(11)))),
    ];
    Box::new(move || {
        numbers.iter().fold(1, |state, number| steps[(number & 3) as usize].step(state ^ number))
    })
}

/// Instructions of a register machine.
#[derive(Clone, Copy)]
enum Instruction {
    Load { to: u8, value: u64 },
    Add { to: u8, from: u8 },
    Multiply { to: u8, from: u8 },
    ExclusiveOr { to: u8, from: u8 },
    ShiftRight { to: u8, by: u8 },
    Decrement { to: u8 },
    JumpIfNotZero { register: u8, target: u8 },
    Halt,
}

fn prepare_bytecode() -> Work {
    use Instruction::*;
    let program = vec![
        Load { to: 0, value: 150_000 },
        Load { to: 1, value: 1 },
        Load { to: 2, value: 0x9e37_79b9_7f4a_7c15 },
        Multiply { to: 1, from: 2 },
        Add { to: 1, from: 0 },
        Add { to: 3, from: 1 },
        ShiftRight { to: 3, by: 7 },
        ExclusiveOr { to: 1, from: 3 },
        Decrement { to: 0 },
        JumpIfNotZero { register: 0, target: 3 },
        Halt,
    ];
    Box::new(move || interpret(black_box(&program)))
}

/// Runs until `Halt`; the result is register 1.
fn interpret(program: &[Instruction]) -> u64 {
    let mut registers = [0u64; 16];
    let mut at = 0;
    loop {
        let register = |index: u8| usize::from(index & 15);
        match program[at] {
            Instruction::Load { to, value } => registers[register(to)] = value,
            Instruction::Add { to, from } => {
                registers[register(to)] = registers[register(to)].wrapping_add(registers[register(from)]);
            }
            Instruction::Multiply { to, from } => {
                registers[register(to)] = registers[register(to)].wrapping_mul(registers[register(from)]);
            }
            Instruction::ExclusiveOr { to, from } => registers[register(to)] ^= registers[register(from)],
            Instruction::ShiftRight { to, by } => registers[register(to)] >>= by & 63,
            Instruction::Decrement { to } => registers[register(to)] -= 1,
            Instruction::JumpIfNotZero { register: tested, target } if registers[register(tested)] != 0 => {
                at = usize::from(target);
                continue;
            }
            Instruction::JumpIfNotZero { .. } => {}
            Instruction::Halt => return registers[1],
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quicksort_sorts() {
        for count in [0, 1, 2, 3, 10, 1_000] {
            let mut values: Vec<u64> = Numbers(9).take(count).map(|number| number % 97).collect();
            let mut expected = values.clone();
            expected.sort_unstable();
            quicksort(&mut values);
            assert_eq!(values, expected);
        }
    }

    #[test]
    fn distances_and_occurrences_are_right() {
        assert_eq!(levenshtein(b"kitten", b"sitting"), 3);
        assert!(is_at(b"xabc", 1, b"abc") && !is_at(b"xabd", 1, b"abc"));
    }
}
