//! The kernels: recursion, loops of every shape, and the code of real libraries.

use std::collections::HashMap;
use std::hint::black_box;

use crate::data::{Numbers, hash, text};

/// One kernel.
pub(crate) struct Kernel {
    /// Its name.
    pub(crate) name: &'static str,
    /// Makes its input.
    pub(crate) prepare: fn() -> Input,
    /// Does the work once.
    pub(crate) run: fn(&mut Input) -> u64,
    /// What the work comes to.
    pub(crate) answer: u64,
}

/// Input of a kernel.
pub(crate) struct Input {
    numbers: Vec<u64>,
    scratch: Vec<u64>,
    reals: Vec<f64>,
    text: String,
    regex: Option<regex::Regex>,
}

impl Input {
    fn new() -> Self {
        Self { numbers: Vec::new(), scratch: Vec::new(), reals: Vec::new(), text: String::new(), regex: None }
    }

    fn numbers(count: usize) -> Self {
        Self { numbers: Numbers(1).take(count).collect(), ..Self::new() }
    }

    fn text(bytes: usize) -> Self {
        Self { text: text(bytes), ..Self::new() }
    }
}

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel { name: "fib", prepare: Input::new, run: |_| fib(black_box(27)), answer: 196_418 },
    Kernel { name: "sieve", prepare: Input::new, run: |_| sieve(black_box(300_000)), answer: 25_997 },
    Kernel { name: "regex", prepare: prepare_regex, run: run_regex, answer: 0xd995_5760_98b5_61d1 },
    Kernel { name: "lz4", prepare: || Input::text(200_000), run: run_lz4, answer: 0x7271_7fcd_46c5_ff09 },
    Kernel { name: "json", prepare: prepare_json, run: run_json, answer: 0x2_c37d },
    Kernel { name: "sort", prepare: || Input::numbers(50_000), run: run_sort, answer: 0xcf56_d5a7_7ae1_ce80 },
    Kernel { name: "hash-map", prepare: || Input::numbers(20_000), run: run_hash_map, answer: 0x7f_f7f6 },
    Kernel { name: "matrix", prepare: prepare_matrix, run: run_matrix, answer: 0x348b_27d1 },
    Kernel { name: "levenshtein", prepare: || Input::text(3_000), run: run_levenshtein, answer: 0x461 },
    Kernel { name: "sum", prepare: || Input::numbers(100_000), run: run_sum, answer: 0x8d64_a740_797b_df07 },
    Kernel {
        name: "btree",
        prepare: || Input::numbers(10_000),
        run: run_btree,
        answer: 0x8f24_9e79_d5ac_4a23,
    },
    Kernel {
        name: "dyn-calls",
        prepare: || Input::numbers(20_000),
        run: run_dyn_calls,
        answer: 0x7906_e1ff_f0c1_26c7,
    },
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

fn prepare_regex() -> Input {
    let regex = regex::Regex::new(r"(\b[a-z]+lith[a-z]*)\s+(\d{2}-\d{4})|qui(ka|to)+").ok();
    Input { regex, ..Input::text(100_000) }
}

fn run_regex(input: &mut Input) -> u64 {
    let Some(regex) = &input.regex else { return 0 };
    let matches = regex.captures_iter(&input.text);
    matches.fold(0, |sum, captures| {
        captures
            .iter()
            .flatten()
            .fold(sum, |sum: u64, part| sum.wrapping_mul(31) + part.as_str().len() as u64)
    })
}

fn run_lz4(input: &mut Input) -> u64 {
    let packed = lz4_flex::compress_prepend_size(input.text.as_bytes());
    match lz4_flex::decompress_size_prepended(&packed) {
        Ok(unpacked) if unpacked == input.text.as_bytes() => hash(packed),
        _ => 0,
    }
}

fn prepare_json() -> Input {
    let words = text(20_000);
    let rows: Vec<_> = words
        .split_whitespace()
        .enumerate()
        .map(|(index, word)| serde_json::json!({"id": index, "name": word, "score": index as f64 * 0.25, "tags": [word, "x"]}))
        .collect();
    Input { text: serde_json::Value::from(rows).to_string(), ..Input::new() }
}

fn run_json(input: &mut Input) -> u64 {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(&input.text) else { return 0 };
    let text = value.to_string();
    if text == input.text { text.len() as u64 } else { 0 }
}

fn run_sort(input: &mut Input) -> u64 {
    input.scratch.clone_from(&input.numbers);
    input.scratch.sort_unstable();
    let by_bytes = &mut input.scratch[..1000];
    by_bytes.sort_by_key(|number| number.swap_bytes());
    input
        .scratch
        .iter()
        .enumerate()
        .fold(0, |sum: u64, (index, number)| sum.wrapping_add(number.wrapping_mul(index as u64)))
}

fn run_hash_map(input: &mut Input) -> u64 {
    let mut counts: HashMap<u64, u64, std::hash::BuildHasherDefault<std::hash::DefaultHasher>> =
        HashMap::default();
    for number in &input.numbers {
        *counts.entry(number % 5_003).or_default() += number & 0xff;
    }
    input.numbers.iter().filter_map(|number| counts.get(&(number % 6_007))).sum()
}

const SIDE: usize = 96;

fn prepare_matrix() -> Input {
    Input {
        reals: Numbers(3).take(2 * SIDE * SIDE).map(|number| (number % 64) as f64).collect(),
        ..Input::new()
    }
}

fn run_matrix(input: &mut Input) -> u64 {
    let (left, right) = input.reals.split_at(SIDE * SIDE);
    let mut product = vec![0.0; SIDE * SIDE];
    for row in 0..SIDE {
        for inner in 0..SIDE {
            let factor = left[row * SIDE + inner];
            for column in 0..SIDE {
                product[row * SIDE + column] += factor * right[inner * SIDE + column];
            }
        }
    }
    product.iter().sum::<f64>() as u64
}

fn run_levenshtein(input: &mut Input) -> u64 {
    let (left, right) = input.text.as_bytes().split_at(input.text.len() / 2);
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

fn run_sum(input: &mut Input) -> u64 {
    input.numbers.iter().fold(0, |sum: u64, number| sum.wrapping_add(*number))
}

fn run_btree(input: &mut Input) -> u64 {
    let tree: std::collections::BTreeMap<u64, u64> =
        input.numbers.iter().map(|number| (number >> 20, *number)).collect();
    tree.range(1 << 30..)
        .step_by(3)
        .fold(0, |sum: u64, (key, number)| sum.wrapping_mul(3).wrapping_add(key ^ number))
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

fn run_dyn_calls(input: &mut Input) -> u64 {
    let steps: [Box<dyn Step>; 4] = [
        Box::new(Add(7)),
        Box::new(Rotate(5)),
        Box::new(Twice(Box::new(Add(3)))),
        Box::new(Twice(Box::new(Rotate(11)))),
    ];
    input.numbers.iter().fold(1, |state, number| steps[(number & 3) as usize].step(state ^ number))
}
