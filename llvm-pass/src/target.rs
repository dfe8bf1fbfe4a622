//! The machine that code is made for: rustc's target, CPU and code model.

use std::sync::Once;

use concord_job::Optimise;
use inkwell::OptimizationLevel;
use inkwell::module::Module;
use inkwell::targets::{
    CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetMachineOptions,
};

use crate::error::{Error, Result};

/// Prepares LLVM's x86 back end; may be called any number of times, from any thread.
pub fn initialise() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        Target::initialize_x86(&InitializationConfig::default());
        crate::ffi::set_option(c"-disable-lsr");
    });
}

/// Makes the machine that a module is optimised for and emitted with.
///
/// # Errors
/// [`Error::Target`] for anything but x86-64 Linux, the one ABI that probes exist for.
pub fn machine(module: &Module<'_>, optimise: &Optimise) -> Result<TargetMachine> {
    initialise();
    let triple = module.get_triple();
    let name = triple.as_str().to_string_lossy().into_owned();
    let fail = |message: String| Error::Target { triple: name.clone(), message };
    if !name.starts_with("x86_64") || !name.contains("linux") {
        return Err(fail("probes exist for x86-64 Linux only".to_owned()));
    }
    let target = Target::from_triple(&triple).map_err(|message| fail(message.to_string()))?;
    let options = TargetMachineOptions::new()
        .set_cpu(&cpu(optimise))
        .set_level(codegen_level(&optimise.level))
        .set_reloc_mode(RelocMode::PIC)
        .set_code_model(CodeModel::Default);
    target
        .create_target_machine_from_options(&triple, options)
        .ok_or_else(|| fail("LLVM has no machine for it".to_owned()))
}

/// rustc writes CPU and features on each function; this is for what belongs to none.
fn cpu(optimise: &Optimise) -> String {
    match optimise.cpu.as_deref() {
        None => "x86-64".to_owned(),
        Some("native") => TargetMachine::get_host_cpu_name().to_string(),
        Some(name) => name.to_owned(),
    }
}

/// As rustc's own back end chooses it: sizes are a matter of the functions' attributes.
fn codegen_level(level: &str) -> OptimizationLevel {
    match level {
        "0" => OptimizationLevel::None,
        "1" => OptimizationLevel::Less,
        "3" => OptimizationLevel::Aggressive,
        _ => OptimizationLevel::Default,
    }
}
