//! The data set: keys by index, each value derived from its key, so that a client can check any reply.

/// Keys that are always present, `key(0)..key(KEYS)`; GET and SCAN read these.
pub const KEYS: u32 = 15_000;
/// Keys behind them in key order that DELETE removes and PUT may add: no check depends on their presence.
pub const SPARE_KEYS: u32 = 1_000;
/// Bytes of a key.
pub const KEY_BYTES: usize = 32;
/// Bytes of a value.
pub const VALUE_BYTES: usize = 32;

/// The key with this index; keys sort as their indices do.
pub fn key(index: u32) -> [u8; KEY_BYTES] {
    let mut key = *b"key-0000000000000000000000000000";
    let mut rest = index;
    for digit in key.iter_mut().rev().take(10) {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    key
}

/// The value of `key`: four rounds of FNV-1a over the key's bytes.
pub fn value(key: &[u8]) -> [u8; VALUE_BYTES] {
    let mut value = [0; VALUE_BYTES];
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for word in value.chunks_exact_mut(8) {
        for byte in key {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        word.copy_from_slice(&hash.to_le_bytes());
    }
    value
}

/// What a scan has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// Entries.
    pub count: u32,
    /// Sum, wrapping, of the last eight bytes of each key and the first eight of each value, little-endian.
    pub checksum: u64,
}

impl Scan {
    /// Adds one entry; a key or value shorter than eight bytes adds its bytes padded with zeros.
    pub fn add(&mut self, key: &[u8], value: &[u8]) {
        let key = key.last_chunk().map_or_else(|| padded(key), |word| u64::from_le_bytes(*word));
        let value = value.first_chunk().map_or_else(|| padded(value), |word| u64::from_le_bytes(*word));
        self.count += 1;
        self.checksum = self.checksum.wrapping_add(key).wrapping_add(value);
    }

    /// What a scan of the first `limit` of the [`KEYS`] keys must see.
    pub fn expected(limit: u32) -> Self {
        let mut scan = Self::default();
        for index in 0..limit.min(KEYS) {
            scan.add(&key(index), &value(&key(index)));
        }
        scan
    }
}

fn padded(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sort_as_their_indices() {
        let keys: Vec<_> = (0..KEYS + SPARE_KEYS).map(key).collect();
        assert!(keys.is_sorted());
        assert_eq!(&keys[14_999], b"key-0000000000000000000000014999");
    }

    #[test]
    fn values_and_checksums_depend_on_every_key() {
        assert_ne!(value(&key(1)), value(&key(2)));
        assert_ne!(Scan::expected(KEYS), Scan::expected(KEYS - 1));
        assert_eq!(Scan::expected(u32::MAX), Scan::expected(KEYS));
        let mut short = Scan::default();
        short.add(b"a", b"");
        assert_eq!(short, Scan { count: 1, checksum: u64::from(b'a') });
    }
}
