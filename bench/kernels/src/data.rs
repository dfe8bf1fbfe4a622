//! Inputs of the kernels, made from fixed seeds.

/// A sequence of pseudo-random numbers (splitmix64): the same on every machine.
pub(crate) struct Numbers(pub(crate) u64);

impl Iterator for Numbers {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Some(value ^ (value >> 31))
    }
}

/// English-like words, about `bytes` of them.
pub(crate) fn text(bytes: usize) -> String {
    const SYLLABLES: [&str; 16] = [
        "ka", "to", "mi", "ran", "del", "os", "un", "ber", "lith", "a", "e", "qui", "son", "tar", "wen", "ix",
    ];
    let mut text = String::with_capacity(bytes + 16);
    let mut numbers = Numbers(7);
    while text.len() < bytes {
        let mut number = numbers.next().unwrap_or(0);
        for _ in 0..number % 4 + 1 {
            number >>= 4;
            text.push_str(SYLLABLES[(number & 15) as usize]);
        }
        if number.is_multiple_of(29) {
            text.push_str(&format!(" {}-{:04}", number % 90 + 10, number % 9973));
        }
        text.push(if number.is_multiple_of(11) { '\n' } else { ' ' });
    }
    text
}

/// FNV-1a, to turn a result into an answer.
pub(crate) fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
