//! Formats that programs exchange: read, changed or checked, written.

use serde_json::{Value, json};

use crate::data::{Numbers, hash, text};
use crate::kernel::{Kernel, Work};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel::rust("json", prepare_json, 0x2_c37d),
    Kernel::rust("json-typed", prepare_json_typed, 0x5024_3e5e_6eed_c2e8),
    Kernel::rust("csv", prepare_csv, 0x7284_de2b_5f00_7359),
    Kernel::rust("toml", prepare_toml, 0xce6c_2812_957a_3484),
    Kernel::rust("chrono", prepare_chrono, 0x4f3_212f_016c_e54d),
    Kernel::rust("uuid", prepare_uuid, 0x335f_f88c_e809_eb85),
    Kernel::rust("float-format", prepare_floats, 0xe78_3238_d267_db95),
];

fn rows() -> String {
    let words = text(20_000);
    let row = |(index, word): (usize, &str)| json!({"id": index, "name": word, "score": index as f64 * 0.25, "tags": [word, "x"]});
    Value::from(words.split_whitespace().enumerate().map(row).collect::<Vec<_>>()).to_string()
}

fn prepare_json() -> Work {
    let rows = rows();
    Box::new(move || {
        let Ok(value) = serde_json::from_str::<Value>(&rows) else { return 0 };
        let text = value.to_string();
        if text == rows { text.len() as u64 } else { 0 }
    })
}

#[derive(serde::Deserialize, serde::Serialize)]
struct Row<'a> {
    id: u64,
    name: &'a str,
    score: f64,
    tags: Vec<&'a str>,
}

fn prepare_json_typed() -> Work {
    let rows = rows();
    Box::new(move || {
        let Ok(mut rows) = serde_json::from_str::<Vec<Row<'_>>>(&rows) else { return 0 };
        rows.retain(|row| row.id % 2 == 1 && row.tags.len() == 2);
        serde_json::to_string(&rows).map_or(0, |text| hash(text.bytes()))
    })
}

fn prepare_csv() -> Work {
    let words = text(60_000);
    let line = |(index, word): (usize, &str)| {
        format!("{index},{word},\"{word}, {}\",{}.5\n", index * 7 % 1_000, index % 100)
    };
    let table: String = words.split_whitespace().enumerate().map(line).collect();
    Box::new(move || {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(table.as_bytes());
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut record = csv::ByteRecord::new();
        while reader.read_byte_record(&mut record).unwrap_or(false) {
            if record.get(3).is_some_and(|score| score.len() == 4)
                && writer.write_byte_record(&record).is_err()
            {
                return 0;
            }
        }
        writer.into_inner().map_or(0, hash)
    })
}

fn prepare_toml() -> Work {
    let words = text(5_000);
    let table = |(index, word): (usize, &str)| {
        format!(
            "[[package]]\nname = \"{word}\"\nversion = \"{index}.{}.0\"\nsize = {index}\nis-new = {}\ndependencies = [\"a\", \"{word}\"]\n\n",
            index % 7,
            index % 3 == 0
        )
    };
    let document: String = words.split_whitespace().enumerate().map(table).collect();
    Box::new(move || {
        let Ok(table) = document.parse::<toml::Table>() else { return 0 };
        hash(table.to_string().bytes())
    })
}

fn prepare_chrono() -> Work {
    let instant = |number: u64| {
        chrono::DateTime::from_timestamp((number % 4_000_000_000) as i64, 0).unwrap_or_default()
    };
    let stamps: Vec<String> = Numbers(23).take(3_000).map(|number| instant(number).to_rfc3339()).collect();
    Box::new(move || {
        let mut sum = 0u64;
        for stamp in &stamps {
            let Ok(time) = chrono::DateTime::parse_from_rfc3339(stamp) else { return 0 };
            let later = time + chrono::TimeDelta::days(31);
            sum = sum
                .wrapping_mul(31)
                .wrapping_add(hash(later.format("%a, %d %b %Y %H:%M").to_string().bytes()));
        }
        sum
    })
}

fn prepare_uuid() -> Work {
    let ids: Vec<String> = Numbers(24)
        .take(30_000)
        .map(|number| uuid::Uuid::from_u64_pair(number, !number).to_string())
        .collect();
    Box::new(move || {
        let mut sum = 0u128;
        for id in &ids {
            let Ok(id) = uuid::Uuid::parse_str(id) else { return 0 };
            sum = sum.rotate_left(3) ^ id.as_u128();
        }
        let text = uuid::Uuid::from_u128(sum).simple().to_string();
        hash(text.bytes())
    })
}

fn prepare_floats() -> Work {
    let reals: Vec<f64> = Numbers(25).take(15_000).map(|number| number as f64 / 1e7).collect();
    Box::new(move || {
        let (mut float, mut integer) = (ryu::Buffer::new(), itoa::Buffer::new());
        let mut sum = 0;
        for real in &reals {
            let text = float.format_finite(*real);
            let back: f64 = text.parse().unwrap_or_default();
            if back != *real {
                return 0;
            }
            sum ^=
                hash(text.bytes().chain(integer.format(*real as u64).bytes())).rotate_left(sum as u32 & 63);
        }
        sum
    })
}
