//! Tests of the emitted machine code: real Rust functions through the whole pipeline, disassembled.

mod support;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};

use concord_abi::{BUILD_INFO_SYMBOL, BuildInfo, FLAG_PROBES, NOTE_SECTION};
use concord_job::{
    Exports, Input, Instrument, LinkJob, LinkOutcome, Lto, Optimise, OutputKind, Probes, Report,
};
use concord_pass::names::Name;
use concord_pass::reshape::memory;
use concord_pass::verify::fault::{Fault, Kind};
use concord_pass::verify::reader::Diverging;
use concord_pass::{codegen, ffi, ir, pipeline, target};
use inkwell::context::Context;
use object::{Object, ObjectSection, ObjectSymbol};
use support::machine::{self, Form, Function};

/// Functions of `machine/kernels.rs` that have a loop, recursion or a long call.
const PROBED: [&str; 14] = [
    "vector_sum",
    "vector_scale",
    "matrix_product",
    "sieve",
    "collatz",
    "find_byte",
    "interpret",
    "fib",
    "is_even",
    "is_odd",
    "calls_in_loop",
    "calls_straight",
    "total_area",
    "levenshtein",
];

/// The kernels as rustc hands them to the linker, for one opt-level.
fn bitcode(level: &str) -> PathBuf {
    static FOLDER: LazyLock<tempfile::TempDir> =
        LazyLock::new(|| tempfile::tempdir().expect("a temporary folder"));
    // Tests run at the same time: one compiles for all that want this level.
    static MADE: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(file) = made.get(level) {
        return file.clone();
    }
    let folder = FOLDER.path().join(level);
    let file = folder.join("kernels.bc");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/machine/kernels.rs");
    std::fs::create_dir_all(&folder).expect("a folder for the bitcode");
    let status = Command::new("rustc")
        .args(["--crate-type=lib", "--edition=2024", "--emit=llvm-bc", "-Ccodegen-units=1"])
        .args(["-Clinker-plugin-lto", "-Cno-prepopulate-passes", &format!("-Copt-level={level}")])
        .arg(format!("-Cincremental={}", folder.display()))
        .arg(source)
        .arg("-o")
        .arg(&file)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    assert!(status.expect("rustc starts").success(), "rustc compiles the kernels");
    made.insert(level.to_owned(), file.clone());
    file
}

/// What the pass made of the kernels.
struct Made {
    object: Vec<u8>,
    report: Report,
    functions: Vec<Function>,
    // Holds the object until the test ends.
    _folder: tempfile::TempDir,
}

fn make(level: &str, lto: Lto, output: OutputKind, probes: bool) -> Made {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = bitcode(level);
    let job = LinkJob {
        inputs: vec![Input::Object { path: input.clone() }],
        output,
        artefact: "kernels".to_owned(),
        exports: Exports::All,
        roots: Vec::new(),
        optimise: Optimise { level: level.to_owned(), lto, cpu: None, debug_info: false },
        instrument: Instrument {
            probes: if probes { Probes::Full } else { Probes::None },
            ..Instrument::default()
        },
        work_dir: folder.path().to_owned(),
        cache: None,
        dump: Vec::new(),
    };
    let LinkOutcome { object, report, .. } = pipeline::run(&job).expect("the pass succeeds");
    let object = std::fs::read(object.expect("there was bitcode")).expect("the object can be read");
    let functions = machine::functions(&object, &diverging(&input));
    Made { object, report, functions, _folder: folder }
}

/// Functions that never return, by what the bitcode says of them.
fn diverging(bitcode: &Path) -> Diverging {
    let context = Context::create();
    let bytes = std::fs::read(bitcode).expect("the bitcode can be read");
    let module = ffi::parse(&bytes, "kernels", &context).expect("the bitcode can be parsed");
    let functions = module.get_functions().filter(|function| ir::has_attribute(*function, "noreturn"));
    let always = functions.map(ir::name).chain(["_Unwind_Resume".to_owned()]).collect();
    Diverging { always, ..Diverging::default() }
}

impl Made {
    fn function(&self, name: &str) -> &Function {
        self.functions.iter().find(|function| function.name == name).expect("the kernel was emitted")
    }

    /// Faults of all functions: those that the report calls instrumented or that the
    /// pass made, and those that must have no probe.
    fn faults(&self, form: Form) -> Vec<String> {
        let names: HashSet<&str> = self.report.instrumented.iter().map(String::as_str).collect();
        let mut faults = Vec::new();
        for function in &self.functions {
            let is_ours = function.name.starts_with(memory::PREFIX);
            if is_ours || names.contains(Name::of(&function.name).demangled.as_str()) {
                faults.extend(function.faults(form));
            } else if function.probes() > 0 {
                faults.push(format!("{}: probes in a function that was not selected", function.name));
            }
        }
        faults
    }

    fn probes(&self) -> usize {
        self.functions.iter().map(Function::probes).sum()
    }

    /// The build record behind its symbol, and the one in the note.
    fn records(&self) -> [BuildInfo; 2] {
        let file = object::File::parse(&*self.object).expect("the object can be parsed");
        let symbol = file
            .symbols()
            .find(|symbol| symbol.name() == Ok(BUILD_INFO_SYMBOL))
            .expect("the record's symbol");
        let section = symbol.section_index().expect("the record is defined");
        let section = file.section_by_index(section).expect("its section exists");
        let data = section.data_range(symbol.address(), 32).expect("its data can be read");
        let note =
            file.section_by_name(NOTE_SECTION).expect("the note").data().expect("the note can be read");
        // Sizes and type, then the owner's name padded to 8 bytes.
        let from = |bytes| BuildInfo::from_bytes(bytes).expect("a build record");
        [from(data.expect("it has data")), from(&note[20..])]
    }
}

