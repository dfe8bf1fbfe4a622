//! Calls the functions of `loops.rs` with ordinary, random and extreme arguments; prints results and probes.

unsafe extern "Rust" {
    fn up_u64(from: u64, to: u64) -> u64;
    fn up_i32(from: i32, to: i32) -> u64;
    fn up_inclusive_u16(from: u16, to: u16) -> u64;
    fn down_u32(from: u32, to: u32) -> u64;
    fn down_i64(from: i64, to: i64, by: i64) -> u64;
    fn by_seven(from: u64, to: u64) -> u64;
    fn by_variable(from: u64, to: u64, by: u64) -> u64;
    fn until_equal(from: u32, to: u32) -> u64;
    fn pointers(values: &[u32]) -> u64;
    fn pointers_back(values: &[u32]) -> u64;
    fn find(values: &[u32], wanted: u32) -> usize;
    fn triangle(rows: usize, values: &[u32]) -> u64;
    fn vectors(values: &mut [u32], by: u32) -> u32;
    fn million() -> u64;
    fn eight(start: u64) -> u64;
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
    const FAR: u64 = 20_000;
    let lengths = [0, 1, 2, 3, 15, 16, 17, 100, 123, 124, 125, 1000, 1024, 4099, FAR];
    // SAFETY: the kernels are safe functions of these types.
    unsafe {
        for length in lengths {
            for from in [0, 5, 1 << 40, u64::MAX - FAR - 8, u64::MAX - length] {
                show("up_u64", || up_u64(from, from + length));
                show("by_seven", || by_seven(from, from.saturating_add(7 * length)));
                let below = from.min(u64::MAX - 3 * FAR - 3);
                show("by_variable", || by_variable(below, below + 3 * length, 3));
            }
            // As many rounds as go by before the variable would wrap, or all but that.
            for by in [1, 5, 1 << 20, 1 << 58, 1 << 63, u64::MAX] {
                let rounds = length.min((u64::MAX - length) / by);
                show("by_extreme", || by_variable(length, length + by * rounds, by));
            }
            let short = length as i32;
            for from in [0, -short / 2, i32::MIN, i32::MAX - short] {
                show("up_i32", || up_i32(from, from + short));
            }
            for from in [0, 7, 40_000] {
                show("up_inclusive_u16", || up_inclusive_u16(from, from + length as u16));
            }
            show("up_inclusive_u16", || up_inclusive_u16(u16::MAX - length as u16, u16::MAX));
            for to in [0, 9, u32::MAX - FAR as u32 - 9] {
                show("down_u32", || down_u32(to + length as u32, to));
            }
            for (to, by) in [(0, 1), (-50, 3), (i64::MIN, 4000), (i64::MIN + 1, 1)] {
                show("down_i64", || down_i64(to + by * length as i64, to, by));
            }
            if length > 0 {
                show("until_equal", || until_equal(u32::MAX - 10, (u32::MAX - 10).wrapping_add(2 * length as u32)));
            }
            let mut values: Vec<u32> = (0..length as u32).map(|at| at.wrapping_mul(2_654_435_769)).collect();
            show("pointers", || pointers(&values));
            show("pointers_back", || pointers_back(&values));
            let last = values.last().copied().unwrap_or(1);
            show("find", || find(&values, last) as u64);
            show("find", || find(&values, 3) as u64);
            if !values.is_empty() {
                show("triangle", || triangle(length.min(150) as usize, &values));
            }
            show("vectors", || u64::from(vectors(&mut values, 77)));
        }
        show("million", || million());
        show("eight", || eight(3));
    }
}
