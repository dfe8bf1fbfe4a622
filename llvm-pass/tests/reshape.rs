//! Programs whose functions were reshaped do what they did, and come to fewer probes.

mod support;

use std::collections::HashMap;

use concord_job::{Lto, Optimise, Probes};
use concord_pass::reshape::{self, Settings};
use concord_pass::{ir, target};
use inkwell::context::Context;
use support::execute::Program;

/// The lines of a driver's output: name, result, and probes taken.
fn lines(output: &str) -> Vec<(&str, &str, u64)> {
    let line = |line: &'_ str| -> Option<(usize, usize)> { Some((line.find(' ')?, line.rfind(' ')?)) };
    output
        .lines()
        .filter_map(|text| {
            let (first, last) = line(text)?;
            Some((&text[..first], &text[first + 1..last], text[last + 1..].parse().ok()?))
        })
        .collect()
}

#[test]
fn recursive_functions_give_the_same_results_with_fewer_probes() {
    let program = Program::new("recursion");
    let plain = program.output(Probes::None);
    let probed = program.output(Probes::Full);
    let results =
        |output| lines(output).into_iter().map(|(name, result, _)| (name.to_owned(), result.to_owned()));
    assert!(lines(&plain).len() >= 18, "{plain}");
    assert_eq!(results(&plain).collect::<Vec<_>>(), results(&probed).collect::<Vec<_>>());
    assert!(lines(&plain).iter().all(|(_, _, probes)| *probes == 0), "{plain}");

    let probes: HashMap<&str, u64> =
        lines(&probed).iter().map(|(name, _, probes)| (*name, *probes)).collect();
    // Calls that the source makes, counted by hand: 2 F(21) - 1, and two for each number and one.
    for (name, calls) in [("fib", 21_891), ("height", 10_001)] {
        assert!(probes[name] > 0 && probes[name] * 4 <= calls, "{name}: {} of {calls} calls", probes[name]);
    }
}

#[test]
fn loops_in_chunks_give_the_same_results_with_enough_probes() {
    let program = Program::new("loops");
    let plain = program.output(Probes::None);
    let probed = program.output(Probes::Full);
    let results =
        |output| lines(output).into_iter().map(|(name, result, _)| (name.to_owned(), result.to_owned()));
    assert!(lines(&plain).len() > 400, "{plain}");
    assert_eq!(results(&plain).collect::<Vec<_>>(), results(&probed).collect::<Vec<_>>());
    let most = |name: &str| {
        let probes =
            lines(&probed).into_iter().filter(|(own, _, _)| *own == name).map(|(_, _, probes)| probes);
        probes.max().expect("the function was called")
    };
    // 20,000 rounds of five instructions and more: some thirty bounds. A probe for each round would be no chunk.
    let cut = [
        "up_u64",
        "up_i32",
        "up_inclusive_u16",
        "down_u32",
        "by_variable",
        "until_equal",
        "pointers",
        "pointers_back",
        "find",
    ];
    for name in cut {
        assert!((20..=2000).contains(&most(name)), "{name}: {} probes", most(name));
    }
    assert!((1000..=100_000).contains(&most("million")), "million: {} probes", most("million"));
    assert_eq!(most("eight"), 0);
}

/// A module of `count` recursive functions.
fn many(count: usize) -> String {
    let function = |index: usize| {
        format!(
            "define i64 @f{index}(i64 %n) #0 {{
               %small = icmp ult i64 %n, 2
               br i1 %small, label %end, label %more
             more:
               %a = sub i64 %n, 1
               %left = call i64 @f{index}(i64 %a)
               %b = sub i64 %n, 2
               %right = call i64 @f{index}(i64 %b)
               %sum = add i64 %left, %right
               ret i64 %sum
             end:
               ret i64 %n
             }}\n"
        )
    };
    (0..count).map(function).chain(["attributes #0 = { \"concord-probed\" }".to_owned()]).collect()
}

/// Instructions before and after.
fn reshaped(text: &str) -> (usize, usize, String) {
    let context = Context::create();
    let module = support::parse(&context, text).expect("the module is valid");
    let optimise = Optimise { level: "3".to_owned(), lto: Lto::Off, cpu: None, debug_info: false };
    let machine = target::machine(&module, &optimise).expect("the target is known");
    let size = || ir::definitions(&module).into_iter().map(reshape::recursion::size).sum();
    let before = size();
    let settings = Settings { optimise: &optimise, artefact: "many" };
    reshape::run(&module, &machine, &settings).expect("the passes run");
    module.verify().expect("the module is valid");
    (before, size(), module.print_to_string().to_string())
}

#[test]
fn growth_has_a_limit_and_time_is_linear() {
    let time = |count| {
        let begin = std::time::Instant::now();
        let (before, after, _) = reshaped(&many(count));
        let seconds = begin.elapsed().as_secs_f64();
        println!("{count} functions: {before} instructions become {after} in {seconds:.3} s");
        assert!(after > before, "nothing was inlined");
        assert!(after - before <= (before / 50).max(7500), "{before} became {after}");
        seconds
    };
    let (few, more) = (time(500), time(4000));
    // Eight times the functions; quadratic would be 64 times the time.
    assert!(more < 30.0 * few, "{few} s became {more} s");
}

#[test]
fn the_same_module_becomes_the_same_module() {
    let text = many(40);
    assert_eq!(reshaped(&text).2, reshaped(&text).2);
}

#[test]
fn long_memory_operations_give_the_same_results_with_probes() {
    let program = Program::new("memory");
    let plain = program.output(Probes::None);
    let probed = program.output(Probes::Full);
    assert_eq!(lines(&plain)[0], lines(&probed)[0]);
    assert_eq!(lines(&plain).len(), 8, "{plain}");
    for (name, _, probes) in &lines(&probed)[1..] {
        // 20 pieces of 8 KiB each; the constant length is 13, and a site may stand for a few.
        let is_expected = match *name {
            "short" => *probes == 0,
            _ => (3..=40).contains(probes),
        };
        assert!(is_expected, "{name}: {probes} probes\n{probed}");
    }
}
