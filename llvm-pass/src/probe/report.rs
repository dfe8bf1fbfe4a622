//! What placement did with one function, for people.

use concord_job::{FunctionReport, Place, SiteKind, SiteReport};
use inkwell::values::InstructionValue;

use super::body::Body;
use super::plan::{Plan, Site, StepKind, Treatment};
use crate::ffi::{self, Callee};
use crate::guard::mark;
use crate::ir;
use crate::loops::Loop;
use crate::names::Name;

/// The report of a function, from what was planned for it; made before the plan is carried out.
pub fn function(body: &Body<'_>, plan: &Plan) -> FunctionReport {
    let symbol = ir::name(body.function);
    let name = Name::of(&symbol);
    let mut sites: Vec<SiteReport> = loops(body, plan);
    sites.extend(plan.sites.iter().filter_map(|site| lone_site(body, *site)));
    sites.extend(calls(body));
    sites.sort_by(|one, two| (&one.place, one.kind, &one.reason).cmp(&(&two.place, two.kind, &two.reason)));
    FunctionReport {
        crate_name: name.crate_name().map(str::to_owned),
        name: name.demangled,
        symbol,
        place: ffi::function_place(body.function),
        longest_path: plan.longest,
        sites,
        ..FunctionReport::default()
    }
}

fn loops(body: &Body<'_>, plan: &Plan) -> Vec<SiteReport> {
    plan.loops
        .iter()
        .filter_map(|&(header, treatment)| {
            let own = body.forest.of_header(header)?;
            let (kind, reason) = describe(body, own, treatment);
            let (place, call) = loop_place(body, own);
            Some(SiteReport { kind, place, call, reason })
        })
        .collect()
}

fn describe(body: &Body<'_>, own: &Loop, treatment: Treatment) -> (SiteKind, String) {
    match treatment {
        Treatment::Straight { rounds } => (
            SiteKind::StraightLoop,
            format!("at most {rounds} rounds: cheaper than the bound without a probe"),
        ),
        Treatment::StripMined { chunk, .. } => {
            (SiteKind::StripMinedLoop, format!("counted: a probe for each {chunk} rounds, by a nearer limit"))
        }
        Treatment::Dispatched => {
            (SiteKind::ProbedLoop, "an interpreter's: a probe wherever its dispatch leads".to_owned())
        }
        Treatment::Covered => {
            (SiteKind::CoveredLoop, "every round meets a probe of a call or of an inner loop".to_owned())
        }
        Treatment::Cleanup => {
            (SiteKind::CoveredLoop, "runs while the stack is unwound, where no switch may happen".to_owned())
        }
        Treatment::Probed => {
            if body.is_unrolled(own) {
                (
                    SiteKind::UnrolledLoop,
                    "its rounds cannot be counted: copies of the body share a probe".to_owned(),
                )
            } else if own.entries.len() > 1 {
                (SiteKind::ProbedLoop, "entered in several places: a probe on each way back".to_owned())
            } else {
                (
                    SiteKind::ProbedLoop,
                    "a probe for each round: rounds are long, or cannot be counted".to_owned(),
                )
            }
        }
    }
}

/// The sites that belong to no loop.
fn lone_site(body: &Body<'_>, site: Site) -> Option<SiteReport> {
    let (instruction, reason) = match site {
        Site::Entry => {
            (body.instructions.first()?.first(), "recursion: the function can come to call itself")
        }
        Site::Before { block, at } => {
            (body.instructions[block].get(at), "straight code that would be longer than the bound")
        }
        Site::AfterCall { block, at } => {
            (body.instructions[block].get(at), "behind a call of code without probes")
        }
        Site::BeforeLoop { header } => (
            body.instructions[header].first(),
            "before a loop that could not be entered so long after the last probe",
        ),
        Site::Round { .. } | Site::BackEdge { .. } | Site::Chunk { .. } => return None,
    };
    let (place, call) = match site {
        Site::Entry => (ffi::function_place(body.function), None),
        _ => instruction.map(|instruction| places(*instruction)).unwrap_or_default(),
    };
    Some(SiteReport { kind: SiteKind::Probe, place, call, reason: reason.to_owned() })
}

/// Long calls of code without probes, and the places where guards begin.
fn calls(body: &Body<'_>) -> Vec<SiteReport> {
    let mut found = Vec::new();
    for (block, steps) in body.shape.steps.iter().enumerate() {
        for step in steps.iter().filter(|step| step.kind == StepKind::LongCall) {
            let call = body.instructions[block][step.at];
            let reason = format!("calls {}, which has no probes", callee_name(call));
            let kind = SiteKind::UnprobedCall;
            let (place, call) = places(call);
            found.push(SiteReport { kind, place, call, reason });
        }
    }
    for &instruction in body.instructions.iter().flatten() {
        if is_guard_entry(instruction) {
            let reason = "a guard begins: a preemption waits for its end".to_owned();
            let (place, call) = places(instruction);
            found.push(SiteReport { kind: SiteKind::GuardedRegion, place, call, reason });
        }
    }
    found
}

fn callee_name(call: InstructionValue<'_>) -> String {
    match ffi::as_call(call).map(ffi::callee) {
        Some(Callee::Function(callee)) => Name::of(&ir::name(callee)).demangled,
        _ => "a pointer".to_owned(),
    }
}

fn is_guard_entry(instruction: InstructionValue<'_>) -> bool {
    let Some(Callee::Function(callee)) = ffi::as_call(instruction).map(ffi::callee) else { return false };
    [mark::ENTER, mark::SAVE].contains(&ir::name(callee).as_str())
}

/// The line of the loop's header, or the first known one behind it.
fn loop_place(body: &Body<'_>, own: &Loop) -> Places {
    let of_block = |block: usize| {
        body.instructions[block]
            .iter()
            .map(|instruction| places(*instruction))
            .find(|(place, _)| place.is_some())
    };
    of_block(own.header).or_else(|| own.blocks.iter().find_map(|&block| of_block(block))).unwrap_or_default()
}

/// [`SiteReport::place`] and [`SiteReport::call`].
type Places = (Option<Place>, Option<Place>);

fn places(instruction: InstructionValue<'_>) -> Places {
    (ffi::place(instruction), ffi::call_place(instruction))
}