#[track_caller]
fn check(level: &str, lto: Lto) {
    let made = make(level, lto, OutputKind::Executable, true);
    if level == "0" {
        assert_eq!(made.faults(Form::Loaded), [""; 0]);
    } else {
        assert_eq!(made.faults(Form::Folded), [""; 0]);
        // Not before: the loop of `vector_sum` is a function of core's until it is inlined.
        for name in PROBED {
            assert!(made.function(name).probes() > 0, "{name} has no probe");
        }
    }
    for name in ["no_loop", "atomic_or"] {
        assert_eq!(made.function(name).probes(), 0, "{name}");
    }
    assert_eq!(made.probes(), made.report.probes as usize, "the report's count is that of the code");
    for record in made.records() {
        assert_eq!(record.probes, made.report.probes);
        assert_eq!(record.functions as usize, made.report.instrumented.len());
        assert_eq!(record.flags, FLAG_PROBES);
    }
}

#[test]
fn probes_at_level_0() {
    check("0", Lto::Off);
}

#[test]
fn probes_at_level_2() {
    check("2", Lto::Off);
}

#[test]
fn probes_at_level_3() {
    check("3", Lto::Off);
}

#[test]
fn probes_at_level_3_with_lto() {
    check("3", Lto::Fat);
}

#[test]
fn probes_at_level_s() {
    check("s", Lto::Off);
}

#[test]
fn probes_in_a_shared_object() {
    let made = make("3", Lto::Off, OutputKind::SharedObject, true);
    assert_eq!(made.faults(Form::Folded), [""; 0]);
    assert!(made.probes() >= made.report.probes as usize);
    assert!(made.records().iter().all(|record| record.probes == made.report.probes));
}

#[test]
fn vector_loops_stay_vector_loops() {
    let made = make("3", Lto::Off, OutputKind::Executable, true);
    for name in ["vector_sum", "vector_scale"] {
        assert!(made.function(name).is_vectorised(), "{name}");
    }
}

#[test]
fn fast_functions_begin_at_multiples_of_32() {
    let starts = |level: &str| {
        let made = make(level, Lto::Off, OutputKind::Executable, true);
        let file = object::File::parse(&*made.object).expect("the object can be parsed");
        let address = |symbol: &str| file.symbol_by_name(symbol).expect("the kernel was emitted").address();
        PROBED.map(address)
    };
    assert!(starts("3").iter().all(|address| address % 32 == 0));
    // Small code is not padded.
    assert!(starts("s").iter().any(|address| address % 32 != 0));
}

#[test]
fn code_without_probes_is_faulty() {
    let made = make("3", Lto::Off, OutputKind::Executable, false);
    assert_eq!((made.probes(), made.report.probes), (0, 0));
    for record in made.records() {
        assert_eq!((record.probes, record.flags), (0, 0));
    }
    let faults = machine::verify_all(&made.object, &diverging(&bitcode("3"))).faults;
    for name in ["vector_sum", "collatz", "interpret", "matrix_product"] {
        let is_found =
            |fault: &Fault| fault.function == name && matches!(fault.kind, Kind::Instructions { .. });
        assert!(faults.iter().any(is_found), "{name}: {faults:?}");
    }
    let is_recursion = |fault: &Fault| fault.kind == Kind::EmittedRecursion(vec!["fib".to_owned()]);
    assert!(faults.iter().any(is_recursion), "{faults:?}");
}

/// What a plain load of the line becomes when a later pass hoists it.
const HOISTED: &str = "
@concord_line = external thread_local(localexec) global [32 x i32]

define void @hoisted(ptr %flag) {
entry:
  %line = load i32, ptr @concord_line
  %armed = icmp eq i32 %line, 0
  br i1 %armed, label %loop, label %exit
loop:
  %value = load volatile i32, ptr %flag
  %more = icmp eq i32 %value, 0
  br i1 %more, label %loop, label %behind
behind:
  %again = load i32, ptr @concord_line
  store volatile i32 %again, ptr %flag
  br label %exit
exit:
  ret void
}";

#[test]
fn a_probe_that_left_its_loop_is_faulty() {
    let context = Context::create();
    let module = support::parse(&context, HOISTED).expect("the module is valid");
    let optimise = Optimise { level: "2".to_owned(), lto: Lto::Off, cpu: None, debug_info: false };
    let machine = target::machine(&module, &optimise).expect("the target is known");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let object = codegen::emit(&module, &machine, folder.path()).expect("the object is written");
    let object = std::fs::read(object).expect("the object can be read");
    let functions = machine::functions(&object, &Diverging::default());
    let faults = functions[0].faults(Form::Folded).join("\n");
    assert!(faults.contains("the line is not compared in memory"), "{faults}");
    let faults = machine::verify_all(&object, &Diverging::default()).faults;
    assert!(matches!(faults.as_slice(), [Fault { kind: Kind::Instructions { .. }, .. }]), "{faults:?}");
}
