//! The verifier on inputs that are wrong on purpose: each fault is found, and what is right passes.

mod support;

use std::collections::HashSet;

use concord_job::{Lto, Optimise};
use concord_pass::verify::fault::{Fault, Kind};
use concord_pass::verify::machine::Found;
use concord_pass::verify::{self, Expected};
use concord_pass::{codegen, target};
use inkwell::context::Context;

/// The words around a body: the line, and the attribute of functions that were selected.
fn text(functions: &str) -> String {
    format!(
        "@concord_line = external thread_local(localexec) global [32 x i32]\n\
         @concord_countdown = external thread_local(localexec) global [32 x i32]\n\
         declare preserve_mostcc void @concord_clock_slow()\n\
         declare preserve_mostcc void @concord_probe_slow()\n\
         declare void @native()\n\
         declare i1 @more()\n\
         {functions}\n\
         attributes #0 = {{ \"concord-probed\" }}\n\
         !0 = !{{i32 9}}\n"
    )
}

/// A probe before the jump to `next`; the label of its own block is `name`.
fn probe(name: &str, next: &str) -> String {
    format!(
        "{name}:\n\
         %line.{name} = load volatile i32, ptr @concord_line\n\
         %armed.{name} = icmp ne i32 %line.{name}, 0\n\
         br i1 %armed.{name}, label %cold.{name}, label %{next}\n\
         cold.{name}:\n\
         call preserve_mostcc void @concord_probe_slow()\n\
         br label %{next}\n"
    )
}

/// What the checks of the IR find.
fn of_ir(functions: &str) -> Vec<Fault> {
    let context = Context::create();
    let module = support::parse(&context, &text(functions)).expect("the module is valid");
    verify::ir::program(&module).faults()
}

/// What the checks of the object find.
fn of_object(functions: &str, level: &str) -> Found {
    let context = Context::create();
    let module = support::parse(&context, &text(functions)).expect("the module is valid");
    let optimise = Optimise { level: level.to_owned(), lto: Lto::Off, cpu: None, debug_info: false };
    let expected = Expected::prepare(&module, &optimise, "doctored").expect("the module can be labelled");
    let machine = target::machine(&module, &optimise).expect("the target is known");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let object = codegen::emit(&module, &machine, folder.path()).expect("the object is written");
    expected.examine(&std::fs::read(object).expect("the object can be read"))
}

const LEVELS: [&str; 3] = ["0", "2", "s"];

/// The names of the functions at fault, in the IR and at each level in the object.
#[track_caller]
fn assert_faulty(functions: &str, faulty: &[&str]) {
    let names = |faults: &[Fault]| faults.iter().map(|fault| fault.function.clone()).collect::<HashSet<_>>();
    let faulty: HashSet<String> = faulty.iter().map(|name| (*name).to_owned()).collect();
    let found = of_ir(functions);
    assert_eq!(names(&found), faulty, "in the IR: {found:?}");
    for level in LEVELS {
        let found = of_object(functions, level).faults;
        assert_eq!(names(&found), faulty, "in the object at level {level}: {found:?}");
    }
}

/// A function whose loop runs while `more` says so.
fn with_loop(name: &str, latch: &str, metadata: &str) -> String {
    format!(
        "define void @{name}() #0 {{\n\
         entry:\n br label %loop\n\
         loop:\n call void @native()\n %more = call i1 @more()\n br label %{latch}\n\
         {}\
         plain:\n br label %latch\n\
         latch:\n br i1 %more, label %loop, label %exit{metadata}\n\
         exit:\n ret void\n}}\n",
        probe("probed", "latch")
    )
}

#[test]
fn a_loop_with_a_probe_or_a_bound_passes() {
    assert_faulty(&with_loop("probed_loop", "probed", ""), &[]);
    assert_faulty(&with_loop("bounded_loop", "plain", ", !concord.bound !0"), &[]);
}

