//! Sorting, maps and sets.

use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};

use crate::data::{Numbers, hash, text};
use crate::kernel::{Kernel, Work};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel::rust("sort-unstable", prepare_sort, 0x83b9_87e6_f50d_28c9),
    Kernel::rust("sort-strings", prepare_sort_strings, 0x2ca0_0c79_6a34_67af),
    Kernel::rust("hash-map", prepare_hash_map, 0x7f_f7f6),
    Kernel::rust("hashbrown", prepare_hashbrown, 0x2fee_5da7_1e33_9280),
    Kernel::rust("index-map", prepare_index_map, 0x911d_6aed_fd9a_9f47),
    Kernel::rust("btree", prepare_btree, 0xa0c9_ebb6_861d_14e7),
    Kernel::rust("binary-heap", prepare_heap, 0x237d_1aed_0765_3205),
    Kernel::rust("roaring", prepare_roaring, 0xb517_1631_8ec8_6b7d),
];

/// The same on every run, unlike std's random keys.
type FixedHasher = BuildHasherDefault<DefaultHasher>;

fn prepare_sort() -> Work {
    let numbers: Vec<u64> = Numbers(1).take(50_000).collect();
    let mut sorted = Vec::new();
    Box::new(move || {
        sorted.clone_from(&numbers);
        sorted.sort_unstable();
        sorted
            .iter()
            .enumerate()
            .fold(0, |sum: u64, (index, number)| sum.wrapping_add(number.wrapping_mul(index as u64)))
    })
}

fn prepare_sort_strings() -> Work {
    let words: Vec<String> = text(60_000).split_whitespace().map(String::from).collect();
    Box::new(move || {
        let mut sorted: Vec<&str> = words.iter().map(String::as_str).collect();
        sorted.sort_by(|left, right| left.len().cmp(&right.len()).then_with(|| left.cmp(right)));
        sorted.dedup();
        hash(sorted.iter().flat_map(|word| word.bytes()))
    })
}

fn prepare_hash_map() -> Work {
    let numbers: Vec<u64> = Numbers(1).take(20_000).collect();
    Box::new(move || {
        let mut counts: HashMap<u64, u64, FixedHasher> = HashMap::default();
        for number in &numbers {
            *counts.entry(number % 5_003).or_default() += number & 0xff;
        }
        numbers.iter().filter_map(|number| counts.get(&(number % 6_007))).sum()
    })
}

fn prepare_hashbrown() -> Work {
    let words: Vec<String> = text(200_000).split_whitespace().map(String::from).collect();
    Box::new(move || {
        let mut counts: hashbrown::HashMap<&str, u64, FixedHasher> = hashbrown::HashMap::default();
        for word in &words {
            *counts.entry(word).or_default() += 1;
        }
        counts.retain(|_, count| *count > 1);
        counts.iter().map(|(word, count)| hash(word.bytes()).wrapping_mul(*count)).fold(0, u64::wrapping_add)
    })
}

fn prepare_index_map() -> Work {
    let numbers: Vec<u64> = Numbers(17).take(30_000).map(|number| number % 20_000).collect();
    Box::new(move || {
        let mut map: indexmap::IndexMap<u64, u64, FixedHasher> = indexmap::IndexMap::default();
        for (index, number) in numbers.iter().enumerate() {
            map.insert(*number, index as u64);
            if index % 3 == 0 {
                map.swap_remove(&(number / 2));
            }
        }
        map.sort_unstable_keys();
        map.iter().fold(0, |sum: u64, (key, value)| sum.wrapping_mul(31).wrapping_add(key ^ value))
    })
}

fn prepare_btree() -> Work {
    let numbers: Vec<u64> = Numbers(1).take(40_000).collect();
    Box::new(move || {
        let tree: BTreeMap<u64, u64> = numbers.iter().map(|number| (number >> 20, *number)).collect();
        tree.range(1 << 30..)
            .step_by(3)
            .fold(0, |sum: u64, (key, number)| sum.wrapping_mul(3).wrapping_add(key ^ number))
    })
}

fn prepare_heap() -> Work {
    let numbers: Vec<u64> = Numbers(18).take(30_000).collect();
    Box::new(move || {
        let mut heap = BinaryHeap::new();
        let mut sum = 0u64;
        for number in &numbers {
            heap.push(*number);
            if heap.len() > 5_000 {
                sum = sum.rotate_left(7) ^ heap.pop().unwrap_or_default();
            }
        }
        while let Some(number) = heap.pop() {
            sum = sum.rotate_left(7) ^ number;
        }
        sum
    })
}

fn prepare_roaring() -> Work {
    let bitmap =
        |seed, below: u64| Numbers(seed).take(40_000).map(|number| (number % below) as u32).collect();
    let (dense, sparse): (roaring::RoaringBitmap, roaring::RoaringBitmap) =
        (bitmap(19, 200_000), bitmap(20, 20_000_000));
    Box::new(move || {
        let runs: roaring::RoaringBitmap = (0..3_000_000).step_by(3).take(20_000).collect();
        let both = (&dense & &runs) | (&sparse - &dense);
        let mut answer = both.len();
        for value in both.iter().step_by(5) {
            answer = answer.wrapping_mul(31).wrapping_add(both.rank(value));
        }
        answer
    })
}
