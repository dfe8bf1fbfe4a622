//! Who is instrumented: decided by a function's symbol, never by the archive that it came in.
//!
//! A selected function carries the attribute [`PROBED`], which the optimiser keeps, also on what it splits
//! off. Inlining would blur the border, so two kinds of calls across it are not inlined: an instrumented
//! function into one without probes (its loops would lose theirs), and a function without probes that has a
//! loop into an instrumented one (its loop would get one). The standard library's [`helpers`] have no border.

use std::collections::BTreeSet;

use concord_job::{Instrument, Skipped};
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::ContextRef;
use inkwell::module::Module;
use inkwell::values::FunctionValue;
use serde::{Deserialize, Serialize};

use crate::ffi::{self, Callee};
use crate::helpers::{self, Helpers};
use crate::ir;
use crate::names::{Language, Name};

/// The attribute of a selected function.
pub const PROBED: &str = "concord-probed";

/// What [`mark`] decided about one unit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Selection {
    /// Demangled names of the selected functions.
    pub instrumented: Vec<String>,
    /// The others, with reasons.
    pub skipped: Vec<Skipped>,
    /// The configured paths that cover a function of the unit.
    pub matched: BTreeSet<String>,
}

/// Crates whose code runs between and around turns.
const RUNTIME: [&str; 3] = ["concord", "concord_abi", "corosensei"];

/// Crates and modules that never get probes, with the reason that the report gives.
const NEVER: [(&str, &str); 14] = [
    ("concord", "the runtime does not preempt itself"),
    ("concord_abi", "the runtime does not preempt itself"),
    ("corosensei", "switches stacks: no switch may begin inside one"),
    ("compiler_builtins", "helpers that the code generator calls anywhere"),
    ("std::sys", "the operating system's side of std holds locks and descriptors that no guard marks"),
    ("std::panicking", "a thread that panics must not switch"),
    ("std::panic", "a thread that panics must not switch"),
    ("core::panicking", "a thread that panics must not switch"),
    ("std::rt", "runs before and after main"),
    ("std::backtrace", "runs while panicking"),
    ("std::alloc", "allocators keep state of the thread"),
    ("alloc::alloc", "allocators keep state of the thread"),
    ("__rustc", "allocators keep state of the thread"),
    ("std::thread", "threads start and end here, their state half made"),
];

/// Parts of [`NEVER`]'s modules that only pass control to the user's code and hold guards of their own.
const EXCEPT: [&str; 1] = ["std::thread::local"];

/// Why the function `name` gets no probes; `None` when it is instrumented.
pub fn skip_reason(name: &Name, instrument: &Instrument) -> Option<String> {
    if EXCEPT.iter().any(|module| name.is_in(module)) {
        return None;
    }
    if let Some((module, reason)) = NEVER.iter().find(|(module, _)| is_from(name, module)) {
        return Some(format!("{module}: {reason}"));
    }
    let excluded = longest(name, &instrument.exclude)?;
    let is_included = longest(name, &instrument.include).is_some_and(|path| path.len() > excluded.len());
    (!is_included).then(|| format!("{excluded} is excluded by configuration"))
}

/// The longest of `paths` that covers the function.
fn longest<'paths>(name: &Name, paths: &'paths [String]) -> Option<&'paths str> {
    paths.iter().map(String::as_str).filter(|path| covers(path, name)).max_by_key(|path| path.len())
}

fn covers(path: &str, name: &Name) -> bool {
    name.is_in(path) || name.crate_name() == Some(path)
}

/// Whether the function is the runtime's own code.
pub fn is_runtime(name: &Name) -> bool {
    RUNTIME.iter().any(|module| is_from(name, module))
}

fn is_from(name: &Name, module: &str) -> bool {
    name.language == Language::Rust && (name.is_in(module) || name.crate_name() == Some(module))
        || name.language == Language::C && module == "__rustc" && name.path.starts_with("__rust_alloc")
        || name.language == Language::C && module == "concord" && name.path.starts_with("concord_")
}

/// Marks the functions of a unit that get probes, and keeps the border from being inlined away.
pub fn mark(module: &Module<'_>, instrument: &Instrument) -> Selection {
    mark_by(module, instrument, |_, name| skip_reason(name, instrument))
}

