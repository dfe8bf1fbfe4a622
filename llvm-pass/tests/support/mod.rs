//! What the tests of IR and of machine code share.

// Each test program uses its own part.
#![allow(dead_code, unreachable_pub)]

pub mod execute;
pub mod link;
pub mod machine;

use std::collections::HashSet;

use concord_job::{Instrument, Lto, Optimise, OutputKind};
use concord_pass::names::{Language, Name};
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::targets::TargetTriple;

const DIRECTIVE: &str = ";@ ";
const EXPECTED: &str = ";=";

/// The directives of a golden file.
pub struct Case {
    /// `stage`: `select`, `guard`, `waits`, `reshape`, `probe`, `constructors`, `lend`, `standard` or `slow path`.
    pub stage: String,
    /// `level`: the profile's opt-level; `s` when absent, which unrolls nothing.
    pub level: String,
    /// `output: shared` for a shared object.
    pub output: OutputKind,
    /// `runtime: absent` when the link does not bring the runtime.
    pub has_runtime: bool,
    /// `defined`: symbols that other units of the link define as bitcode.
    pub defined: HashSet<String>,
    /// `exclude`: crates without probes.
    pub exclude: Vec<String>,
}

impl Case {
    /// Reads the directives of `text`.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut case = Self {
            stage: String::new(),
            level: "s".to_owned(),
            output: OutputKind::Executable,
            has_runtime: true,
            defined: HashSet::new(),
            exclude: Vec::new(),
        };
        for directive in text.lines().filter_map(|line| line.strip_prefix(DIRECTIVE)) {
            let (key, value) = directive.split_once(':').unwrap_or((directive, ""));
            let words = || value.split_whitespace().map(str::to_owned);
            match (key, value.trim()) {
                ("stage", stage) => case.stage = stage.to_owned(),
                ("level", level) => case.level = level.to_owned(),
                ("output", "shared") => case.output = OutputKind::SharedObject,
                ("runtime", "absent") => case.has_runtime = false,
                ("defined", _) => case.defined = words().collect(),
                ("exclude", _) => case.exclude = words().collect(),
                _ => return Err(format!("unknown directive '{directive}'")),
            }
        }
        Ok(case)
    }

    /// The profile that the directives describe.
    pub fn optimise(&self) -> Optimise {
        Optimise { level: self.level.clone(), lto: Lto::Off, cpu: None, debug_info: true }
    }

    /// The instrumentation that the directives describe.
    pub fn instrument(&self) -> Instrument {
        Instrument { exclude: self.exclude.clone(), ..Instrument::default() }
    }
}

/// Parses and verifies IR text, for the target that probes exist for.
pub fn parse<'ctx>(context: &'ctx Context, text: &str) -> Result<Module<'ctx>, String> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "input");
    let module = context.create_module_from_ir(buffer).map_err(|message| message.to_string())?;
    module.set_triple(&TargetTriple::create("x86_64-unknown-linux-gnu"));
    module.verify().map_err(|message| format!("the input is invalid: {message}"))?;
    // A wrong length makes a mangled name nobody's, and its test a test of nothing.
    for symbol in module.get_functions().map(concord_pass::ir::name) {
        let is_mangled = symbol.starts_with("_Z") || symbol.starts_with("_R");
        if is_mangled && Name::of(&symbol).language == Language::C {
            return Err(format!("'{symbol}' is no mangled name"));
        }
    }
    Ok(module)
}

/// The part of a golden file before its expectation.
pub fn source(text: &str) -> &str {
    let end = text.find(&format!("\n{EXPECTED}")).map_or(text.len(), |at| at + 1);
    &text[..end]
}

/// The expectation of a golden file.
pub fn expected(text: &str) -> String {
    let lines = text.lines().filter_map(|line| line.strip_prefix(EXPECTED));
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// The golden file `text` with another expectation.
pub fn with_expected(text: &str, expected: &str) -> String {
    let mut file = source(text).trim_end().to_owned();
    file.push_str("\n\n");
    for line in expected.lines() {
        file.push_str(format!("{EXPECTED} {line}").trim_end());
        file.push('\n');
    }
    file
}

/// Printed IR without its head, its declarations, and the attribute groups that nothing left refers to.
pub fn relevant(printed: &str) -> String {
    let is_head = |line: &str| {
        [
            "; ModuleID",
            "source_filename",
            "target triple",
            "target datalayout",
            "declare ",
            "; Function Attrs",
        ]
        .iter()
        .any(|head| line.starts_with(head))
    };
    let lines: Vec<&str> = printed.lines().filter(|line| !is_head(line)).collect();
    let code: Vec<&str> = lines.iter().copied().filter(|line| !line.starts_with("attributes #")).collect();
    let is_named =
        |group: &str| code.iter().any(|line| line.split([' ', ',', ')']).any(|word| word == group));
    let kept = lines.iter().filter(|line| {
        line.strip_prefix("attributes ").is_none_or(|rest| is_named(rest.split(' ').next().unwrap_or(rest)))
    });
    let mut text = String::new();
    for line in kept {
        // One empty line between parts.
        if !line.is_empty() || !(text.is_empty() || text.ends_with("\n\n")) {
            text.push_str(line.split("; preds =").next().unwrap_or(line).trim_end());
            text.push('\n');
        }
    }
    text.trim_end().to_owned()
}

/// The lines around the first difference of two texts.
pub fn difference(expected: &str, actual: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (expected.lines().collect(), actual.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let from = same.saturating_sub(3);
    let part = |lines: &[&str]| {
        lines.iter().skip(from).take(20).map(|line| format!("    {line}\n")).collect::<String>()
    };
    format!("  first difference in line {}\n  expected:\n{}  actual:\n{}", same + 1, part(&old), part(&new))
}
