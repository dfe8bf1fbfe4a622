//! Constructs that nothing but a probe makes preemptible, through the whole pipeline, which verifies what it makes.

mod support;

use std::collections::HashSet;

use concord_job::{LinkOutcome, OutputKind};
use concord_pass::{ir, select};
use inkwell::context::Context;
use inkwell::values::InstructionOpcode;
use support::{link, machine};

/// Functions of `constructs/loops.rs`, each of which has to look at the line. At level 0, what is a callee's of the
/// standard library by then may do it for those that call any.
const LOOPS: [&str; 11] = [
    "pointer_chase",
    "fnv",
    "histogram",
    "million",
    "wait_for",
    "forever",
    "depth",
    "total_area",
    "several_latches",
    "cleanups",
    "assembly",
];

/// Functions of `constructs/code.c` that have to.
const C: [&str; 4] = ["two_entries", "computed_goto", "tail_calls", "loops_beside_setjmp"];

struct Made {
    outcome: LinkOutcome,
    folder: tempfile::TempDir,
}

impl Made {
    fn of(source: &str, level: &str, output: OutputKind) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = link::sources().join("constructs").join(source);
        let bitcode = if source.ends_with(".c") {
            link::c(&path, level, folder.path())
        } else {
            link::rust(&path, level, folder.path())
        };
        let outcome = link::run(&link::job(&[&bitcode], level, output, folder.path()));
        Self { outcome, folder }
    }

    /// Functions of the object without a look at the line.
    fn without_probes(&self) -> HashSet<String> {
        let object = std::fs::read(self.outcome.object.as_ref().expect("there was bitcode"));
        let object = object.expect("the object can be read");
        let functions = machine::functions(&object, &Default::default());
        functions
            .into_iter()
            .filter(|function| function.probes() == 0)
            .map(|function| function.name)
            .collect()
    }

    fn final_ir(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("probe.ll")).expect("the stage was dumped")
    }
}

#[track_caller]
fn check(source: &str, names: &[&str], cycle: &[&str]) {
    let kinds = [
        ("0", OutputKind::Executable),
        ("1", OutputKind::Executable),
        ("2", OutputKind::SharedObject),
        ("3", OutputKind::Executable),
        ("s", OutputKind::Executable),
        ("0", OutputKind::SharedObject),
    ];
    for (level, output) in kinds {
        let without = Made::of(source, level, output).without_probes();
        let must_look = |name: &&&str| level != "0" || !["cleanups", "depth"].contains(*name);
        let lost: Vec<&&str> =
            names.iter().filter(must_look).filter(|name| without.contains(**name)).collect();
        assert!(lost.is_empty(), "{lost:?} have no probe at level {level} in {output:?}");
        // One probe is enough for all that call each other.
        let is_open = !cycle.is_empty() && cycle.iter().all(|name| without.contains(*name));
        assert!(!is_open, "{cycle:?} have no probe at level {level} in {output:?}");
    }
}

#[test]
fn loops_and_recursion_keep_their_probes() {
    check("loops.rs", &LOOPS, &["sum_even", "sum_odd"]);
}

#[test]
fn control_flow_of_c_keeps_its_probes() {
    check("code.c", &C, &[]);
}

#[test]
fn a_function_that_calls_setjmp_is_left_alone_and_named() {
    let made = Made::of("code.c", "2", OutputKind::Executable);
    assert!(made.without_probes().contains("calls_setjmp"));
    let skipped = &made.outcome.report.skipped;
    let skipped = skipped.iter().find(|skipped| skipped.function == "calls_setjmp").expect("it is reported");
    assert_eq!(skipped.reason, "calls setjmp: control comes back to it from anywhere");
    assert!(!made.outcome.report.instrumented.contains(&"calls_setjmp".to_owned()));
}

#[test]
fn landing_pads_and_cleanups_have_no_probe() {
    let made = Made::of("loops.rs", "3", OutputKind::Executable);
    let context = Context::create();
    let module = support::parse(&context, &made.final_ir()).expect("the dump is valid");
    let line = module.get_global(concord_abi::LINE_SYMBOL).expect("there are probes").as_pointer_value();
    let mut pads = 0;
    for function in ir::definitions(&module).into_iter().filter(|function| select::is_probed(*function)) {
        for block in function.get_basic_block_iter() {
            let is = |opcode| block.get_instructions().any(|step| step.get_opcode() == opcode);
            if !is(InstructionOpcode::LandingPad) && !is(InstructionOpcode::Resume) {
                continue;
            }
            pads += 1;
            let looks = block.get_instructions().any(|step| {
                step.get_opcode() == InstructionOpcode::Load
                    && step.get_operand(0).and_then(|from| from.value())
                        == Some(inkwell::values::BasicValueEnum::PointerValue(line))
            });
            assert!(!looks, "a probe in a landing pad or cleanup of {}", ir::name(function));
        }
    }
    assert!(pads > 2, "{pads} landing pads and cleanups");
}
