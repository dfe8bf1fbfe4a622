//! PROBE: the last stage. Places probes in the optimised module and gives the guards' marks their code.
//!
//! Nothing runs on the IR after it but the always-inliner, so that no pass moves a probe out of its loop.

pub mod call_graph;
pub mod emit;
pub mod plan;

use concord_job::{Instrument, Optimise, OutputKind, Probes};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::module::Module;
use inkwell::targets::TargetMachine;
use inkwell::values::{FunctionValue, InstructionValue};

use crate::error::{Error, Result};
use crate::ffi::{self, Callee};
use crate::guard::{catalogue, mark};
use crate::names::Name;
use crate::{ir, optimise, select};
use call_graph::CallGraph;
use emit::Emitter;
use plan::{Plan, Shape, Site};

/// What was placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placed {
    /// Probes.
    pub probes: u32,
    /// Loops in functions with probes.
    pub loops: u32,
}

/// What the stage needs to know beside the module.
pub struct Settings<'a> {
    /// The profile.
    pub optimise: &'a Optimise,
    /// Executable or shared object: decides the thread-local access.
    pub output: OutputKind,
    /// Whether the link brings the runtime's symbols.
    pub has_runtime: bool,
    /// What stands at the sites, and the bound between them.
    pub instrument: &'a Instrument,
    /// For messages.
    pub artefact: &'a str,
}

/// Runs the stage.
///
/// # Errors
/// [`Error::Passes`] when LLVM refuses the inlining or unrolling.
pub fn insert(module: &Module<'_>, machine: &TargetMachine, settings: &Settings<'_>) -> Result<Placed> {
    if matches!(settings.optimise.level.as_str(), "2" | "3") {
        unroll_small_loops(module, machine, settings)?;
    }
    let placed = place(module, settings).map_err(|error| Error::Passes {
        passes: "probe".to_owned(),
        unit: settings.artefact.to_owned(),
        message: error.to_string(),
    })?;
    optimise::run(module, machine, "always-inline,globaldce", settings.optimise, settings.artefact)?;
    Ok(placed)
}

fn place(module: &Module<'_>, settings: &Settings<'_>) -> std::result::Result<Placed, BuilderError> {
    let emitter = Emitter::new(module, settings.output, settings.has_runtime);
    let graph = CallGraph::of(module);
    let probed: Vec<_> =
        ir::definitions(module).into_iter().filter(|function| select::is_probed(*function)).collect();
    emitter.define_marks(module)?;
    let probe = match settings.instrument.probes {
        Probes::Full => emitter.define_probe(module)?,
        Probes::None | Probes::Empty => emitter.define_empty_probe(module)?,
    };
    let builder = module.get_context().create_builder();
    let mut placed = Placed::default();
    for function in probed {
        let body = Body::of(function, graph.is_recursive(function));
        let plan = plan::plan(&body.shape);
        placed.loops += plan.loops as u32;
        placed.probes += fill(&builder, function, &body, &plan, probe);
    }
    Ok(placed)
}

/// Gives small innermost loops the metadata that makes LLVM copy their bodies, and has it done.
fn unroll_small_loops(module: &Module<'_>, machine: &TargetMachine, settings: &Settings<'_>) -> Result<()> {
    for function in ir::definitions(module).into_iter().filter(|function| select::is_probed(*function)) {
        if ir::has_attribute(function, "optsize") || ir::has_attribute(function, "optnone") {
            continue;
        }
        let body = Body::of(function, false);
        for (edge, copies) in plan::unrollings(&body.shape) {
            if let Some(jump) = body.blocks[edge.latch].get_terminator() {
                ffi::set_unroll_count(jump, copies);
            }
        }
    }
    let passes =
        "function(loop-unroll<O3;no-partial;no-runtime;no-upperbound;no-peeling;no-profile-peeling>)";
    optimise::run(module, machine, passes, settings.optimise, settings.artefact)
}

/// A function's blocks with the shape that placement looks at.
struct Body<'ctx> {
    blocks: Vec<BasicBlock<'ctx>>,
    long_calls: Vec<Vec<InstructionValue<'ctx>>>,
    shape: Shape,
}

