//! Calls the functions of `recursion.rs`; prints their results and how many probes each came to.

use std::panic::{AssertUnwindSafe, catch_unwind};

unsafe extern "Rust" {
    fn fib(n: u64) -> u64;
    fn ackermann(m: u64, n: u64) -> u64;
    fn queens(all: u32, columns: u32, left: u32, right: u32) -> u32;
    fn height(n: u64, limit: u64) -> u64;
    fn quicksort(values: &mut [u64]);
    fn tak(x: i32, y: i32, z: i32) -> i32;
    fn unwind(n: u64, log: &mut u64) -> u64;
}

unsafe extern "C" {
    static probes_taken: u64;
}

fn show(name: &str, run: impl FnOnce() -> u64) {
    // SAFETY: the counter is a word that this thread alone changes.
    let probes = || unsafe { (&raw const probes_taken).read_volatile() };
    let before = probes();
    let result = run();
    println!("{name} {result} {}", probes() - before);
}

fn main() {
    // SAFETY: the kernels are safe functions of these types.
    unsafe {
        show("fib", || fib(20));
        show("ackermann", || ackermann(2, 40));
        show("queens", || u64::from(queens(0x7f, 0, 0, 0)));
        show("height", || height(0, 5000));
        show("tak", || tak(12, 8, 4) as u64);
        let mut seed = 1u64;
        let mut values: Vec<u64> = (0..2000)
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                seed >> 33
            })
            .collect();
        show("quicksort", || {
            quicksort(&mut values);
            u64::from(values.is_sorted())
        });
        std::panic::set_hook(Box::new(|_| {}));
        for depth in [0, 1, 7, 8, 9, 100] {
            let mut log = 0;
            show("unwind", || {
                let result = catch_unwind(AssertUnwindSafe(|| unwind(depth, &mut log)));
                u64::from(result.is_err())
            });
            println!("log {log} 0");
        }
    }
}
