//! Numbers: hashes, checksums, transforms, numbers of any length.

use std::hint::black_box;

use num_bigint::BigUint;
use rustfft::num_complex::Complex;
use sha2::Digest as _;

use crate::data::{Numbers, hash, text};
use crate::kernel::{Kernel, Work};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel::rust("sha2", prepare_sha2, 0x7ca3_c7cc_35b4_5d85),
    Kernel::rust("blake3", prepare_blake3, 0xc19a_aa67_1743_c35d),
    Kernel::rust("crc32", prepare_crc32, 0xc79e_f429_8199_fb52),
    Kernel::rust("siphash", prepare_siphash, 0x940b_fbf2_ab90_58fc),
    Kernel::rust("bigint-factorial", || Box::new(|| factorial(black_box(3_000))), 0x4370_473f_107e_cdb5),
    Kernel::rust("bigint-power", || Box::new(|| power_modulo(black_box(3))), 0x5f52_12dc_fbe2_aaf2),
    Kernel::rust("fft", prepare_fft, 1),
];

fn first_word(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).fold(0, |word, byte| word << 8 | u64::from(*byte))
}

fn prepare_sha2() -> Work {
    let bytes = text(1_000_000).into_bytes();
    Box::new(move || first_word(&sha2::Sha256::digest(&bytes)))
}

fn prepare_blake3() -> Work {
    let bytes = text(2_500_000).into_bytes();
    Box::new(move || first_word(blake3::hash(&bytes).as_bytes()))
}

fn prepare_crc32() -> Work {
    let bytes = text(3_000_000).into_bytes();
    Box::new(move || {
        let whole = crc32fast::hash(&bytes);
        // Short pieces take the way through the tables.
        let pieces = bytes.chunks(60).map(crc32fast::hash);
        pieces.fold(u64::from(whole), |sum, piece| sum.wrapping_mul(31).wrapping_add(u64::from(piece)))
    })
}

fn prepare_siphash() -> Work {
    use std::hash::Hasher as _;
    let words: Vec<String> = text(300_000).split_whitespace().map(String::from).collect();
    Box::new(move || {
        let hash_of = |word: &String| {
            let mut hasher = std::hash::DefaultHasher::new();
            hasher.write(word.as_bytes());
            hasher.finish()
        };
        words.iter().map(hash_of).fold(0, |sum: u64, hash| sum.rotate_left(5) ^ hash)
    })
}

fn factorial(n: u32) -> u64 {
    let product = (1..=n).fold(BigUint::from(1u32), |product, factor| product * factor);
    hash(product.to_string().bytes())
}

fn power_modulo(base: u32) -> u64 {
    let modulus = (BigUint::from(1u32) << 1_279usize) - 1u32;
    let exponent = (BigUint::from(1u32) << 700usize) - 189u32;
    hash(BigUint::from(base).modpow(&exponent, &modulus).to_bytes_le())
}

fn prepare_fft() -> Work {
    const SIZES: [usize; 3] = [4_096, 3_600, 1_009];
    const ROUNDS: usize = 8;
    let mut planner = rustfft::FftPlanner::<f64>::new();
    let plans = SIZES.map(|size| (planner.plan_fft_forward(size), planner.plan_fft_inverse(size)));
    let signal: Vec<Complex<f64>> =
        Numbers(12).take(SIZES[0]).map(|number| Complex::new((number % 256) as f64, 0.0)).collect();
    Box::new(move || {
        let mut errors = 0.0;
        for (size, (forward, inverse)) in SIZES.iter().zip(&plans).cycle().take(ROUNDS * SIZES.len()) {
            let mut values = signal[..*size].to_vec();
            forward.process(&mut values);
            inverse.process(&mut values);
            let back = values.iter().zip(&signal).map(|(back, own)| (back / *size as f64 - own).norm());
            errors += back.sum::<f64>();
        }
        // Forth and back is the same signal, to rounding: the same on machines with and without FMA.
        (errors < 1e-6).into()
    })
}
