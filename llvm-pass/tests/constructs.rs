//! Constructs that nothing but a probe makes preemptible, through the whole pipeline, which verifies what it makes.

mod support;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::time::Instant;

use concord_job::{Instrument, LinkOutcome, Lto, Optimise, OutputKind};
use concord_pass::verify::{self, Expected};
use concord_pass::{codegen, ir, probe, select, target};
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
fn the_report_has_the_emitted_codes_longest_paths() {
    let made = Made::of("loops.rs", "3", OutputKind::Executable);
    let report = |name: &str| {
        let functions = &made.outcome.report.functions;
        functions.iter().find(|function| function.symbol == name).expect("it is reported")
    };
    for name in LOOPS {
        assert!(report(name).machine_path.is_some(), "{name}");
    }
    // A round of a few instructions, at most as many as the bound lets pass.
    let longest = report("fnv").machine_path.expect("seen above");
    assert!((10..3 * concord_job::DEFAULT_BOUND).contains(&longest), "{longest}");
    assert!(report("several_latches").external_calls.contains(&"opaque".to_owned()));
    assert!(report("total_area").unbounded.iter().any(|words| words.contains("pointers")));
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

/// A parser with `states` states in one function: each reads a byte and goes on to the next, or to the one that the
/// table says; every tenth skips bytes in a loop of its own.
fn parser(states: usize) -> String {
    let mut text = String::from(
        "define i32 @parser(ptr %text, i32 %first) {\nentry:\n br label %next\nnext:\n %state = phi i32 [ %first, %entry ]",
    );
    for state in 0..states {
        let _ = write!(text, ", [ %to.{state}, %state.{state} ]");
    }
    text.push_str("\n switch i32 %state, label %exit [\n");
    for state in 0..states {
        let _ = writeln!(text, "  i32 {state}, label %state.{state}");
    }
    text.push_str(" ]\n");
    for state in 0..states {
        let following = (state + 1) % states;
        if state % 10 == 0 {
            let _ = writeln!(
                text,
                "state.{state}:\n %skip.{state} = load volatile i8, ptr %text\n \
                 %more.{state} = icmp eq i8 %skip.{state}, {}\n \
                 %to.{state} = add i32 {following}, 0\n \
                 br i1 %more.{state}, label %state.{state}.loop, label %next\n\
                 state.{state}.loop:\n %byte.{state} = load volatile i8, ptr %text\n \
                 %again.{state} = icmp eq i8 %byte.{state}, 32\n \
                 br i1 %again.{state}, label %state.{state}.loop, label %exit",
                state % 100
            );
        } else {
            let _ = writeln!(
                text,
                "state.{state}:\n %byte.{state} = load volatile i8, ptr %text\n \
                 %wide.{state} = zext i8 %byte.{state} to i32\n \
                 %to.{state} = add i32 %wide.{state}, {state}\n \
                 %end.{state} = icmp eq i8 %byte.{state}, {}\n \
                 br i1 %end.{state}, label %exit, label %next",
                state % 100
            );
        }
    }
    text.push_str("exit:\n ret i32 %state\n}\n");
    text
}

/// Seconds of our own stages on a parser of so many states, and of what they ask LLVM for; without the code
/// generator, which needs many minutes to lay out the larger one's blocks when it optimises.
fn seconds(states: usize) -> f64 {
    let context = Context::create();
    let module = support::parse(&context, &parser(states)).expect("the parser is valid");
    let optimise =
        |level: &str| Optimise { level: level.to_owned(), lto: Lto::Off, cpu: None, debug_info: false };
    let (fast, plain) = (optimise("2"), optimise("0"));
    let machine = target::machine(&module, &fast).expect("the target is known");
    let instrument = Instrument::default();
    drop(select::mark(&module, &instrument));
    let settings = probe::Settings {
        optimise: &fast,
        output: OutputKind::Executable,
        has_runtime: true,
        instrument: &instrument,
        artefact: "parser",
    };
    let start = Instant::now();
    let placed = probe::insert(&module, &machine, &settings).expect("probes are placed");
    verify::module(&module, "parser").expect("the module passes");
    let expected = Expected::prepare(&module, &plain, "parser").expect("the module can be labelled");
    let first = start.elapsed();
    assert!(placed.probes as usize > states / 10, "{} probes", placed.probes);

    let folder = tempfile::tempdir().expect("a temporary folder");
    let machine = target::machine(&module, &plain).expect("the target is known");
    let object = codegen::emit(&module, &machine, folder.path()).expect("the object is written");
    let start = Instant::now();
    verify::object(&object, &expected, "parser").expect("the object passes");
    (first + start.elapsed()).as_secs_f64()
}

#[test]
fn large_functions_take_time_in_proportion_to_their_size() {
    let least = |states| (0..2).map(|_| seconds(states)).fold(f64::INFINITY, f64::min);
    let (small, large) = (least(5_000), least(20_000));
    println!("probes and verifier: 5,000 states {small:.3} s, 20,000 states {large:.3} s");
    assert!(large < 8.0 * small, "5,000 states take {small} s, 20,000 take {large} s");
}