#[test]
fn a_loop_that_lost_its_probe_or_its_bound_is_found() {
    assert_faulty(&with_loop("open_loop", "plain", ""), &["open_loop"]);
    assert!(matches!(of_ir(&with_loop("open_loop", "plain", ""))[0].kind, Kind::Loop));
}

/// An outer loop around a bounded one.
fn nest(outer: &str, metadata: &str) -> String {
    format!(
        "define void @nest() #0 {{\n\
         entry:\n br label %outer\n\
         outer:\n %more = call i1 @more()\n br label %inner\n\
         inner:\n call void @native()\n %again = call i1 @more()\n\
         br i1 %again, label %inner, label %{outer}, !concord.bound !0\n\
         {}\
         plain:\n br label %latch\n\
         latch:\n br i1 %more, label %outer, label %exit{metadata}\n\
         exit:\n ret void\n}}\n",
        probe("probed", "latch")
    )
}

#[test]
fn a_bounded_loop_does_not_hide_the_loop_around_it() {
    assert_faulty(&nest("probed", ""), &[]);
    assert_faulty(&nest("plain", ", !concord.bound !0"), &[]);
    assert_faulty(&nest("plain", ""), &["nest"]);
}

/// A bounded loop, and behind it another.
fn pair(second: &str) -> String {
    format!(
        "define void @pair() #0 {{\n\
         entry:\n br label %first\n\
         first:\n call void @native()\n %again = call i1 @more()\n\
         br i1 %again, label %first, label %second, !concord.bound !0\n\
         second:\n call void @native()\n %more = call i1 @more()\n br label %{second}\n\
         {}\
         latch:\n br i1 %more, label %second, label %exit\n\
         exit:\n ret void\n}}\n",
        probe("probed", "latch")
    )
}

#[test]
fn a_bounded_loop_does_not_hide_its_neighbour() {
    assert_faulty(&pair("probed"), &[]);
    assert_faulty(&pair("latch"), &["pair"]);
}

/// A loop with two latches.
fn two_latches(second: &str, metadata: &str) -> String {
    format!(
        "define void @latches() #0 {{\n\
         entry:\n br label %loop\n\
         loop:\n %way = call i1 @more()\n br i1 %way, label %probed, label %other\n\
         {}\
         other:\n call void @native()\n %more = call i1 @more()\n br label %{second}\n\
         {}\
         plain:\n br label %behind\n\
         behind:\n br i1 %more, label %loop, label %exit{metadata}\n\
         exit:\n ret void\n}}\n",
        probe("probed", "loop"),
        probe("second", "behind")
    )
}

#[test]
fn a_probe_on_one_of_two_latches_is_not_enough() {
    assert_faulty(&two_latches("second", ""), &[]);
    assert_faulty(&two_latches("plain", ", !concord.bound !0"), &[]);
    assert_faulty(&two_latches("plain", ""), &["latches"]);
}

/// Two blocks that lead to each other, each entered from outside.
fn two_entries(way: &str, metadata: &str) -> String {
    format!(
        "define void @entries() #0 {{\n\
         entry:\n %first = call i1 @more()\n br i1 %first, label %one, label %two\n\
         one:\n call void @native()\n br label %{way}\n\
         {}\
         two:\n %more = call i1 @more()\n br i1 %more, label %one, label %exit{metadata}\n\
         exit:\n ret void\n}}\n",
        probe("probed", "two")
    )
}

#[test]
fn a_cycle_with_two_entries_needs_a_probe() {
    assert_faulty(&two_entries("probed", ""), &[]);
    assert_faulty(&two_entries("two", ""), &["entries"]);
    // No loop is entered there, so a bound for each entry of it says nothing.
    assert_faulty(&two_entries("two", ", !concord.bound !0"), &["entries"]);
    assert!(matches!(of_ir(&two_entries("two", ""))[0].kind, Kind::Irreducible));
}

