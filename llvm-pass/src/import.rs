//! Small functions of other units, lent to a unit for inlining.
//!
//! rustc makes small leaf functions inlinable in other crates, `#[inline]` or not; in incremental sessions, in which
//! the pass has it work, it does not. Without this a getter of another crate is a call, and a local whose address
//! goes into such a call keeps the calls behind it from being tail calls: an interpreter that dispatches by tail
//! calls overflows its stack.
//!
//! Invariants:
//! (1) What is lent went through its own unit's selection and guards, and keeps their marks: a function with a lock's
//!     marks in it is no leaf, one that has to keep its border is `noinline`, and neither is lent.
//! (2) A lent body is a copy that nobody emits (`available_externally`): it means nothing that the original does not,
//!     so it refers to nothing that its unit keeps to itself, but for constants whose address is nothing to anybody.
//! (3) The runtime's functions are not lent: it relies on where a thread's state is looked up.

use std::collections::{BTreeSet, HashMap};

use concord_job::Optimise;
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetMachine;
use inkwell::values::{FunctionValue, InstructionOpcode, InstructionValue};

use crate::error::Result;
use crate::ffi::{self, Callee};
use crate::names::{Language, Name};
use crate::{ir, optimise, select};

/// The longest function that is lent, in instructions: ThinLTO's limit too.
const LONGEST: usize = 100;

/// What one unit lends.
pub struct Offer {
    /// The functions' symbols.
    pub symbols: Vec<String>,
    /// A module of their bodies.
    pub bitcode: Vec<u8>,
}

impl Offer {
    /// Of a unit's `module`, simplified so that leaves are leaves, and consumed by it; `None` when there is nothing.
    ///
    /// # Errors
    /// [`crate::Error::Passes`] when LLVM cannot take the rest away.
    pub fn of(
        module: Module<'_>,
        machine: &TargetMachine,
        optimise: &Optimise,
        unit: &str,
    ) -> Result<Option<Self>> {
        let lent: Vec<_> =
            ir::definitions(&module).into_iter().filter(|function| is_lent(*function)).collect();
        if lent.is_empty() {
            return Ok(None);
        }
        ffi::isolate(&module, &lent);
        optimise::run(&module, machine, optimise::DEAD_CODE, optimise, unit)?;
        lent.iter().for_each(|function| ffi::make_copy(*function));
        let symbols = lent.into_iter().map(ir::name).collect();
        Ok(Some(Self { symbols, bitcode: module.write_bitcode_to_memory().as_slice().to_vec() }))
    }
}

fn is_lent(function: FunctionValue<'_>) -> bool {
    if function.get_linkage() != Linkage::External
        || ["noinline", "naked", "optnone"].iter().any(|attribute| ir::has_attribute(function, attribute))
    {
        return false;
    }
    let name = Name::of(&ir::name(function));
    name.language == Language::Rust && !select::is_runtime(&name) && is_small_leaf(function)
}

fn is_small_leaf(function: FunctionValue<'_>) -> bool {
    let instructions = || function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    let is_leafs = |instruction| stays_leaf(instruction) && ffi::names_only_what_others_know(instruction);
    instructions().nth(LONGEST).is_none() && instructions().all(is_leafs)
}

/// Whether an instruction calls nothing, or what LLVM or a panic does.
fn stays_leaf(instruction: InstructionValue<'_>) -> bool {
    match ffi::as_call(instruction).map(ffi::callee) {
        None => true,
        Some(Callee::Function(callee)) if callee.get_intrinsic_id() != 0 => true,
        Some(Callee::Function(_)) => {
            instruction.get_opcode() == InstructionOpcode::Call && ir::never_returns(instruction)
        }
        Some(Callee::Assembly | Callee::Pointer) => false,
    }
}

/// The offers of a link's units.
pub struct Offers {
    offers: Vec<Offer>,
    lender: HashMap<String, usize>,
}

impl Offers {
    /// Of all units, in the order of the link: the first that defines a symbol lends it.
    pub fn new(offers: Vec<Offer>) -> Self {
        let mut lender = HashMap::new();
        for (index, offer) in offers.iter().enumerate() {
            for symbol in &offer.symbols {
                lender.entry(symbol.clone()).or_insert(index);
            }
        }
        Self { offers, lender }
    }

    /// Those that lend one of the functions `declared`, in the order of the link.
    pub fn lenders(&self, declared: &[String]) -> Vec<&Offer> {
        let lenders: BTreeSet<usize> =
            declared.iter().filter_map(|symbol| self.lender.get(symbol).copied()).collect();
        lenders.into_iter().map(|index| &self.offers[index]).collect()
    }
}

/// Adds to `module` the bodies of the functions that it declares and `lenders` have.
///
/// # Errors
/// LLVM's message when an offer cannot be read or does not fit.
pub fn lend<'ctx>(
    lenders: &[&Offer],
    context: &'ctx Context,
    module: &Module<'ctx>,
) -> std::result::Result<(), String> {
    for offer in lenders {
        let copies = ffi::open_lazily(&offer.bitcode, "import", context)?;
        module.link_in_module(copies).map_err(|message| message.to_string())?;
    }
    Ok(())
}
