//! The last step: the module's native object, and the count of the probes in it.

use std::path::{Path, PathBuf};

use concord_abi::{BuildInfo, LINE_SYMBOL};
use concord_job::Optimise;
use inkwell::module::Module;
use inkwell::targets::{FileType, TargetMachine};
use inkwell::values::FunctionValue;
use object::{Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionKind};

use crate::error::{Error, Result};
use crate::{ir, second};

/// Where functions begin. The back end's own 16 bytes leave it to chance whether a hot loop straddles the
/// blocks of 32 that instructions are fetched and cached in: sorting took 15 % longer by that alone, with
/// the same instructions executed.
pub(crate) const FUNCTION_ALIGNMENT: u32 = 32;

/// Aligns the functions that are meant to be fast.
pub fn align_functions(module: &Module<'_>, optimise: &Optimise) {
    if !matches!(optimise.level.as_str(), "2" | "3") {
        return;
    }
    for function in ir::definitions(module).into_iter().filter(|function| is_fast(*function)) {
        let function = function.as_global_value();
        function.set_alignment(function.get_alignment().max(FUNCTION_ALIGNMENT));
    }
}

/// Whether a function is meant to be fast rather than small.
pub fn is_fast(function: FunctionValue<'_>) -> bool {
    !["optsize", "minsize", "cold"].into_iter().any(|attribute| ir::has_attribute(function, attribute))
}

/// Emits the object into `folder`.
///
/// # Errors
/// [`Error::Write`] with LLVM's or the system's message.
pub fn emit(module: &Module<'_>, machine: &TargetMachine, folder: &Path) -> Result<PathBuf> {
    let path = folder.join("concord.o");
    let fail = |message: String| Error::Write { path: path.clone(), message };
    machine.write_to_file(module, FileType::Object, &path).map_err(|message| fail(message.to_string()))?;
    Ok(path)
}

/// Counts the probes of an object made for an executable: each compares the line at its thread-local offset,
/// so each is one relocation of that kind.
///
/// The count differs from that of the sites: the code generator duplicates the tails of some loops, merges
/// equal ends of blocks, and drops blocks that it finds unreachable.
///
/// # Errors
/// [`Error::Read`] when the object cannot be read back.
pub fn count_probes(path: &Path) -> Result<u32> {
    let fail = |message: String| Error::Read { path: path.to_owned(), message };
    let bytes = std::fs::read(path).map_err(|error| fail(error.to_string()))?;
    let file = object::File::parse(&*bytes).map_err(|error| fail(error.to_string()))?;
    let Some(line) = file.symbols().find(|symbol| symbol.name() == Ok(LINE_SYMBOL)) else { return Ok(0) };
    let offset_kind = RelocationFlags::Elf { r_type: object::elf::R_X86_64_TPOFF32 };
    let is_probe = |relocation: &object::Relocation| {
        relocation.flags() == offset_kind && relocation.target() == RelocationTarget::Symbol(line.index())
    };
    let text = file.sections().filter(|section| section.kind() == SectionKind::Text);
    Ok(text.flat_map(|section| section.relocations()).filter(|(_, relocation)| is_probe(relocation)).count()
        as u32)
}

/// Bytes of machine code of an object's clones.
///
/// # Errors
/// [`Error::Read`] when the object cannot be read back.
pub fn bytes_of_clones(path: &Path) -> Result<u64> {
    let fail = |message: String| Error::Read { path: path.to_owned(), message };
    let bytes = std::fs::read(path).map_err(|error| fail(error.to_string()))?;
    let file = object::File::parse(&*bytes).map_err(|error| fail(error.to_string()))?;
    let is_clone =
        |symbol: &object::Symbol<'_, '_>| symbol.name().is_ok_and(|name| name.ends_with(second::SUFFIX));
    Ok(file.symbols().filter(is_clone).map(|symbol| symbol.size()).sum())
}

/// Writes the count of the emitted code into the records of the object, which were made before it.
///
/// # Errors
/// [`Error::Read`] and [`Error::Write`] for the object.
pub fn set_probe_count(path: &Path, record: &BuildInfo, probes: u32) -> Result<()> {
    let mut bytes = std::fs::read(path)
        .map_err(|error| Error::Read { path: path.to_owned(), message: error.to_string() })?;
    let old = record.to_bytes();
    let new = BuildInfo { probes, ..*record }.to_bytes();
    let places: Vec<usize> =
        bytes.windows(old.len()).enumerate().filter(|(_, window)| *window == old).map(|(at, _)| at).collect();
    for at in places {
        bytes[at..at + new.len()].copy_from_slice(&new);
    }
    std::fs::write(path, bytes)
        .map_err(|error| Error::Write { path: path.to_owned(), message: error.to_string() })
}
