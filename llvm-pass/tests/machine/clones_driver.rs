//! Runs both builds; prints results, whether there is a clone, and how often which slow path was taken.

type Total = fn(&[u32]) -> u32;

unsafe extern "Rust" {
    safe fn clone_of_total() -> *const ();
    safe fn clone_of_nothing_to_probe() -> *const ();
    safe fn total(values: &[u32]) -> u32;
    safe fn nothing_to_probe(value: u32) -> u32;
}

unsafe extern "C" {
    static probes_taken: u64;
    static clock_looks: u64;
}

fn run(name: &str, total: Total) {
    // SAFETY: the counters are words that this thread alone changes.
    let counts = || unsafe { ((&raw const probes_taken).read_volatile(), (&raw const clock_looks).read_volatile()) };
    let values: Vec<u32> = (0..100_000).collect();
    let before = counts();
    let result = total(&values);
    let after = counts();
    println!("{name} {result} {} {}", after.0 > before.0, after.1 > before.1);
}

fn main() {
    run("worker", total);
    let clone = clone_of_total();
    println!("clone {}", !clone.is_null() && clone != total as Total as *const ());
    if !clone.is_null() {
        // SAFETY: a clone has its original's type.
        run("second", unsafe { std::mem::transmute::<*const (), Total>(clone) });
    }
    println!("same {}", clone_of_nothing_to_probe() == nothing_to_probe as fn(u32) -> u32 as *const ());
}
