//! Small recursive functions are inlined into themselves.
//!
//! A recursive function pays for a probe in each call; a Fibonacci of a dozen instructions pays a fifth of its time.
//! LLVM never inlines a function into itself. So the body is copied ([`clone`]); the function's calls of itself go to
//! the copy, whose own calls go to the function; the always-inliner then merges the two, and what was two calls
//! deep is one. Each round adds a level, until the body has grown enough. In the end the [`Leaf`] is copied to the
//! calls that are left; functions that are larger, or have loops that do their work, get that alone.
//!
//! A frame stands for several levels of the source; debug information says so, as for all inlined code.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::targets::TargetMachine;
use inkwell::values::{FunctionValue, InstructionValue};

use super::Settings;
use super::leaf::Leaf;
use super::recursion::{Recursion, self_calls, size};
use super::repeat::{self, Repeat};
use crate::error::{Error, Result};
use crate::ffi::{self, clone};
use crate::{ir, optimise};

/// Instructions of a body that is inlined; a probe in one that is larger costs little.
const MOST_BEFORE: usize = 80;
/// Instructions that a body may grow to.
const MOST_AFTER: usize = 450;
/// Levels that one body may hold.
const MOST_LEVELS: usize = 8;
/// Bytes of local variables that a frame may come to.
const MOST_LOCALS: u64 = 512;
/// Instructions that the leaves may add to a body.
const MOST_LEAVES: usize = 300;
/// The module may grow by this part of its instructions, or by [`LEAST_GROWTH`] when that is more.
const GROWTH: usize = 50;
const LEAST_GROWTH: usize = 10 * (MOST_AFTER + MOST_LEAVES);

/// What makes one function of the levels.
const SIMPLIFY: &str = "instcombine,simplifycfg,early-cse";

/// Runs the transformation.
///
/// # Errors
/// [`Error::Passes`] when LLVM refuses one of its own passes.
pub fn run(module: &Module<'_>, machine: &TargetMachine, settings: &Settings<'_>) -> Result<()> {
    let recursions = choose(module);
    if recursions.is_empty() {
        return Ok(());
    }
    let stage = SelfInline { module, machine, settings };
    stage.repeat_loops(&recursions)?;
    // Later the bodies hold levels.
    let leaves = recursions.iter().map(|recursion| stage.leaf(recursion)).collect::<Result<Vec<_>>>()?;
    stage.add_levels(&recursions)?;
    for (recursion, leaf) in recursions.iter().zip(leaves) {
        let Some(leaf) = leaf else { continue };
        let calls = self_calls(recursion.function);
        if size(leaf) * calls.len() <= MOST_LEAVES {
            inline_at(&calls, leaf);
        } else {
            clone::delete(leaf);
        }
    }
    stage.merge(&recursions)
}

/// The functions that there is room for.
fn choose<'ctx>(module: &Module<'ctx>) -> Vec<Recursion<'ctx>> {
    let definitions = ir::definitions(module);
    let instructions: usize = definitions.iter().map(|function| size(*function)).sum();
    let mut room = (instructions / GROWTH).max(LEAST_GROWTH);
    let mut recursions: Vec<_> = definitions.into_iter().filter_map(Recursion::of).collect();
    // The smallest gain most; among equals the order is the module's.
    recursions.sort_by_key(|recursion| recursion.size);
    recursions.retain(|recursion| {
        let growth = MOST_LEAVES + if is_small(recursion) { MOST_AFTER } else { 0 };
        let fits = growth <= room;
        if fits {
            room -= growth;
        }
        fits
    });
    recursions
}

fn is_small(recursion: &Recursion<'_>) -> bool {
    recursion.size <= MOST_BEFORE && !recursion.works_in_loops
}

struct SelfInline<'a, 'ctx> {
    module: &'a Module<'ctx>,
    machine: &'a TargetMachine,
    settings: &'a Settings<'a>,
}

