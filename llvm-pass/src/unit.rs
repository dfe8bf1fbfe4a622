//! The units of a link: objects and archive members, native and bitcode, with their symbols.

use std::path::{Path, PathBuf};

use concord_job::{Input, TakenMember};
use inkwell::context::Context;
use inkwell::targets::FileType;
use llvm_sys::LLVMLinkage;
use object::read::archive::ArchiveFile;
use object::{Object, ObjectKind, ObjectSection, ObjectSymbol};

use crate::error::{Error, Result};
use crate::resolve::{UnitKind, UnitSymbols};
use crate::{ffi, target};

/// One object, archive member or shared library.
pub struct Unit {
    /// `path` or `path(member)`, for messages.
    pub name: String,
    /// Bitcode, empty for others: the real linker reads those itself.
    pub bitcode: Vec<u8>,
    /// For [`crate::resolve`].
    pub symbols: UnitSymbols,
    /// For a member of a standard crate: which. Its bitcode is already optimised; it has none when the
    /// toolchain ships native code alone.
    pub standard: Option<TakenMember>,
}

/// Whether `bytes` are LLVM bitcode, bare or in its wrapper.
pub fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(&[0xde, 0xc0, 0x17, 0x0b])
}

/// Reads all units of a link, in command-line order.
///
/// # Errors
/// When an input cannot be read or is neither object, archive, shared library nor readable bitcode.
pub fn read_all(inputs: &[Input]) -> Result<Vec<Unit>> {
    let mut units = Vec::new();
    for input in inputs {
        match input {
            Input::Object { path } => units.push(read_unit(path, &path_name(path), &read(path)?, false)?),
            Input::Archive { path, whole, standard } => read_archive(path, *whole, *standard, &mut units)?,
            Input::Shared { path } => units.extend(read_shared(path)?),
        }
    }
    Ok(units)
}

fn path_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| Error::Read { path: path.to_owned(), message: error.to_string() })
}

fn read_archive(path: &Path, whole: bool, standard: bool, units: &mut Vec<Unit>) -> Result<()> {
    let data = read(path)?;
    let fail = |message: String| Error::Read { path: path.to_owned(), message };
    let archive = ArchiveFile::parse(&*data).map_err(|error| fail(error.to_string()))?;
    for member in archive.members() {
        let member = member.map_err(|error| fail(error.to_string()))?;
        let member_name = String::from_utf8_lossy(member.name()).into_owned();
        let external;
        let bytes = if member.is_thin() {
            external = read(&path.with_file_name(&member_name))?;
            &external[..]
        } else {
            member.data(&*data).map_err(|error| fail(error.to_string()))?
        };
        if is_bitcode(bytes) || bytes.starts_with(b"\x7fELF") && !is_metadata(&member_name) {
            let name = format!("{}({member_name})", path_name(path));
            let bytes = if standard { embedded_bitcode(path, bytes)?.unwrap_or(bytes) } else { bytes };
            let mut unit = read_unit(path, &name, bytes, !whole)?;
            unit.standard =
                standard.then(|| TakenMember { archive: path.to_owned(), member: member_name.clone() });
            units.push(unit);
        }
    }
    Ok(())
}

/// The bitcode that rustc leaves beside the native code of the standard library.
fn embedded_bitcode<'data>(path: &Path, bytes: &'data [u8]) -> Result<Option<&'data [u8]>> {
    const SECTION: &str = ".llvmbc";
    let fail = |error: object::Error| Error::Read { path: path.to_owned(), message: error.to_string() };
    if is_bitcode(bytes) {
        return Ok(None);
    }
    let file = object::File::parse(bytes).map_err(fail)?;
    let section = file.section_by_name(SECTION).map(|section| section.data()).transpose().map_err(fail)?;
    Ok(section.filter(|data| is_bitcode(data)))
}

/// rustc's crate metadata is an ELF file that no linker wants.
fn is_metadata(member: &str) -> bool {
    member.ends_with(".rmeta")
}

fn read_unit(path: &Path, name: &str, bytes: &[u8], on_demand: bool) -> Result<Unit> {
    let (bitcode, symbols) = if is_bitcode(bytes) {
        let fail = |message| Error::Bitcode { unit: name.to_owned(), message };
        (bytes.to_vec(), bitcode_symbols(bytes, name, on_demand).map_err(fail)?)
    } else {
        (Vec::new(), native_symbols(path, bytes, on_demand)?)
    };
    Ok(Unit { name: name.to_owned(), bitcode, symbols, standard: None })
}

