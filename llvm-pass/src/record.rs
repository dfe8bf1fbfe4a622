//! What a build leaves in its artefact: the record that the runtime and `cargo concord doctor` read.

use concord_abi::{BUILD_INFO_SYMBOL, BuildInfo, NOTE_OWNER, NOTE_SECTION, NOTE_TYPE};
use inkwell::GlobalVisibility;
use inkwell::module::Module;
use inkwell::values::GlobalValue;

use crate::ffi;

/// Adds the record twice: behind its symbol, and in an ELF note.
pub fn add(module: &Module<'_>, info: &BuildInfo) {
    let record = bytes(module, BUILD_INFO_SYMBOL, &info.to_bytes());
    record.set_visibility(GlobalVisibility::Hidden);
    let note = bytes(module, "concord_note", &note_bytes(info));
    note.set_linkage(inkwell::module::Linkage::Private);
    note.set_section(Some(NOTE_SECTION));
    ffi::add_used(module, &[record, note]);
}

fn bytes<'ctx>(module: &Module<'ctx>, name: &str, content: &[u8]) -> GlobalValue<'ctx> {
    let value = module.get_context().const_string(content, false);
    // The runtime's own reference stands in assembly, which needs no declaration here.
    let variable = module.add_global(value.get_type(), None, name);
    variable.set_constant(true);
    variable.set_alignment(4);
    variable.set_initializer(&value);
    variable
}

/// The note as the ELF specification lays it out: sizes and type, owner, description, each padded to 4 bytes.
fn note_bytes(info: &BuildInfo) -> Vec<u8> {
    let description = info.to_bytes();
    let mut owner = NOTE_OWNER.as_bytes().to_vec();
    owner.push(0);
    let mut note = Vec::new();
    for word in [owner.len() as u32, description.len() as u32, NOTE_TYPE] {
        note.extend_from_slice(&word.to_le_bytes());
    }
    note.extend_from_slice(&owner);
    note.resize(note.len().next_multiple_of(4), 0);
    note.extend_from_slice(&description);
    note
}
