//! Archives and object files: telling bitcode from native code, and writing archives without bitcode.

use std::fs::File;
use std::io::{BufWriter, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream};
use object::read::archive::ArchiveFile;

/// What a file is, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// LLVM bitcode.
    Bitcode,
    /// ELF relocatable object.
    Object,
    /// ELF shared object.
    Shared,
    /// `ar` archive, its members inside.
    Archive,
    /// `ar` archive that only names its members.
    ThinArchive,
    /// Anything else, a linker script for instance.
    Other,
}

impl Format {
    /// The format of a file that begins with `head` (at least 18 bytes where it has them).
    pub(crate) fn of(head: &[u8]) -> Self {
        const ELF_TYPE: usize = 16;
        match head {
            [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] => Self::Bitcode,
            [0x7f, b'E', b'L', b'F', ..] => match head.get(ELF_TYPE) {
                Some(1) => Self::Object,
                Some(3) => Self::Shared,
                _ => Self::Other,
            },
            _ if head.starts_with(b"!<arch>\n") => Self::Archive,
            _ if head.starts_with(b"!<thin>\n") => Self::ThinArchive,
            _ => Self::Other,
        }
    }

    /// The format of the file at `path`.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn of_file(path: &Path) -> Result<Self> {
        let read = || -> std::io::Result<Self> {
            let mut head = Vec::new();
            File::open(path)?.take(18).read_to_end(&mut head)?;
            Ok(Self::of(&head))
        };
        read().with_context(|| format!("cannot read {}", path.display()))
    }
}

/// A member of an archive.
pub(crate) struct Member {
    /// Its name.
    pub(crate) name: String,
    /// Its bytes.
    pub(crate) data: Vec<u8>,
}

impl Member {
    /// Whether it is bitcode.
    pub(crate) fn is_bitcode(&self) -> bool {
        Format::of(&self.data) == Format::Bitcode
    }

    /// Whether the linker could use it: rustc's metadata is an object without code.
    fn is_linkable(&self) -> bool {
        self.name != "lib.rmeta" && Format::of(&self.data) == Format::Object
    }
}

/// Names of the bitcode members of the archive at `path`.
///
/// # Errors
/// When it cannot be read as an archive.
pub(crate) fn bitcode_members(path: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for_each_member(path, |name, data| {
        if Format::of(data) == Format::Bitcode {
            names.push(name.to_owned());
        }
        Ok(())
    })?;
    Ok(names)
}

/// The members of the archive at `path`, in order.
///
/// # Errors
/// When it cannot be read as an archive.
pub(crate) fn members(path: &Path) -> Result<Vec<Member>> {
    let mut members = Vec::new();
    for_each_member(path, |name, data| {
        members.push(Member { name: name.to_owned(), data: data.to_vec() });
        Ok(())
    })?;
    Ok(members)
}

fn for_each_member(path: &Path, mut visit: impl FnMut(&str, &[u8]) -> Result<()>) -> Result<()> {
    let broken = || format!("cannot read the archive {}", path.display());
    let data = std::fs::read(path).with_context(broken)?;
    let archive = ArchiveFile::parse(&*data).with_context(broken)?;
    for member in archive.members() {
        let member = member.with_context(broken)?;
        let name = String::from_utf8_lossy(member.name());
        if member.is_thin() {
            let file = path.parent().unwrap_or(Path::new(".")).join(&*name);
            let data = std::fs::read(&file)
                .with_context(|| format!("cannot read {}, a member of {}", file.display(), path.display()))?;
            visit(&name, &data)?;
        } else {
            visit(&name, member.data(&*data).with_context(broken)?)?;
        }
    }
    Ok(())
}

/// Writes the archive `from` to `to` without its bitcode and without the members of which `is_taken` is true;
/// `false` when nothing linkable was left.
///
/// # Errors
/// When one of the two cannot be read or written.
pub(crate) fn write_native_members(from: &Path, to: &Path, is_taken: impl Fn(&str) -> bool) -> Result<bool> {
    let mut members = members(from)?;
    members.retain(|member| !member.is_bitcode() && !is_taken(&member.name));
    if !members.iter().any(Member::is_linkable) {
        return Ok(false);
    }
    write(to, &members)?;
    Ok(true)
}

/// Writes the thin archive `from` as an ordinary one.
///
/// # Errors
/// When a member cannot be read or the archive cannot be written.
pub(crate) fn write_with_members(from: &Path, to: &Path) -> Result<()> {
    write(to, &members(from)?)
}

/// Writes an archive with a symbol index.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn write(path: &Path, members: &[Member]) -> Result<()> {
    let unwritten = || format!("cannot write the archive {}", path.display());
    let members: Vec<_> = members
        .iter()
        .map(|member| NewArchiveMember::new(&*member.data, &DEFAULT_OBJECT_READER, member.name.clone()))
        .collect();
    let mut bytes = Cursor::new(Vec::new());
    write_archive_to_stream(&mut bytes, &members, ArchiveKind::Gnu, false, None).with_context(unwritten)?;
    let mut file = BufWriter::new(File::create(path).with_context(unwritten)?);
    file.write_all(bytes.get_ref()).and_then(|()| file.flush()).with_context(unwritten)
}

