//! Compares the operations of `memory.rs` with plain loops; prints a sum of what it saw and the probes taken.

unsafe extern "Rust" {
    fn copy_bytes(to: *mut u8, from: *const u8, length: usize);
    fn move_bytes(to: *mut u8, from: *const u8, length: usize);
    fn set_bytes(to: *mut u8, byte: u8, length: usize);
    fn compare_bytes(a: *const u8, b: *const u8, length: usize) -> i32;
    fn differ(a: *const u8, b: *const u8, length: usize) -> bool;
    fn find(a: *const u8, byte: u8, length: usize) -> *const u8;
    fn clear(bytes: &mut [u8]);
    fn copy_constant(to: *mut u8, from: *const u8);
}

unsafe extern "C" {
    static probes_taken: u64;
}

const PIECE: usize = 8192;
const SIZE: usize = 20 * PIECE;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn bytes(&mut self) -> Vec<u8> {
        (0..SIZE).map(|_| self.below(256) as u8).collect()
    }

    /// Short ones, ones about a multiple of a piece, any.
    fn length(&mut self) -> usize {
        match self.below(3) {
            0 => self.below(64),
            1 => (self.below(9) * PIECE + self.below(5)).saturating_sub(2),
            _ => self.below(9 * PIECE),
        }
    }
}

fn probes(run: impl FnOnce()) -> u64 {
    // SAFETY: the counter is a word that this thread alone changes.
    let taken = || unsafe { (&raw const probes_taken).read_volatile() };
    let before = taken();
    run();
    taken() - before
}

fn main() {
    let mut random = Random(7);
    let mut bytes = random.bytes();
    let other = random.bytes();
    for _ in 0..400 {
        let (length, to, from) = (random.length(), random.below(PIECE * 9), random.below(PIECE * 9));
        let mut expected = bytes.clone();
        // SAFETY: all ranges end below SIZE; the kernels are these functions.
        unsafe {
            match random.below(4) {
                0 => {
                    copy_bytes(bytes.as_mut_ptr().add(to), other.as_ptr().add(from), length);
                    expected[to..to + length].copy_from_slice(&other[from..from + length]);
                }
                1 => {
                    move_bytes(bytes.as_mut_ptr().add(to), bytes.as_ptr().add(from), length);
                    let source = expected[from..from + length].to_vec();
                    expected[to..to + length].copy_from_slice(&source);
                }
                2 => {
                    let byte = random.below(256) as u8;
                    set_bytes(bytes.as_mut_ptr().add(to), byte, length);
                    expected[to..to + length].fill(byte);
                }
                _ => {
                    let near = to + random.below(3);
                    move_bytes(bytes.as_mut_ptr().add(near), bytes.as_ptr().add(to), length);
                    let source = expected[to..to + length].to_vec();
                    expected[near..near + length].copy_from_slice(&source);
                }
            }
        }
        assert!(bytes == expected, "{length} bytes from {from} to {to}");
    }
    for _ in 0..400 {
        let (length, at) = (random.length(), random.below(PIECE * 9));
        let a = other[at..at + length].to_vec();
        let mut b = a.clone();
        for _ in 0..random.below(3).min(length) {
            let place = random.below(length);
            b[place] = b[place].wrapping_add(random.below(256) as u8);
        }
        let byte = random.below(256) as u8;
        // SAFETY: both vectors have this length.
        unsafe {
            assert_eq!(compare_bytes(a.as_ptr(), b.as_ptr(), length).signum(), a.cmp(&b) as i32, "{length}");
            assert_eq!(differ(a.as_ptr(), b.as_ptr(), length), a != b, "{length}");
            let text = vec![byte.wrapping_add(1); length];
            let mut text = text;
            if length > 0 && random.below(4) > 0 {
                text[random.below(length)] = byte;
            }
            let found = find(text.as_ptr(), byte, length);
            let place = text.iter().position(|other| *other == byte);
            assert_eq!(place, (!found.is_null()).then(|| found.offset_from(text.as_ptr()) as usize));
        }
    }
    let sum = bytes.iter().fold(0u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    println!("sum {sum} 0");
    // SAFETY: the ranges are within the vectors.
    unsafe {
        println!("short - {}", probes(|| copy_bytes(bytes.as_mut_ptr(), other.as_ptr(), PIECE)));
        println!("copy - {}", probes(|| copy_bytes(bytes.as_mut_ptr(), other.as_ptr(), SIZE)));
        println!("move - {}", probes(|| move_bytes(bytes.as_mut_ptr().add(9), bytes.as_ptr(), SIZE - 9)));
        println!("set - {}", probes(|| set_bytes(bytes.as_mut_ptr(), 3, SIZE)));
        println!("clear - {}", probes(|| clear(&mut bytes)));
        println!("constant - {}", probes(|| copy_constant(bytes.as_mut_ptr(), other.as_ptr())));
        let copy = other.clone();
        println!("compare - {}", probes(|| assert!(!differ(copy.as_ptr(), other.as_ptr(), SIZE))));
    }
}
