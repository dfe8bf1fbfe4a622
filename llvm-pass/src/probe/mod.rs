//! PROBE: the last stage. Cuts counted loops into chunks, places probes in the optimised module, and gives the
//! guards' marks their code.
//!
//! ```text
//! unroll -> for each function, callees first: body -> plan -> strip_mine, sites -> report -> the probes' code
//! ```
//!
//! Nothing runs on the IR after it but the always-inliner, so that no pass moves a probe out of its loop.

pub mod body;
pub mod call_graph;
pub mod calls;
pub mod cost;
pub mod counted;
pub mod emit;
pub mod known;
pub mod place;
pub mod plan;
pub mod report;
pub mod state;
pub mod strip_mine;
pub mod unroll;

use concord_job::{FunctionReport, Instrument, Optimise, OutputKind, Probes, SecondReport};
use inkwell::builder::BuilderError;
use inkwell::module::Module;
use inkwell::targets::TargetMachine;

use crate::error::{Error, Result};
use crate::{optimise, second, select};
use body::Body;
use call_graph::{CallGraph, Node};
use emit::Emitter;
use state::{Bound, Summary};

/// What was placed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placed {
    /// Probes.
    pub probes: u32,
    /// Loops in functions with probes.
    pub loops: u32,
    /// For each function with probes what was done.
    pub functions: Vec<FunctionReport>,
    /// What was cloned for the second build.
    pub second: SecondReport,
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
    if settings.optimise.level != "0" {
        unroll::unroll(module, machine, settings.optimise, settings.artefact)?;
    }
    if let Some(passes) = optimise::loop_passes(settings.optimise) {
        optimise::run(module, machine, passes, settings.optimise, settings.artefact)?;
    }
    let placed = place_all(module, settings).map_err(|error| Error::Passes {
        passes: "probe".to_owned(),
        unit: settings.artefact.to_owned(),
        message: error.to_string(),
    })?;
    optimise::run(module, machine, "always-inline,globaldce", settings.optimise, settings.artefact)?;
    Ok(placed)
}

fn place_all(module: &Module<'_>, settings: &Settings<'_>) -> std::result::Result<Placed, BuilderError> {
    let bound = Bound { limit: settings.instrument.bound };
    let graph = CallGraph::of(module);
    let emitter = Emitter::new(module, settings.output, settings.has_runtime);
    let probe = match settings.instrument.probes {
        Probes::Full => emitter.define_probe(module)?,
        Probes::None | Probes::Empty => emitter.define_empty_probe(module)?,
    };
    let mut summaries: Vec<Option<Summary>> = vec![None; graph.len()];
    let mut placed = Placed::default();
    for node in graph.order() {
        let summary = |called: usize| {
            summaries[called].unwrap_or_else(|| unplaced(graph.has_entry_site(called), bound))
        };
        let own = match graph.node(node) {
            Node::Pointer(targets) => either(targets, &summary),
            Node::Function(function) if select::is_probed(function) => {
                let mut body = Body::of(module, function, &graph, &summary);
                body.shape.has_entry_site = graph.has_entry_site(node);
                let plan = plan::plan(&body.shape, bound);
                placed.functions.push(report::function(&body, &plan));
                placed.loops += plan.loops.len() as u32;
                placed.probes += place::apply(module, &body, &plan, probe)?;
                plan.summary
            }
            Node::Function(_) => Summary::of_work(cost::SHORT_CALL),
        };
        summaries[node] = Some(own);
    }
    // The marks are calls until here, so that placement sees guards as such.
    emitter.define_marks(module)?;
    if settings.instrument.probes == Probes::Full && settings.instrument.second_build && settings.has_runtime
    {
        placed.second = second::build(module, probe, emit::thread_local_mode(settings.output))?;
    }
    placed.functions.sort_by(|one, two| (&one.name, &one.symbol).cmp(&(&two.name, &two.symbol)));
    Ok(placed)
}

/// What is assumed of a function that comes later: one of a cycle, with a site at its entry unless none of the
/// cycle's functions may have one.
///
/// How long its way out is depends on the depth of the recursion, which nothing bounds but the stack.
fn unplaced(has_entry_site: bool, bound: Bound) -> Summary {
    let tail = Some(bound.piece());
    if has_entry_site {
        return Summary { through: None, least: 0, head: 0, tail };
    }
    Summary { tail, ..Summary::of_work(cost::SHORT_CALL) }
}

/// What a call through a pointer may come to: code that the module does not know is among it.
fn either(targets: &[usize], summary: &dyn Fn(usize) -> Summary) -> Summary {
    let known = targets.iter().map(|target| summary(*target));
    known.fold(Summary::of_work(cost::SHORT_CALL), Summary::either)
}