impl<'ctx> Body<'ctx> {
    fn of(function: FunctionValue<'ctx>, is_recursive: bool) -> Self {
        let blocks = function.get_basic_blocks();
        let mut body = Self { long_calls: Vec::with_capacity(blocks.len()), shape: Shape::default(), blocks };
        for block in &body.blocks {
            let mut cost = 0;
            let mut has_call = false;
            let mut calls = Vec::new();
            for instruction in block.get_instructions() {
                cost += 1;
                match CallKind::of(instruction) {
                    CallKind::None => {}
                    CallKind::Short => has_call = true,
                    CallKind::Long => {
                        has_call = true;
                        calls.push(instruction);
                    }
                }
            }
            body.shape.costs.push(cost);
            body.shape.has_call.push(has_call);
            body.shape.long_calls.push(calls.len());
            body.long_calls.push(calls);
        }
        body.shape.blocks = ir::control_flow(&body.blocks);
        body.shape.unwinds_to = body.long_calls.iter().map(|calls| body.unwind_of(calls)).collect();
        body.shape.is_recursive = is_recursive;
        body
    }

    /// Where the only long call of a block unwinds to, when it ends the block.
    fn unwind_of(&self, calls: &[InstructionValue<'ctx>]) -> Option<usize> {
        let [call] = calls else { return None };
        let destination = ffi::invoke_unwind_destination(*call)?;
        self.blocks.iter().position(|block| *block == destination)
    }
}

/// What an instruction calls, as far as placement is concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallKind {
    /// Nothing, or an intrinsic that is an instruction or a few.
    None,
    /// Code with probes of its own, or code without that is known to be short.
    Short,
    /// Code without probes that may run for long.
    Long,
}

impl CallKind {
    fn of(instruction: InstructionValue<'_>) -> Self {
        let Some(call) = ffi::as_call(instruction) else { return Self::None };
        let Callee::Function(callee) = ffi::callee(call) else { return Self::Short };
        if callee.get_intrinsic_id() != 0 {
            return Self::None;
        }
        let symbol = ir::name(callee);
        let is_unbounded = !select::is_probed(callee)
            && !ir::has_attribute(callee, "noreturn")
            && !ffi::ends_block(instruction)
            && !is_short(&symbol);
        if is_unbounded { Self::Long } else { Self::Short }
    }
}

/// Native code that returns within the time of a few probes, or that a probe behind it would not help.
fn is_short(symbol: &str) -> bool {
    const SHORT: [&str; 28] = [
        mark::ENTER,
        mark::EXIT,
        mark::EXIT_IF,
        mark::SAVE,
        mark::RESTORE,
        "_Znwm",
        "_Znam",
        "_ZdlPv",
        "_ZdlPvm",
        "_ZdaPv",
        "_ZdaPvm",
        "memcpy",
        "memmove",
        "memset",
        "memcmp",
        "bcmp",
        "strlen",
        "memchr",
        "strcmp",
        "__errno_location",
        "__cxa_begin_catch",
        "__cxa_end_catch",
        "__cxa_allocate_exception",
        "__cxa_free_exception",
        "__gxx_personality_v0",
        "rust_eh_personality",
        "abort",
        "exp",
    ];
    if SHORT.contains(&symbol) {
        return true;
    }
    let name = Name::of(symbol);
    name.path.starts_with("__rustc::__r")
        || name.is_in("core::panicking")
        || catalogue::find(&name.path).is_some()
}

/// Inserts a call of the probe at each site; returns how many.
fn fill<'ctx>(
    builder: &Builder<'ctx>,
    function: FunctionValue<'ctx>,
    body: &Body<'ctx>,
    plan: &Plan,
    probe: FunctionValue<'ctx>,
) -> u32 {
    let mut filled = 0;
    for site in &plan.sites {
        let place = match *site {
            Site::Entry => ir::after_allocas(function),
            Site::Latch(block) => body.blocks[block].get_terminator(),
            Site::AfterCall(block, call) => ir::after_call(builder, function, body.long_calls[block][call]),
        };
        if let Some(place) = place {
            ir::call_before(builder, function, place, probe, &[]);
            filled += 1;
        }
    }
    filled
}
