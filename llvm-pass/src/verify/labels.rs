//! Reads the section of pseudo probes: where in the code the labels of [`super::marks`] ended up.
//!
//! For each label (of ours; elsewhere, for each function): a u64 that identifies it, then, as LEB128, how many records
//! and how many functions inlined in it follow. A record is an index, a byte of kind and attributes, and an address,
//! as the distance from the record before. The first record stands for the beginning of the function that the label is
//! in; instead of an address it has 8 bytes made of that function's name, the byte's highest bit being clear.

use object::{Object, ObjectSection, SectionIndex};

use super::reader::Spot;

const SECTION: &str = ".pseudo_probe";
/// Marks an address that is a distance.
const IS_DISTANCE: u8 = 0x80;
/// Of the attributes, which stand above the 4 bits of kind: a discriminator follows.
const HAS_DISCRIMINATOR: u8 = 0x40;
/// Tells the linker to leave a section out.
const SHF_EXCLUDE: u64 = 0x8000_0000;

/// The labels of an object: place and number, sorted. `function_of` says where the function of a label begins.
pub fn read(
    file: &object::File<'_>,
    function_of: &impl Fn(usize) -> Option<Spot>,
) -> Result<Vec<(SectionIndex, u64, usize)>, String> {
    let mut labels = Vec::new();
    for section in file.sections().filter(|section| section.name() == Ok(SECTION)) {
        let data = section.data().map_err(|error| error.to_string())?;
        let mut reader = Reader { data, at: 0, function_of, last: None, labels: &mut labels };
        while reader.at < data.len() {
            reader.function(None).ok_or_else(|| format!("{SECTION} ends in the middle of a record"))?;
        }
    }
    labels.sort_unstable_by_key(|&(section, address, number)| (section.0, address, number));
    labels.dedup();
    Ok(labels)
}

/// Has the linker leave the labels out of the artefact.
pub fn exclude(bytes: &mut [u8]) -> Result<(), String> {
    let (table, names) = {
        let file = object::File::parse(&*bytes).map_err(|error| error.to_string())?;
        let word = |at: usize| bytes[at..at + 8].try_into().map(u64::from_le_bytes).unwrap_or(0);
        // Of the ELF header: where the table of sections begins.
        let table = usize::try_from(word(0x28)).map_err(|error| error.to_string())?;
        let is_label =
            |section: &object::Section<'_, '_>| section.name().is_ok_and(|name| name.starts_with(SECTION));
        (table, file.sections().filter(is_label).map(|section| section.index().0).collect::<Vec<_>>())
    };
    for index in names {
        // An entry is 64 bytes, its flags the u64 at 8.
        let at = table + index * 64 + 8;
        let flags = bytes.get_mut(at..at + 8).ok_or("the table of sections is cut off")?;
        let old = u64::from_le_bytes((&*flags).try_into().unwrap_or_default());
        flags.copy_from_slice(&(old | SHF_EXCLUDE).to_le_bytes());
    }
    Ok(())
}

struct Reader<'a, F> {
    data: &'a [u8],
    at: usize,
    function_of: &'a F,
    /// The record before.
    last: Option<(SectionIndex, u64)>,
    labels: &'a mut Vec<(SectionIndex, u64, usize)>,
}

impl<F: Fn(usize) -> Option<Spot>> Reader<'_, F> {
    /// `None` at an untimely end. What is inlined belongs to the label of the outermost.
    fn function(&mut self, of: Option<u64>) -> Option<()> {
        let own = u64::from_le_bytes(self.data.get(self.at..self.at + 8)?.try_into().ok()?);
        self.at += 8;
        let number = of.unwrap_or(own);
        let records = self.unsigned()?;
        let inlined = self.unsigned()?;
        for _ in 0..records {
            self.record(number)?;
        }
        for _ in 0..inlined {
            self.unsigned()?;
            self.function(Some(number))?;
        }
        Some(())
    }

    fn record(&mut self, number: u64) -> Option<()> {
        let index = self.unsigned()?;
        let kind = *self.data.get(self.at)?;
        self.at += 1;
        if kind & IS_DISTANCE == 0 {
            self.last = (self.function_of)(usize::try_from(number).ok()?.checked_sub(1)?);
            self.at += 8;
        } else {
            let distance = self.signed()?;
            self.last = self.last.map(|(section, address)| (section, address.wrapping_add_signed(distance)));
        }
        if kind & HAS_DISCRIMINATOR != 0 {
            self.unsigned()?;
        }
        // Index 0 stands for the function's beginning; kinds other than 0 are calls, which are not ours.
        if let Some((section, address)) = self.last.filter(|_| index != 0 && kind & 0xf == 0) {
            self.labels.push((section, address, usize::try_from(number).ok()?.checked_sub(1)?));
        }
        Some(())
    }

    fn unsigned(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let byte = *self.data.get(self.at)?;
            self.at += 1;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
    }

    fn signed(&mut self) -> Option<i64> {
        let start = self.at;
        let value = self.unsigned()?;
        let bits = 7 * (self.at - start) as u32;
        let is_negative = self.data[self.at - 1] & 0x40 != 0;
        let value = if is_negative && bits < 64 { value | (u64::MAX << bits) } else { value };
        Some(value.cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_with_addresses_and_distances() {
        let mut data = 7u64.to_le_bytes().to_vec();
        // Three records, none inlined: the function's beginning, 16 bytes on, 3 bytes back.
        data.extend([3, 0, 0, 0x20]);
        data.extend([0; 8]);
        data.extend([1, 0x80, 16, 1, 0x80, 0x7d]);
        let function_of = |number| (number == 6).then_some((SectionIndex(2), 100));
        let mut labels = Vec::new();
        let mut reader =
            Reader { data: &data, at: 0, function_of: &function_of, last: None, labels: &mut labels };
        assert_eq!(reader.function(None), Some(()));
        assert_eq!(reader.at, data.len());
        assert_eq!(labels, [(SectionIndex(2), 116, 6), (SectionIndex(2), 113, 6)]);
        let mut cut =
            Reader { data: &data[..14], at: 0, function_of: &function_of, last: None, labels: &mut labels };
        assert_eq!(cut.function(None), None);
    }
}
