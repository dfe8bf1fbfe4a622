//! Static constructors and destructors, as ELF wants them: pointers in `.init_array` and `.fini_array`.
//!
//! LLVM's C API makes machines that write `llvm.global_ctors` to `.ctors`, which no C library of today runs, and
//! has no call to change that. Each entry therefore becomes a pointer in the right section itself.

use inkwell::module::Module;

use crate::ffi;

/// LLVM's lists, and the sections that take their place.
const LISTS: [(&str, &str); 2] = [("llvm.global_ctors", ".init_array"), ("llvm.global_dtors", ".fini_array")];

/// Lowest urgency: such entries run in the order of the plain section, after all those with a number.
const ORDINARY: u32 = 65_535;

/// Moves the entries of both lists to their sections.
pub fn lower(module: &Module<'_>) {
    let mut pointers = Vec::new();
    for (list, section) in LISTS {
        for (index, (priority, function)) in ffi::take_constructors(module, list).into_iter().enumerate() {
            let pointer = module.add_global(function.get_type(), None, &format!("concord{section}.{index}"));
            pointer.set_linkage(inkwell::module::Linkage::Internal);
            pointer.set_initializer(&function);
            pointer.set_alignment(8);
            // The linker sorts numbered sections: a lower number runs first.
            let name = match priority {
                ORDINARY => section.to_owned(),
                _ => format!("{section}.{priority:05}"),
            };
            pointer.set_section(Some(&name));
            pointers.push(pointer);
        }
    }
    if !pointers.is_empty() {
        ffi::add_used(module, &pointers);
    }
}
