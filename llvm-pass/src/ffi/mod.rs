//! The few things of LLVM's C API that inkwell lacks; the only raw `llvm_sys` calls of the crate.
//!
//! Each function takes inkwell's values, whose lifetimes tie them to their context, and gives the same back.

mod arithmetic;
mod block;
mod call;
pub mod clone;
mod import;
pub mod labels;
pub mod location;
pub mod methods;
mod module;
mod place;
mod state;

pub use arithmetic::{element_bytes, is_in_bounds, no_wrap, offset};
pub use block::{
    BOUND_METADATA, alloca_bytes, copy_location, has_address, is_plain_load, is_unrolled, mark_bounded,
    note_rounds, replace, replace_incoming, rounds, set_condition, set_successor, set_unroll_count,
    successors,
};
pub use call::{
    Callee, as_call, assembly_text, call_instruction, called_pointer, called_type_key, callee, calls_of,
    ends_block, function_argument, function_key, invoke_destination, invoke_unwind_destination,
    is_address_taken, is_volatile_operation, replace_by_function, set_called_pointer, set_callee,
    set_invoke_destination, touches_no_memory, type_key,
};
pub use import::{isolate, make_copy, names_only_what_others_know};
pub use module::{
    Global, add_used, globals, module_assembly, open_lazily, parse, set_option, set_prefix,
    take_constructors, thread_local,
};
pub use place::{call_place, function_place, place};
pub use state::{Shared, is_lock_operation, shared_variable, strip_debug_info};