/// Two functions that call each other, the first with a probe at its entry or behind its call.
fn mutual(entry: &str, behind: &str) -> String {
    format!(
        "define void @ping() #0 {{\n\
         entry:\n br label %{entry}\n\
         {}\
         call:\n call void @pong()\n br label %{behind}\n\
         {}\
         exit:\n ret void\n}}\n\
         define void @pong() #0 {{\n\
         %more = call i1 @more()\n br i1 %more, label %again, label %exit\n\
         again:\n call void @ping()\n call void @native()\n br label %exit\n\
         exit:\n ret void\n}}\n",
        probe("first", "call"),
        probe("last", "exit")
    )
}

#[test]
fn recursion_needs_a_probe_before_the_call() {
    assert_faulty(&mutual("first", "exit"), &[]);
    for functions in [mutual("call", "exit"), mutual("call", "last")] {
        assert!(
            matches!(of_ir(&functions).as_slice(), [Fault { kind: Kind::Recursion(names), .. }] if names.len() == 2)
        );
        for level in LEVELS {
            let faults = of_object(&functions, level).faults;
            assert!(
                matches!(faults.as_slice(), [Fault { kind: Kind::EmittedRecursion(names), .. }] if names.len() == 2),
                "{level}: {faults:?}"
            );
        }
    }
}

#[test]
fn recursion_through_a_pointer_is_found_in_the_ir() {
    let recursive = "@table = constant ptr @calls\n\
         define void @calls() #0 {\n\
         %pointer = load volatile ptr, ptr @table\n call void %pointer()\n call void @native()\n ret void\n}\n";
    let faults = of_ir(recursive);
    assert!(matches!(faults.as_slice(), [Fault { kind: Kind::Recursion(_), .. }]), "{faults:?}");
    let other = recursive.replace("call void %pointer()", "call void %pointer(i32 1)");
    assert_eq!(of_ir(&other), []);
}

/// A loop without a probe of its own that calls a function.
fn covered(callee: &str) -> String {
    format!(
        "define void @loops() #0 {{\n\
         entry:\n br label %loop\n\
         loop:\n call void @{callee}()\n %more = call i1 @more()\n br i1 %more, label %loop, label %exit\n\
         exit:\n ret void\n}}\n\
         define void @always() #0 {{\n\
         entry:\n br label %probed\n{}exit:\n ret void\n}}\n\
         define void @sometimes() #0 {{\n\
         entry:\n %way = call i1 @more()\n br i1 %way, label %probed, label %exit\n{}exit:\n ret void\n}}\n",
        probe("probed", "exit"),
        probe("probed", "exit")
    )
}

#[test]
fn a_callee_that_always_meets_a_probe_covers_a_loop() {
    assert_faulty(&covered("always"), &[]);
    assert_faulty(&covered("sometimes"), &["loops"]);
}

#[test]
fn a_probe_on_the_normal_way_of_an_invoke_does_not_cover_unwinding() {
    let retry = |unwind: &str| {
        format!(
            "declare i32 @__gxx_personality_v0(...)\n\
             {}\
             define void @retries() #0 personality ptr @__gxx_personality_v0 {{\n\
             entry:\n br label %loop\n\
             loop:\n invoke void @always() to label %normal unwind label %pad\n\
             normal:\n br label %loop\n\
             pad:\n %caught = landingpad {{ ptr, i32 }} catch ptr null\n br label %{unwind}\n\
             out:\n ret void\n}}\n",
            covered("always")
        )
    };
    assert_eq!(of_ir(&retry("out")), []);
    assert_eq!(of_ir(&retry("loop")).len(), 1);
}

#[test]
fn paths_are_measured_through_bounds_and_calls() {
    let found = of_object(&nest("plain", ", !concord.bound !0"), "2");
    let path = found.functions.iter().find(|function| function.symbol == "nest").expect("it was read").path;
    // Ten rounds of ten rounds of two calls, with what goes with them.
    assert!((200..2000).contains(&path), "{path}");
    assert_eq!(found.functions[0].external, ["more", "native"]);
    let probed = of_object(&nest("probed", ""), "2").functions[0].path;
    assert!(probed < path / 4, "{probed} of {path}");
}