impl<'ctx> SelfInline<'_, 'ctx> {
    fn repeat_loops(&self, recursions: &[Recursion<'ctx>]) -> Result<()> {
        let repeat = Repeat::new(self.module);
        for recursion in recursions.iter().filter(|recursion| is_small(recursion)) {
            if repeat.mark(recursion.function, recursion.size) {
                self.run_passes(recursion.function, repeat::PASSES)?;
            }
        }
        repeat.reveal().map_err(|error| self.refusal(repeat::PASSES, error.to_string()))?;
        self.merge(recursions)
    }

    fn leaf(&self, recursion: &Recursion<'ctx>) -> Result<Option<FunctionValue<'ctx>>> {
        let function = recursion.function;
        let Some(leaf) = Leaf::of(function) else { return Ok(None) };
        let copy = leaf.copy(self.module, &format!("{}.leaf", ir::name(function)));
        self.run_passes(copy, SIMPLIFY)?;
        Ok(Some(copy))
    }

    fn add_levels(&self, recursions: &[Recursion<'ctx>]) -> Result<()> {
        let copy = |function, name: &str| clone::function(self.module, function, name);
        let mut open: Vec<_> = recursions
            .iter()
            .filter(|recursion| is_small(recursion))
            .map(|recursion| (recursion, copy(recursion.function, &ir::name(recursion.function))))
            .collect();
        let templates: Vec<_> = open.iter().map(|(_, template)| *template).collect();
        for _ in 1..MOST_LEVELS {
            open.retain(|(recursion, template)| has_room(recursion, *template));
            if open.is_empty() {
                break;
            }
            for (recursion, template) in &open {
                let level = copy(*template, &format!("{}.level", ir::name(recursion.function)));
                inline_at(&self_calls(recursion.function), level);
            }
            self.merge(recursions)?;
        }
        templates.into_iter().for_each(clone::delete);
        Ok(())
    }

    /// Inlines what is to be inlined, and makes one body of it where levels were added. Larger functions keep the
    /// shape that their loops were given.
    fn merge(&self, recursions: &[Recursion<'ctx>]) -> Result<()> {
        let (optimise, artefact) = (self.settings.optimise, self.settings.artefact);
        optimise::run(self.module, self.machine, "always-inline", optimise, artefact)?;
        let mut small = recursions.iter().filter(|recursion| is_small(recursion));
        small.try_for_each(|recursion| self.run_passes(recursion.function, SIMPLIFY))
    }

    fn run_passes(&self, function: FunctionValue<'ctx>, passes: &str) -> Result<()> {
        function
            .run_passes(passes, self.machine, optimise::options(self.settings.optimise))
            .map_err(|message| self.refusal(passes, message.to_string()))
    }

    fn refusal(&self, passes: &str, message: String) -> Error {
        Error::Passes { passes: passes.to_owned(), unit: self.settings.artefact.to_owned(), message }
    }
}

/// Whether a function may take in `template` at each of its calls of itself.
fn has_room<'ctx>(recursion: &Recursion<'ctx>, template: FunctionValue<'ctx>) -> bool {
    let calls = self_calls(recursion.function).len();
    let grown = size(recursion.function) + size(template) * calls;
    let levels = grown / size(template).max(1);
    calls > 0 && grown <= MOST_AFTER && recursion.locals * levels as u64 <= MOST_LOCALS
}

/// Makes `calls` calls of `callee`, which is to be inlined there.
fn inline_at<'ctx>(calls: &[InstructionValue<'ctx>], callee: FunctionValue<'ctx>) {
    let no_inline = Attribute::get_named_enum_kind_id("noinline");
    callee.remove_enum_attribute(AttributeLoc::Function, no_inline);
    ir::add_attributes(callee, callee.get_type().get_context(), &["alwaysinline"]);
    for call in calls {
        if let Some(site) = ffi::as_call(*call) {
            site.remove_enum_attribute(AttributeLoc::Function, no_inline);
        }
        ffi::set_callee(*call, callee);
    }
}