fn bitcode_symbols(bytes: &[u8], name: &str, on_demand: bool) -> std::result::Result<UnitSymbols, String> {
    let context = Context::create();
    let module = ffi::open_lazily(bytes, name, &context)?;
    let mut symbols = empty(UnitKind::Bitcode, on_demand);
    for global in ffi::globals(&module) {
        if global.name.starts_with("llvm.") {
            continue;
        }
        if !global.is_declaration {
            if global.is_resolvable() {
                symbols.defined.push(global.name);
            } else if global.linkage == LLVMLinkage::LLVMAvailableExternallyLinkage {
                symbols.undefined.push(global.name);
            }
        } else if global.linkage == LLVMLinkage::LLVMExternalWeakLinkage {
            symbols.weak_undefined.push(global.name);
        } else {
            symbols.undefined.push(global.name);
        }
    }
    let assembly = ffi::module_assembly(&module);
    if !assembly.trim().is_empty() {
        add_assembly_symbols(&module, &assembly, &mut symbols)?;
    }
    Ok(symbols)
}

/// Assembles the module's assembly by itself: its symbols are not in the IR.
fn add_assembly_symbols(
    module: &inkwell::module::Module<'_>,
    assembly: &str,
    symbols: &mut UnitSymbols,
) -> std::result::Result<(), String> {
    let context = Context::create();
    let alone = context.create_module("assembly");
    alone.set_triple(&module.get_triple());
    alone.set_inline_assembly(assembly);
    let optimise = concord_job::Optimise {
        level: "0".to_owned(),
        lto: concord_job::Lto::Off,
        cpu: None,
        debug_info: false,
    };
    let machine = target::machine(&alone, &optimise).map_err(|error| error.to_string())?;
    let object =
        machine.write_to_memory_buffer(&alone, FileType::Object).map_err(|error| error.to_string())?;
    let file = object::File::parse(object.as_slice()).map_err(|error| error.to_string())?;
    for symbol in file.symbols().filter(|symbol| symbol.is_global()) {
        let Ok(name) = symbol.name() else { continue };
        if symbol.is_undefined() {
            symbols.undefined.push(name.to_owned());
        } else {
            symbols.defined.push(name.to_owned());
        }
        symbols.assembly.push(name.to_owned());
    }
    Ok(())
}

fn native_symbols(path: &Path, bytes: &[u8], on_demand: bool) -> Result<UnitSymbols> {
    let file = object::File::parse(bytes)
        .map_err(|error| Error::Read { path: path.to_owned(), message: error.to_string() })?;
    let mut symbols = empty(UnitKind::Native, on_demand);
    if file.kind() == ObjectKind::Dynamic {
        symbols.kind = UnitKind::Shared;
        sort_symbols(file.dynamic_symbols(), &mut symbols);
    } else {
        sort_symbols(file.symbols(), &mut symbols);
    }
    Ok(symbols)
}

fn sort_symbols<'data>(list: impl Iterator<Item = impl ObjectSymbol<'data>>, symbols: &mut UnitSymbols) {
    for symbol in list.filter(ObjectSymbol::is_global) {
        let Ok(name) = symbol.name() else { continue };
        let name = name.to_owned();
        match (symbol.is_undefined(), symbol.is_weak()) {
            (false, _) => symbols.defined.push(name),
            (true, false) => symbols.undefined.push(name),
            (true, true) => symbols.weak_undefined.push(name),
        }
    }
}

/// A shared library, or the libraries that a linker script of that name (glibc's `libc.so`) lists.
fn read_shared(path: &Path) -> Result<Vec<Unit>> {
    let bytes = read(path)?;
    if bytes.starts_with(b"\x7fELF") {
        return Ok(vec![read_unit(path, &path_name(path), &bytes, false)?]);
    }
    let script = String::from_utf8_lossy(&bytes);
    let listed = script.split_whitespace().filter(|word| word.starts_with('/')).map(PathBuf::from);
    let mut units = Vec::new();
    for library in listed.filter(|path| path.exists()) {
        if library.extension().is_some_and(|extension| extension == "a") {
            read_archive(&library, false, false, &mut units)?;
        } else {
            units.push(read_unit(&library, &path_name(&library), &read(&library)?, false)?);
        }
    }
    Ok(units)
}

fn empty(kind: UnitKind, on_demand: bool) -> UnitSymbols {
    UnitSymbols {
        kind,
        on_demand,
        defined: Vec::new(),
        undefined: Vec::new(),
        weak_undefined: Vec::new(),
        assembly: Vec::new(),
    }
}