/// Fails when one of `inputs` is bitcode or has a bitcode member: the real linker would compile it without
/// a word, and the artefact would hold code without probes.
///
/// # Errors
/// Names the first such input; also when one cannot be read.
pub(crate) fn refuse_bitcode(inputs: &[PathBuf]) -> Result<()> {
    for path in inputs {
        let bitcode = match Format::of_file(path)? {
            Format::Bitcode => Some(path.display().to_string()),
            Format::Archive | Format::ThinArchive => {
                bitcode_members(path)?.first().map(|member| format!("{member} in {}", path.display()))
            }
            _ => None,
        };
        if let Some(name) = bitcode {
            bail!("{name} is bitcode that would reach the linker without probes; please report this link");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BITCODE: &[u8] = b"BC\xc0\xde rest";

    fn elf(kind: u8) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        bytes[..4].copy_from_slice(b"\x7fELF");
        bytes[16] = kind;
        bytes
    }

    fn member(name: &str, data: &[u8]) -> Member {
        Member { name: name.to_owned(), data: data.to_vec() }
    }

    #[test]
    fn formats_are_told_by_their_first_bytes() {
        assert_eq!(Format::of(BITCODE), Format::Bitcode);
        assert_eq!(Format::of(&[0xde, 0xc0, 0x17, 0x0b]), Format::Bitcode);
        assert_eq!(Format::of(&elf(1)), Format::Object);
        assert_eq!(Format::of(&elf(3)), Format::Shared);
        assert_eq!(Format::of(b"!<arch>\n"), Format::Archive);
        assert_eq!(Format::of(b"!<thin>\n"), Format::ThinArchive);
        assert_eq!(Format::of(b"GROUP ( libc.so.6 )"), Format::Other);
        assert_eq!(Format::of(b""), Format::Other);
    }

    #[test]
    fn bitcode_members_are_taken_out_and_the_rest_stays_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let (mixed, native) = (folder.path().join("mixed.a"), folder.path().join("native.a"));
        let long_name = "a-member-with-a-name-longer-than-sixteen-letters.o";
        let all = [member("a.o", BITCODE), member(long_name, &elf(1)), member("b.o", BITCODE)];
        write(&mixed, &all).unwrap();
        assert_eq!(bitcode_members(&mixed).unwrap(), ["a.o", "b.o"]);
        assert!(refuse_bitcode(std::slice::from_ref(&mixed)).unwrap_err().to_string().contains("a.o in"));

        assert!(!write_native_members(&mixed, &native, |name| name == long_name).unwrap());
        assert!(write_native_members(&mixed, &native, |_| false).unwrap());
        let names: Vec<_> = members(&native).unwrap().into_iter().map(|member| member.name).collect();
        assert_eq!(names, [long_name]);
        refuse_bitcode(&[native]).unwrap();
    }

    #[test]
    fn an_archive_of_bitcode_and_metadata_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let rlib = folder.path().join("lib.rlib");
        write(&rlib, &[member("lib.rmeta", &elf(1)), member("a.o", BITCODE)]).unwrap();
        assert!(!write_native_members(&rlib, &folder.path().join("out.a"), |_| false).unwrap());
    }

    #[test]
    fn thin_archives_are_read_through_to_their_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a.o"), BITCODE).unwrap();
        let mut bytes = Cursor::new(Vec::new());
        let members = [NewArchiveMember::new(BITCODE, &DEFAULT_OBJECT_READER, "a.o".to_owned())];
        write_archive_to_stream(&mut bytes, &members, ArchiveKind::Gnu, true, None).unwrap();
        std::fs::write(at("thin.a"), bytes.get_ref()).unwrap();
        assert_eq!(Format::of_file(&at("thin.a")).unwrap(), Format::ThinArchive);
        assert_eq!(bitcode_members(&at("thin.a")).unwrap(), ["a.o"]);

        write_with_members(&at("thin.a"), &at("full.a")).unwrap();
        assert_eq!(Format::of_file(&at("full.a")).unwrap(), Format::Archive);
        assert_eq!(super::members(&at("full.a")).unwrap()[0].data, BITCODE);
        std::fs::remove_file(at("a.o")).unwrap();
        assert!(bitcode_members(&at("thin.a")).unwrap_err().to_string().contains("a member of"));
    }

    #[test]
    fn broken_archives_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("broken.a");
        std::fs::write(&path, b"!<arch>\nnot a header").unwrap();
        assert!(format!("{:#}", members(&path).err().unwrap()).contains("broken.a"));
    }
}