#[test]
fn faults_tell_function_and_what_to_do() {
    let context = Context::create();
    let functions = with_loop("_ZN4mine4spin17h18aba970684159e7E", "plain", "");
    let module = support::parse(&context, &text(&functions)).expect("the module is valid");
    let message = verify::module(&module, "service").expect_err("the loop is open").to_string();
    for words in ["service: mine::spin", "neither a probe nor a bound", "fault of Concord", "--save-dir"] {
        assert!(message.contains(words), "'{words}' is not in: {message}");
    }
}

#[test]
fn labels_stay_out_of_the_artefact() {
    use object::{Object, ObjectSection, SectionFlags};
    let context = Context::create();
    let functions = nest("plain", ", !concord.bound !0");
    let module = support::parse(&context, &text(&functions)).expect("the module is valid");
    let optimise = Optimise { level: "2".to_owned(), lto: Lto::Off, cpu: None, debug_info: false };
    let expected = Expected::prepare(&module, &optimise, "labelled").expect("the module can be labelled");
    let machine = target::machine(&module, &optimise).expect("the target is known");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let object = codegen::emit(&module, &machine, folder.path()).expect("the object is written");
    verify::object(&object, &expected, "labelled").expect("the object passes");
    let bytes = std::fs::read(object).expect("the object can be read");
    let file = object::File::parse(&*bytes).expect("the object can be parsed");
    let is_label = |section: &object::Section<'_, '_>| {
        section.name().is_ok_and(|name| name.starts_with(".pseudo_probe"))
    };
    let labels: Vec<_> = file.sections().filter(is_label).collect();
    assert!(!labels.is_empty());
    for section in labels {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { panic!("an ELF file") };
        assert_eq!(sh_flags & object::elf::SHF_EXCLUDE, object::elf::SHF_EXCLUDE, "{:?}", section.name());
    }
}

#[test]
fn functions_without_a_name_get_one_that_the_object_has() {
    let context = inkwell::context::Context::create();
    let text = "define private void @0() {\n  ret void\n}\ndefine internal void @1() {\n  ret void\n}\n";
    let module = support::parse(&context, text).expect("the module is valid");
    concord_pass::ir::name_all(&module);
    let functions = concord_pass::ir::definitions(&module);
    let names: std::collections::HashSet<String> =
        functions.iter().map(|function| concord_pass::ir::name(*function)).collect();
    assert_eq!((functions.len(), names.len()), (2, 2));
    assert!(names.iter().all(|name| !name.is_empty()));
    let is_private = |function: &inkwell::values::FunctionValue<'_>| {
        function.get_linkage() == inkwell::module::Linkage::Private
    };
    assert!(!functions.iter().any(is_private));
}

/// A loop of the second build; `taken` is what is done with the countdown.
fn counting_down(name: &str, taken: &str) -> String {
    format!(
        "define void @{name}() #0 {{\n\
         entry:\n br label %loop\n\
         loop:\n call void @native()\n %more = call i1 @more()\n\
         %left = load i32, ptr @concord_countdown\n\
         %rest = sub i32 %left, 40\n\
         {taken}\n\
         %out = icmp ult i32 %left, 40\n\
         br i1 %out, label %cold, label %next\n\
         cold:\n call preserve_mostcc void @concord_clock_slow()\n br label %next\n\
         next:\n br i1 %more, label %loop, label %exit\n\
         exit:\n ret void\n}}\n"
    )
}

#[test]
fn a_loop_that_counts_down_has_a_probe() {
    assert_faulty(&counting_down("right", "store i32 %rest, ptr @concord_countdown"), &[]);
}

#[test]
fn a_loop_that_leaves_the_countdown_as_it_was_is_faulty() {
    let found = of_ir(&counting_down("forgetful", ""));
    assert!(matches!(found.as_slice(), [Fault { kind: Kind::Loop, .. }]), "{found:?}");
}
