//! The note that the pass leaves in each artefact.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use concord_abi::{BuildInfo, NOTE_OWNER, NOTE_SECTION, NOTE_TYPE};
use object::read::elf::{ElfFile64, NoteIterator};
use object::{Endianness, Object as _, ObjectSection as _};

/// Reads the record of the binary at `path`; `None` for one that was built without Concord.
///
/// # Errors
/// When the file cannot be read, is no ELF binary, or has a note that is damaged.
pub(crate) fn read(path: &Path) -> Result<Option<BuildInfo>> {
    let data = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let file = ElfFile64::<Endianness>::parse(&*data)
        .with_context(|| format!("{} is not a 64-bit ELF binary", path.display()))?;
    let Some(section) = file.section_by_name(NOTE_SECTION) else { return Ok(None) };
    let damaged = || format!("the section {NOTE_SECTION} of {} is damaged", path.display());
    let contents = section.data().with_context(damaged)?;
    find(contents).with_context(damaged).map(Some)
}

fn find(section: &[u8]) -> Result<BuildInfo> {
    let mut notes =
        NoteIterator::<object::elf::FileHeader64<Endianness>>::new(Endianness::Little, 4, section)?;
    while let Some(note) = notes.next()? {
        if note.name() == NOTE_OWNER.as_bytes() && note.n_type(Endianness::Little).0 == NOTE_TYPE {
            return BuildInfo::from_bytes(note.desc())
                .context("the record is cut short or has another magic word");
        }
    }
    bail!("no note of {NOTE_OWNER}, type {NOTE_TYPE}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(owner: &str, kind: u32, record: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for word in [owner.len() as u32 + 1, record.len() as u32, kind] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(owner.as_bytes());
        bytes.resize(bytes.len() / 4 * 4 + 4, 0);
        bytes.extend(record);
        bytes
    }

    #[test]
    fn the_record_is_found_among_other_notes() {
        let info = BuildInfo {
            magic: concord_abi::BUILD_INFO_MAGIC,
            abi_version: 1,
            functions: 2,
            probes: 3,
            loops: 4,
            flags: 1,
            options_hash: 5,
        };
        let mut section = note("GNU", 1, &[1, 2, 3, 4]);
        section.extend(note(NOTE_OWNER, NOTE_TYPE, &info.to_bytes()));
        assert_eq!(find(&section).unwrap(), info);
    }

    #[test]
    fn damaged_notes_are_told() {
        assert!(find(&note(NOTE_OWNER, NOTE_TYPE, &[0; 32])).is_err());
        assert!(find(&note("GNU", 1, &[0; 32])).unwrap_err().to_string().contains("no note"));
        assert!(find(&[1, 2, 3]).is_err());
    }

    #[test]
    fn files_that_are_no_binaries_are_refused_and_plain_binaries_have_no_note() {
        let folder = tempfile::tempdir().unwrap();
        let garbage = folder.path().join("garbage");
        std::fs::write(&garbage, "not a binary").unwrap();
        assert!(read(&garbage).unwrap_err().to_string().contains("not a 64-bit ELF binary"));
        assert!(read(&folder.path().join("missing")).is_err());
        assert_eq!(read(&std::env::current_exe().unwrap()).unwrap(), None);
    }
}
