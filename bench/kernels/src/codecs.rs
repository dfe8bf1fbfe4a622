//! Bytes as text and back.

use base64::Engine as _;

use crate::data::{Numbers, hash};
use crate::kernel::{Kernel, Work};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel::rust("base64", prepare_base64, 0x3f99_b9fd_b2ee_500e),
    Kernel::rust("hex", prepare_hex, 0xec9f_1f30_c921_87c6),
    Kernel::rust("utf8", prepare_utf8, 0x5_5d4a_f198),
];

fn bytes(count: usize) -> Vec<u8> {
    Numbers(26).flat_map(u64::to_le_bytes).take(count).collect()
}

fn prepare_base64() -> Work {
    let bytes = bytes(500_000);
    let engine = base64::engine::general_purpose::STANDARD;
    Box::new(move || {
        let text = engine.encode(&bytes);
        let back = engine.decode(&text);
        if back.as_ref() == Ok(&bytes) { hash(text.bytes().step_by(8)) } else { 0 }
    })
}

fn prepare_hex() -> Work {
    let bytes = bytes(100_000);
    Box::new(move || {
        let text = hex::encode(&bytes);
        let back = hex::decode(&text);
        if back.as_ref() == Ok(&bytes) { hash(text.bytes().step_by(8)) } else { 0 }
    })
}

fn prepare_utf8() -> Work {
    let characters: String =
        Numbers(27).take(30_000).filter_map(|number| char::from_u32((number % 0x1_0000) as u32)).collect();
    Box::new(move || {
        let Ok(text) = std::str::from_utf8(characters.as_bytes()) else { return 0 };
        let units: Vec<u16> = text.encode_utf16().collect();
        let back = String::from_utf16_lossy(&units);
        let letters = back.chars().filter(|character| character.is_alphabetic()).count() as u64;
        letters * 1_000_000 + back.to_lowercase().chars().count() as u64
    })
}
