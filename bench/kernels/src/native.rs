//! Libraries in C and C++ beside the interpreters: compression, patterns, parsing, signatures, meshes.

use std::io::{Read as _, Write as _};

use crate::compression::{Both, round_trip};
use crate::data::{Numbers, hash, text};
use crate::kernel::{Kernel, Work};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel::c("zlib", || round_trip(25_000, zlib), 0xdf87_e2c1_f527_4628),
    Kernel::c("zstd", || round_trip(200_000, zstd), 0xf94_1ed7_b6c0_70e3),
    Kernel::c("bzip2", || round_trip(20_000, bzip2), 0x2b81_093b_b01c_5426),
    Kernel::c("lz4", || round_trip(300_000, lz4), 0xf775_51ca_66f8_40f0),
    Kernel::c("libdeflate", || round_trip(60_000, libdeflate), 0x3f2e_f4bf_a387_7f39),
    Kernel::c("oniguruma", prepare_oniguruma, 0x10a2_c66a_b434_64f2),
    Kernel::c("tree-sitter", prepare_tree_sitter, 0xa6_abf9),
    Kernel::c("secp256k1", prepare_signatures, 0x6074_6143_9535_8bbd),
    Kernel::cpp("meshoptimizer", prepare_mesh, 0xc277_51e7_2e1e_65cc),
];

fn zlib(text: &[u8]) -> Both {
    let mut writer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::new(6));
    writer.write_all(text).ok()?;
    let packed = writer.finish().ok()?;
    let mut unpacked = Vec::new();
    flate2::read::ZlibDecoder::new(packed.as_slice()).read_to_end(&mut unpacked).ok()?;
    Some((packed, unpacked))
}

fn zstd(text: &[u8]) -> Both {
    let packed = zstd::bulk::compress(text, 3).ok()?;
    let unpacked = zstd::bulk::decompress(&packed, text.len()).ok()?;
    Some((packed, unpacked))
}

fn bzip2(text: &[u8]) -> Both {
    let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    writer.write_all(text).ok()?;
    let packed = writer.finish().ok()?;
    let mut unpacked = Vec::new();
    bzip2::read::BzDecoder::new(packed.as_slice()).read_to_end(&mut unpacked).ok()?;
    Some((packed, unpacked))
}

fn lz4(text: &[u8]) -> Both {
    let packed = lz4::block::compress(text, None, true).ok()?;
    let unpacked = lz4::block::decompress(&packed, None).ok()?;
    Some((packed, unpacked))
}

fn libdeflate(text: &[u8]) -> Both {
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut packed = vec![0; compressor.deflate_compress_bound(text.len())];
    let length = compressor.deflate_compress(text, &mut packed).ok()?;
    packed.truncate(length);
    let mut unpacked = vec![0; text.len()];
    libdeflater::Decompressor::new().deflate_decompress(&packed, &mut unpacked).ok()?;
    Some((packed, unpacked))
}

fn prepare_oniguruma() -> Work {
    let text = text(60_000);
    let pattern = r"(?<first>[a-z]+)lith(?=[a-z]*\s)|(?<digit>\d)\d-\d*\k<digit>|(?:qui|son){2,}";
    let regex = onig::Regex::new(pattern).expect("the pattern is valid");
    Box::new(move || {
        let matches = regex.find_iter(&text);
        matches.fold(0, |sum: u64, (start, end)| sum.wrapping_mul(31).wrapping_add((start ^ end) as u64))
    })
}

fn prepare_tree_sitter() -> Work {
    let words = text(2_000);
    let row = |(index, word): (usize, &str)| serde_json::json!({"id": index, "name": word, "tags": [word, null, 0.5]});
    let rows: Vec<_> = words.split_whitespace().enumerate().map(row).collect();
    let source = serde_json::Value::from(rows).to_string();
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_json::LANGUAGE.into()).expect("the grammar is of a known version");
    Box::new(move || {
        let Some(tree) = parser.parse(&source, None) else { return 0 };
        let root = tree.root_node();
        if root.has_error() {
            0
        } else {
            root.descendant_count() as u64 * 1_000 + root.named_child_count() as u64
        }
    })
}

fn prepare_signatures() -> Work {
    let secrets: Vec<[u8; 32]> = (1u8..=8).map(|index| [index; 32]).collect();
    Box::new(move || {
        let mut sum = 0;
        for secret in &secrets {
            let Ok(key) = secp256k1::SecretKey::from_secret_bytes(*secret) else { return 0 };
            let message = secp256k1::Message::from_digest(secret.map(|byte| byte ^ 0x5a));
            let signature = secp256k1::ecdsa::sign(message, &key);
            let public = secp256k1::PublicKey::from_secret_key(&key);
            if signature.verify(message, &public).is_err() {
                return 0;
            }
            sum ^= hash(signature.serialize_compact()).rotate_left(u32::from(secret[0]));
        }
        sum
    })
}

/// A hilly square, made simpler and put in an order that a graphics card likes.
fn prepare_mesh() -> Work {
    const SIDE: u32 = 40;
    let heights: Vec<u64> = Numbers(28).take((SIDE * SIDE) as usize).map(|number| number % 8).collect();
    let point =
        |index: u32| [(index % SIDE) as f32, heights[index as usize] as f32 * 0.1, (index / SIDE) as f32];
    let points: Vec<u8> = (0..SIDE * SIDE).flat_map(point).flat_map(f32::to_le_bytes).collect();
    let corner = |row, column| row * SIDE + column;
    let square = |index: u32| {
        let (row, column) = (index / (SIDE - 1), index % (SIDE - 1));
        let [a, b, c, d] = [
            corner(row, column),
            corner(row, column + 1),
            corner(row + 1, column),
            corner(row + 1, column + 1),
        ];
        [a, b, c, c, b, d]
    };
    let indices: Vec<u32> = (0..(SIDE - 1) * (SIDE - 1)).flat_map(square).collect();
    Box::new(move || {
        let Ok(vertices) = meshopt::VertexDataAdapter::new(&points, 12, 0) else { return 0 };
        let simple = meshopt::simplify(
            &indices,
            &vertices,
            indices.len() / 3,
            0.02,
            meshopt::SimplifyOptions::None,
            None,
        );
        let order = meshopt::optimize_vertex_cache(&indices, (SIDE * SIDE) as usize);
        let packed = meshopt::encode_index_buffer(&order, (SIDE * SIDE) as usize).unwrap_or_default();
        let back: Vec<u32> = meshopt::decode_index_buffer(&packed, order.len()).unwrap_or_default();
        // How far it was made simpler depends on rounding; that it was, and what the packing came to, does not.
        if simple.len() < indices.len() && back.len() == order.len() { hash(packed) } else { 0 }
    })
}
