//! The profile's optimisation, with the options that rustc's own back end sets.

use concord_job::{Lto, Optimise};
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::TargetMachine;

use crate::error::{Error, Result};

/// What is done to the standard library, and to the merged module when the profile asks for no LTO.
pub const DEAD_CODE: &str = "globaldce,strip-dead-prototypes";

/// The passes for one unit by itself: what comes before units see each other's functions.
pub fn unit_passes(optimise: &Optimise) -> String {
    let level = level(optimise);
    match optimise.lto {
        _ if level == "O0" => format!("default<{level}>"),
        Lto::Off => format!("thinlto-pre-link<{level}>"),
        Lto::Thin | Lto::Fat => format!("lto-pre-link<{level}>"),
    }
}

/// The passes for one unit that small functions of others have come to. Without LTO rustc does the same to the parts
/// of a crate; with LTO the merged module is optimised instead.
pub fn completing_passes(optimise: &Optimise) -> Option<String> {
    let level = level(optimise);
    (optimise.lto == Lto::Off && level != "O0").then(|| format!("thinlto<{level}>"))
}

/// The passes for the merged module; dead code alone goes when the profile asks for no LTO.
pub fn merged_passes(optimise: &Optimise) -> String {
    let level = level(optimise);
    match optimise.lto {
        Lto::Thin | Lto::Fat if level != "O0" => format!("lto<{level}>"),
        _ => DEAD_CODE.to_owned(),
    }
}

/// What the code generator would begin with, done before placement: a loop is cut right only in its final form.
/// Strength reduction of a loop that was cut already keeps two counters where one would do.
///
/// The code generator's own is switched off ([`target::initialise`](crate::target::initialise)).
pub fn loop_passes(optimise: &Optimise) -> Option<&'static str> {
    const PASSES: &str = "function(loop(canon-freeze,loop-reduce),loop-simplify)";
    (level(optimise) != "O0").then_some(PASSES)
}

fn level(optimise: &Optimise) -> &'static str {
    match optimise.level.as_str() {
        "0" => "O0",
        "1" => "O1",
        "2" => "O2",
        "s" => "Os",
        "z" => "Oz",
        _ => "O3",
    }
}

/// Runs `passes` over a module; `unit` is for messages.
///
/// # Errors
/// [`Error::Passes`] with LLVM's message.
pub fn run(
    module: &Module<'_>,
    machine: &TargetMachine,
    passes: &str,
    optimise: &Optimise,
    unit: &str,
) -> Result<()> {
    let fail = |message: String| Error::Passes { passes: passes.to_owned(), unit: unit.to_owned(), message };
    module.run_passes(passes, machine, options(optimise)).map_err(|message| fail(message.to_string()))
}

/// rustc's `PipelineTuningOptions`; the C API's own defaults leave vectorisation and function merging off.
pub(crate) fn options(optimise: &Optimise) -> PassBuilderOptions {
    let is_fast = matches!(optimise.level.as_str(), "2" | "3");
    let is_small = matches!(optimise.level.as_str(), "s" | "z");
    let options = PassBuilderOptions::create();
    options.set_loop_unrolling(!is_small);
    options.set_loop_interleaving(!is_small);
    options.set_loop_vectorization(is_fast);
    options.set_loop_slp_vectorization(is_fast);
    options.set_merge_functions(is_fast || is_small);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_names_the_pipeline() {
        let optimise =
            |level: &str, lto| Optimise { level: level.to_owned(), lto, cpu: None, debug_info: false };
        assert_eq!(unit_passes(&optimise("0", Lto::Off)), "default<O0>");
        assert_eq!(unit_passes(&optimise("3", Lto::Off)), "thinlto-pre-link<O3>");
        assert_eq!(completing_passes(&optimise("s", Lto::Off)).as_deref(), Some("thinlto<Os>"));
        assert_eq!(completing_passes(&optimise("0", Lto::Off)), None);
        assert_eq!(unit_passes(&optimise("3", Lto::Fat)), "lto-pre-link<O3>");
        assert_eq!(completing_passes(&optimise("3", Lto::Fat)), None);
        assert_eq!(merged_passes(&optimise("2", Lto::Thin)), "lto<O2>");
        assert_eq!(merged_passes(&optimise("0", Lto::Fat)), "globaldce,strip-dead-prototypes");
    }
}
