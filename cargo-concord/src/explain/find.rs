//! Which function is meant.

use std::collections::BTreeSet;

use concord_job::{FunctionReport, Report, Skipped};

/// What the words of a person mean.
#[derive(Debug, PartialEq)]
pub(super) enum Found<'a> {
    /// A function with probes; generic ones may have several instances of one name.
    Functions(Vec<&'a FunctionReport>),
    /// A function without.
    Skipped(&'a Skipped),
    /// A function that was selected and is part of its callers now.
    Inlined(&'a str),
    /// More than one.
    Several(Vec<&'a str>),
    /// None; these are spelled much alike.
    None(Vec<&'a str>),
}

/// So many similar names are suggested, if they are this much alike (0 to 1).
const SUGGESTIONS: usize = 5;
const LIKENESS: f64 = 0.8;

/// Finds the function that `wanted` names: wholly, by the end of its path, or by a part of it, whichever comes
/// first.
pub(super) fn find<'a>(report: &'a Report, wanted: &str) -> Found<'a> {
    if let Some(function) = report.functions.iter().find(|function| function.symbol == wanted) {
        return Found::Functions(vec![function]);
    }
    let names: BTreeSet<&str> = report
        .functions
        .iter()
        .map(|function| &function.name)
        .chain(report.skipped.iter().map(|skipped| &skipped.function))
        .chain(&report.instrumented)
        .map(String::as_str)
        .collect();
    let end = format!("::{wanted}");
    let tiers: [&dyn Fn(&str) -> bool; 3] =
        [&|form| form == wanted, &|form| form.ends_with(&end), &|form| form.contains(wanted)];
    for tier in tiers {
        let matching: Vec<&str> =
            names.iter().copied().filter(|name| forms(name).iter().any(|form| tier(form))).collect();
        match matching[..] {
            [] => {}
            [name] => return named(report, name),
            _ => return Found::Several(matching),
        }
    }
    Found::None(similar(&names, wanted))
}

fn named<'a>(report: &'a Report, name: &'a str) -> Found<'a> {
    let functions: Vec<_> = report.functions.iter().filter(|function| function.name == name).collect();
    if !functions.is_empty() {
        return Found::Functions(functions);
    }
    match report.skipped.iter().find(|skipped| skipped.function == name) {
        Some(skipped) => Found::Skipped(skipped),
        None => Found::Inlined(name),
    }
}

/// The spellings of a demangled name: as it is, without generic arguments, and for a trait's method as method
/// of the type and of the trait.
fn forms(name: &str) -> Vec<String> {
    let plain = without_arguments(name);
    let mut forms = vec![name.to_owned()];
    if let Some((own, (interface, rest))) = plain
        .strip_prefix('<')
        .and_then(|inner| inner.split_once(" as "))
        .and_then(|(own, rest)| Some((own, rest.split_once('>')?)))
    {
        forms.push(format!("{own}{rest}"));
        forms.push(format!("{interface}{rest}"));
    }
    forms.push(plain);
    forms
}

/// Leaves out `<..>` and `::<..>` behind a name; `<Type as Trait>` stays.
fn without_arguments(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut depth = 0_usize;
    let mut previous = ' ';
    for letter in name.chars() {
        match letter {
            '<' if depth > 0
                || plain.ends_with(|before: char| before.is_alphanumeric() || "_:}".contains(before)) =>
            {
                if depth == 0 && plain.ends_with("::") {
                    plain.truncate(plain.len() - "::".len());
                }
                depth += 1;
            }
            // The arrow of a function type closes nothing.
            '>' if depth > 0 && previous != '-' => depth -= 1,
            letter if depth == 0 => plain.push(letter),
            _ => {}
        }
        previous = letter;
    }
    plain
}

/// By their last names: whole paths are alike as soon as they begin in one crate.
fn similar<'a>(names: &BTreeSet<&'a str>, wanted: &str) -> Vec<&'a str> {
    let last = |path: &str| without_arguments(path).rsplit("::").next().unwrap_or_default().to_lowercase();
    let wanted = last(wanted);
    let likeness = |name: &str| strsim::jaro_winkler(&last(name), &wanted);
    let mut close: Vec<(f64, &str)> = names.iter().map(|name| (likeness(name), *name)).collect();
    close.retain(|(likeness, _)| *likeness >= LIKENESS);
    close.sort_by(|left, right| right.0.total_cmp(&left.0));
    close.into_iter().take(SUGGESTIONS).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let function = |name: &str, symbol: &str| FunctionReport {
            name: name.to_owned(),
            symbol: symbol.to_owned(),
            ..FunctionReport::default()
        };
        let skipped = |name: &str| Skipped { function: name.to_owned(), reason: "so".to_owned() };
        Report {
            functions: vec![
                function("app::main", "m"),
                function("app::sum::<u8>", "s1"),
                function("app::sum::<u32>", "s2"),
                function("app::table::sum_up", "t"),
                function("<app::Table as core::ops::drop::Drop>::drop", "d"),
                function("app::twice", "w1"),
                function("app::twice", "w2"),
            ],
            skipped: vec![skipped("concord::run")],
            instrumented: vec!["app::main".to_owned(), "app::small".to_owned()],
            ..Report::default()
        }
    }

    fn found(wanted: &str) -> String {
        match find(&report(), wanted) {
            Found::Functions(functions) => {
                functions.iter().map(|function| function.symbol.as_str()).collect::<Vec<_>>().join(" ")
            }
            Found::Skipped(skipped) => format!("skipped {}", skipped.function),
            Found::Inlined(name) => format!("inlined {name}"),
            Found::Several(names) => format!("several {}", names.join(" ")),
            Found::None(names) => format!("none {}", names.join(" ")),
        }
    }

    #[test]
    fn functions_are_found_by_the_whole_the_end_or_a_part_of_their_path() {
        for (wanted, expected) in [
            ("app::main", "m"),
            ("main", "m"),
            ("sum_up", "t"),
            ("table", "t"),
            ("s2", "s2"),
            ("app::sum::<u8>", "s1"),
            ("sum", "several app::sum::<u32> app::sum::<u8>"),
            ("Table::drop", "d"),
            ("Drop::drop", "d"),
            ("<app::Table as core::ops::drop::Drop>::drop", "d"),
            ("twice", "w1 w2"),
            ("run", "skipped concord::run"),
            ("small", "inlined app::small"),
            ("app::mian", "none app::main"),
            ("twise", "none app::twice"),
            ("zzzz", "none "),
        ] {
            assert_eq!(found(wanted), expected, "{wanted}");
        }
    }

    #[test]
    fn generic_arguments_are_left_out() {
        for (name, plain) in [
            ("a::b::<u8>::c", "a::b::c"),
            ("a::B<T>::c", "a::B::c"),
            ("<a::B<u8> as c::D<E<F>>>::g", "<a::B as c::D>::g"),
            ("a::b::<fn(u8) -> u16>::c", "a::b::c"),
            ("a::{{closure}}", "a::{{closure}}"),
        ] {
            assert_eq!(without_arguments(name), plain);
        }
    }
}