/// [`mark`] by `judge`, which says why a function gets no probes.
pub fn mark_by<'ctx>(
    module: &Module<'ctx>,
    instrument: &Instrument,
    judge: impl Fn(FunctionValue<'ctx>, &Name) -> Option<String>,
) -> Selection {
    let mut selection = Selection::default();
    let context = module.get_context();
    let helpers = Helpers::of(
        module,
        |function, name| judge(function, name).is_some(),
        |name| name.crate_name().is_some_and(|root| RUNTIME.contains(&root)),
    );
    for function in ir::definitions(module) {
        let name = Name::of(&ir::name(function));
        let configured = instrument.exclude.iter().chain(&instrument.include);
        selection.matched.extend(configured.filter(|path| covers(path, &name)).cloned());
        let reason = judge(function, &name)
            .or_else(|| ir::is_naked(function).then(naked_reason))
            .or_else(|| twice_returning_callee(function).map(|callee| twice_reason(&callee)))
            .or_else(|| helpers.serves_runtime(function).then(helper_reason));
        match reason {
            None => {
                function.add_attribute(AttributeLoc::Function, context.create_string_attribute(PROBED, ""));
                selection.instrumented.push(name.demangled);
            }
            Some(reason) => {
                keep_border(function, &judge, &helpers, context);
                selection.skipped.push(Skipped { function: name.demangled, reason });
            }
        }
    }
    selection
}

fn naked_reason() -> String {
    "a naked function: its body is assembly".to_owned()
}

/// What `function` calls that returns twice: `setjmp` and its kind.
fn twice_returning_callee(function: FunctionValue<'_>) -> Option<String> {
    let kind = Attribute::get_named_enum_kind_id("returns_twice");
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    instructions.filter_map(ffi::as_call).find_map(|call| match ffi::callee(call) {
        Callee::Function(callee)
            if ir::has_attribute(callee, "returns_twice")
                || call.get_enum_attribute(AttributeLoc::Function, kind).is_some() =>
        {
            Some(ir::name(callee))
        }
        _ => None,
    })
}

fn twice_reason(callee: &str) -> String {
    format!("calls {}: control comes back to it from anywhere", callee.trim_start_matches('_'))
}

fn helper_reason() -> String {
    "a loop-free function between the runtime's own, which must not meet probes".to_owned()
}

/// Whether a function was selected.
pub fn is_probed(function: FunctionValue<'_>) -> bool {
    function.get_string_attribute(AttributeLoc::Function, PROBED).is_some()
}

/// See the module's comment; `function` is one without probes.
fn keep_border<'ctx>(
    function: FunctionValue<'ctx>,
    judge: impl Fn(FunctionValue<'ctx>, &Name) -> Option<String>,
    helpers: &Helpers,
    context: ContextRef<'_>,
) {
    if helpers::has_loop(function) && !ir::has_attribute(function, "alwaysinline") {
        function.add_attribute(AttributeLoc::Function, no_inline(context));
    }
    for call in
        function.get_basic_block_iter().flat_map(|block| block.get_instructions()).filter_map(ffi::as_call)
    {
        if let Callee::Function(callee) = ffi::callee(call) {
            let stays_out = callee.get_intrinsic_id() == 0
                && !ir::has_attribute(callee, "alwaysinline")
                && !helpers.contains(callee)
                && judge(callee, &Name::of(&ir::name(callee))).is_none();
            if stays_out {
                call.add_attribute(AttributeLoc::Function, no_inline(context));
            }
        }
    }
}

fn no_inline(context: ContextRef<'_>) -> Attribute {
    ir::attribute(context, "noinline")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(symbol: &str) -> Option<String> {
        let instrument = Instrument {
            exclude: vec!["slow".to_owned()],
            include: vec!["slow::but::not_this".to_owned()],
            ..Instrument::default()
        };
        skip_reason(&Name::of(symbol), &instrument)
    }

    #[test]
    fn the_longest_path_decides_between_exclude_and_include() {
        assert!(reason("_ZN4slow3but5other17h18aba970684159e7E").is_some());
        assert!(reason("_ZN4slow3but8not_this17h18aba970684159e7E").is_none());
    }

    #[test]
    fn the_symbols_crate_decides() {
        let vec_drop = "_ZN70_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17hc8a851aa4be5f8a4E";
        assert_eq!(reason(vec_drop), None);
        assert_eq!(reason("_ZN4mine4main17hc8a851aa4be5f8a4E"), None);
        assert_eq!(reason("leveldb_get"), None);
        assert_eq!(
            reason("_ZN7concord6worker3run17hc8a851aa4be5f8a4E").as_deref(),
            Some("concord: the runtime does not preempt itself")
        );
        assert_eq!(reason("_ZN13concord_bench3run17hc8a851aa4be5f8a4E"), None);
        assert!(reason("_ZN3std6thread5spawn17hc8a851aa4be5f8a4E").is_some());
        assert_eq!(reason("_ZN3std6thread5local17LocalKey$LT$T$GT$8try_with17hc8a851aa4be5f8a4E"), None);
        assert!(reason("_RNvCsfLfy6EI15iL_7___rustc12___rust_alloc").is_some());
        assert_eq!(
            reason("_ZN4slow3run17hc8a851aa4be5f8a4E").as_deref(),
            Some("slow is excluded by configuration")
        );
    }
}
