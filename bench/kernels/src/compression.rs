//! Compression in Rust: packed and unpacked again.

use std::io::Write as _;

use crate::data::{hash, text};
use crate::kernel::{Kernel, Work};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel::rust("deflate", prepare_deflate, 0xfd15_56f6_f6af_cf19),
    Kernel::rust("lz4-flex", || round_trip(200_000, lz4_flex), 0x7271_7fcd_46c5_ff09),
    Kernel::rust("snappy", || round_trip(200_000, snappy), 0x907a_06b8_6ab0_c7fe),
    Kernel::rust("brotli", || round_trip(30_000, brotli), 0x1248_4a19_5c1a_ef6b),
    Kernel::rust("lzw", || round_trip(60_000, lzw::round_trip), 0xf0e9_5d77_3724_0072),
];

/// Packed and unpacked; `None` when either failed.
pub(crate) type Both = Option<(Vec<u8>, Vec<u8>)>;

/// Packs text and unpacks it; the answer is made of the packed bytes, 0 when the text is not the same.
pub(crate) fn round_trip(bytes: usize, pack: fn(&[u8]) -> Both) -> Work {
    let text = text(bytes).into_bytes();
    Box::new(move || match pack(&text) {
        Some((packed, unpacked)) if unpacked == text => hash(packed),
        _ => 0,
    })
}

fn prepare_deflate() -> Work {
    round_trip(40_000, |text| {
        let packed = miniz_oxide::deflate::compress_to_vec(text, 6);
        let unpacked = miniz_oxide::inflate::decompress_to_vec(&packed).ok()?;
        Some((packed, unpacked))
    })
}

fn lz4_flex(text: &[u8]) -> Both {
    let packed = lz4_flex::compress_prepend_size(text);
    let unpacked = lz4_flex::decompress_size_prepended(&packed).ok()?;
    Some((packed, unpacked))
}

fn snappy(text: &[u8]) -> Both {
    let packed = snap::raw::Encoder::new().compress_vec(text).ok()?;
    let unpacked = snap::raw::Decoder::new().decompress_vec(&packed).ok()?;
    Some((packed, unpacked))
}

fn brotli(text: &[u8]) -> Both {
    let mut packed = Vec::new();
    let mut writer = brotli::CompressorWriter::new(&mut packed, 4_096, 5, 18);
    writer.write_all(text).ok()?;
    drop(writer);
    let mut unpacked = Vec::new();
    brotli::BrotliDecompress(&mut packed.as_slice(), &mut unpacked).ok()?;
    Some((packed, unpacked))
}

/// Lempel, Ziv, Welch with 12-bit codes.
mod lzw {
    use std::collections::BTreeMap;

    use super::Both;

    const LIMIT: usize = 1 << 12;

    pub(super) fn round_trip(text: &[u8]) -> Both {
        let codes = pack(text);
        let unpacked = unpack(&codes)?;
        Some((codes.iter().flat_map(|code| code.to_le_bytes()).collect(), unpacked))
    }

    fn pack(text: &[u8]) -> Vec<u16> {
        let mut known: BTreeMap<(u16, u8), u16> = BTreeMap::new();
        let mut codes = Vec::new();
        let mut bytes = text.iter();
        let Some(first) = bytes.next() else { return codes };
        let mut prefix = u16::from(*first);
        for byte in bytes {
            match known.get(&(prefix, *byte)) {
                Some(code) => prefix = *code,
                None => {
                    if 256 + known.len() < LIMIT {
                        known.insert((prefix, *byte), 256 + known.len() as u16);
                    }
                    codes.push(std::mem::replace(&mut prefix, u16::from(*byte)));
                }
            }
        }
        codes.push(prefix);
        codes
    }

    fn unpack(codes: &[u16]) -> Option<Vec<u8>> {
        let mut words: Vec<(usize, usize)> = Vec::new();
        let mut text: Vec<u8> = Vec::new();
        for code in codes {
            let start = text.len();
            if *code < 256 {
                text.push(*code as u8);
            } else if let Some(&(from, to)) = words.get(usize::from(*code) - 256) {
                // The newest word may end with the byte that is being written.
                for at in from..to {
                    text.push(*text.get(at)?);
                }
            } else {
                return None;
            }
            if 256 + words.len() < LIMIT {
                words.push((start, text.len() + 1));
            }
        }
        Some(text)
    }
}
