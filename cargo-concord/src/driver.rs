//! `cargo concord build | run | test`: Cargo, started with our roles in place.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufReader, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result};
use cargo_metadata::Message;
use concord_job::Probes;

use crate::cargo_args::CargoArgs;
use crate::cli::OwnOptions;
use crate::config::{Settings, environment};
use crate::context::{CONTEXT_VARIABLE, Context, FLAGS_VARIABLE, OPTIONS_VARIABLE};
use crate::link::unmatched;
use crate::mirror;
use crate::process;
use crate::reports;
use crate::role::Role;
use crate::rustc;
use crate::toolchain::{Clang, Pass, Toolchain, check_target};
use crate::workspace::Workspace;

/// Our folder below Cargo's target directory.
const FOLDER: &str = "concord";

/// Runs Cargo's `subcommand`.
///
/// # Errors
/// When something that the build needs is missing. Cargo's own failure is its exit code.
pub(crate) fn run(subcommand: &str, own: &OwnOptions) -> Result<ExitCode> {
    let mut build = Build::prepare(subcommand, own)?;
    if subcommand != "build" {
        return process::replace(&mut build.cargo);
    }
    let status = process::status(&mut build.cargo)?;
    if status.success() {
        build.finish()?;
    }
    Ok(process::exit_code(status))
}

/// A call of Cargo with our roles in place, ready to be started.
pub(crate) struct Build {
    /// The call.
    pub(crate) cargo: Command,
    /// The workspace that is built.
    pub(crate) workspace: Workspace,
    context: Context,
    /// Name of the profile's folder.
    profile: String,
    /// The target was our choice, so artefacts go where `cargo build` without `--target` would put them.
    is_mirrored: bool,
}

impl Build {
    /// Finds all that `subcommand` of Cargo needs, and decides the settings.
    ///
    /// # Errors
    /// When something is missing, or a setting is wrong.
    pub(crate) fn prepare(subcommand: &str, own: &OwnOptions) -> Result<Self> {
        let args = CargoArgs::read(&own.cargo, subcommand);
        check_variables()?;
        let config = cargo_config2::Config::load().context("cannot read Cargo's configuration")?;
        let toolchain = Toolchain::find(&config)?;
        let asked = config.build_target_for_cli(&args.targets).context("cannot read the targets to build")?;
        let targets = if asked.is_empty() { vec![toolchain.host.clone()] } else { asked.clone() };
        targets.iter().try_for_each(|target| check_target(target))?;
        // Two programs that take their time to answer, asked at once.
        let (workspace, clang) = std::thread::scope(|scope| {
            let clang = scope.spawn(|| Clang::find(toolchain.llvm_major()));
            let workspace = Workspace::read(&args, &targets);
            (workspace, clang.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let workspace = workspace?;
        let settings = Settings::of_build(&workspace, own.layer()?)?;
        let given = Given { own, args: &args, config: &config, toolchain: &toolchain };
        let context = context(&given, targets, &workspace, settings, clang)?;
        Role::install(&context.roles())?;

        let mut cargo = Command::new(cargo_program());
        cargo.arg(subcommand).arg("--target-dir").arg(&context.folder);
        if asked.is_empty() {
            // Without it build scripts and proc macros would be compiled with our options.
            cargo.arg("--target").arg(&toolchain.host);
        }
        // A build folder set by the user is shared with his ordinary builds, and Cargo would mix the two.
        cargo.arg("--config").arg(format!("build.build-dir={:?}", context.folder));
        cargo.args(&args.words);
        set_environment(&mut cargo, &context, &config)?;
        let profile = args.profile_folder().to_owned();
        Ok(Self { cargo, workspace, context, profile, is_mirrored: asked.is_empty() })
    }

    /// What is left to do after a build that succeeded.
    ///
    /// # Errors
    /// When an artefact cannot be put where `cargo build` would have put it.
    pub(crate) fn finish(&self) -> Result<()> {
        for target in &self.context.targets {
            reports::follow(&self.context.folder.join(target).join(&self.profile))?;
        }
        if self.is_mirrored {
            let [from, to] =
                [self.context.folder.join(&self.context.targets[0]), self.context.folder.clone()];
            mirror::mirror(&from.join(&self.profile), &to.join(&self.profile))?;
        }
        if !self.context.quiet {
            for setting in unmatched::everywhere(&self.context, &options_hash(&self.context)?) {
                eprintln!("{}", unmatched::warning(setting));
            }
        }
        Ok(())
    }
}

/// What [`build`] came to.
pub(crate) enum Built {
    /// Files that Cargo made, those of an earlier build that are still good included.
    Files(Vec<PathBuf>),
    /// Cargo failed, and has said why.
    Failed(ExitCode),
}

/// Runs `cargo build` for its artefacts.
///
/// # Errors
/// As [`run`], and when Cargo's messages cannot be read.
pub(crate) fn build(build: &mut Build) -> Result<Built> {
    build.cargo.arg("--message-format=json-render-diagnostics").stdout(Stdio::piped());
    let mut running = process::start(&mut build.cargo)?;
    let messages = running.stdout.take().context("Cargo's messages are not read")?;
    let mut files = Vec::new();
    for message in Message::parse_stream(BufReader::new(messages)) {
        if let Message::CompilerArtifact(artifact) = message.context("cannot read Cargo's messages")? {
            files.extend(artifact.filenames.into_iter().map(PathBuf::from));
        }
    }
    let status = running.wait().context("cannot wait for Cargo")?;
    if !status.success() {
        return Ok(Built::Failed(process::exit_code(status)));
    }
    build.finish()?;
    Ok(Built::Files(files))
}

/// Cargo as it started us.
pub(crate) fn cargo_program() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Refuses variables of ours that nobody reads.
fn check_variables() -> Result<()> {
    let names: Vec<String> = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect();
    environment::check(names.iter().map(String::as_str))
}

/// What shapes the roles' work, as the person and Cargo's configuration have it.
struct Given<'a> {
    own: &'a OwnOptions,
    args: &'a CargoArgs,
    config: &'a cargo_config2::Config,
    toolchain: &'a Toolchain,
}

fn context(
    given: &Given<'_>,
    targets: Vec<String>,
    workspace: &Workspace,
    settings: Settings,
    clang: std::result::Result<Clang, String>,
) -> Result<Context> {
    let Given { own, args, config, toolchain } = *given;
    let pass = Pass::find(toolchain)?;
    let outer = Context::from_environment().ok();
    let mut folder = folder_below(args, workspace)?;
    let probes = own.probes();
    // Folders of their own: Cargo cannot tell the builds apart, and all are wanted for comparing.
    match probes {
        Probes::None => folder.push("no-probes"),
        Probes::Empty => folder.push("empty-probes"),
        Probes::Full => {}
    }
    Ok(Context {
        folder,
        targets,
        chained_wrapper: unless_own_role(config.build.rustc_wrapper.clone())
            .or_else(|| outer.as_ref().and_then(|outer| outer.chained_wrapper.clone())),
        rustdoc: unless_own_role(config.build.rustdoc.clone()).unwrap_or_else(|| toolchain.rustdoc()),
        pass: pass.program,
        pass_libraries: pass.libraries,
        clang,
        lld_folder: toolchain.lld_folder(),
        probes,
        settings,
        warns: args.subcommand == "run",
        save_dir: own.save_dir.as_deref().map(std::path::absolute).transpose()?,
        dump_stages: own.stages(),
        terminal: terminal().filter(|_| !args.quiet),
        quiet: args.quiet,
    })
}

/// Our stderr as other processes can open it, when it is a terminal.
fn terminal() -> Option<PathBuf> {
    std::io::stderr().is_terminal().then(|| format!("/proc/{}/fd/2", std::process::id()).into())
}

/// A setting of the user, unless it is our role: the build runs inside another one of ours then.
fn unless_own_role(program: Option<PathBuf>) -> Option<PathBuf> {
    program.filter(|program| Role::of_program(program.as_os_str()).is_none())
}

/// `<cargo target dir>/concord`.
///
/// # Errors
/// When Cargo cannot tell its target directory: there is no package, for instance.
pub(crate) fn our_folder(args: &CargoArgs) -> Result<PathBuf> {
    match &args.target_dir {
        Some(folder) => Ok(std::path::absolute(folder)?.join(FOLDER)),
        None => Ok(Workspace::read_alone(args)?.target_directory().join(FOLDER)),
    }
}

fn folder_below(args: &CargoArgs, workspace: &Workspace) -> Result<PathBuf> {
    match &args.target_dir {
        Some(folder) => Ok(std::path::absolute(folder)?.join(FOLDER)),
        None => Ok(workspace.target_directory().join(FOLDER)),
    }
}

fn set_environment(cargo: &mut Command, context: &Context, config: &cargo_config2::Config) -> Result<()> {
    let role = |role: Role| context.roles().join(role.name());
    cargo.env("RUSTC_WRAPPER", role(Role::Rustc));
    cargo.env("RUSTDOC", role(Role::Rustdoc));
    cargo.env(CONTEXT_VARIABLE, context.to_json()?);
    cargo.env(OPTIONS_VARIABLE, options_hash(context)?);
    let mut flags = DefaultHasher::new();
    rustc::own_options(context).hash(&mut flags);
    cargo.env(FLAGS_VARIABLE, format!("{:016x}", flags.finish()));
    for target in &context.targets {
        if let Some(name) = user_compiler(target, config) {
            if !context.quiet {
                eprintln!("concord: {name} is set, so C and C++ code is built by it, without probes");
            }
            continue;
        }
        let suffix = target.replace('-', "_");
        for (language, role) in [("CC", role(Role::C)), ("CXX", role(Role::Cxx))] {
            cargo.env(format!("{language}_{suffix}"), &role);
            cargo.env(format!("TARGET_{language}"), &role);
        }
    }
    Ok(())
}

/// The variable by which the user chose a C or C++ compiler for `target`, as the `cc` crate reads them.
fn user_compiler(target: &str, config: &cargo_config2::Config) -> Option<String> {
    let names = ["CC", "CXX"].into_iter().flat_map(|language| {
        [
            language.to_owned(),
            format!("TARGET_{language}"),
            format!("{language}_{target}"),
            format!("{language}_{}", target.replace('-', "_")),
        ]
    });
    let is_users = |name: &String| {
        let configured = config.env.get(name.as_str()).map(|value| value.value.clone());
        let value = std::env::var_os(name).or(configured);
        value.is_some_and(|value| !value.is_empty() && Role::of_program(&value).is_none())
    };
    names.into_iter().find(is_users)
}

/// See [`OPTIONS_VARIABLE`].
fn options_hash(context: &Context) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    let Context { probes, settings, save_dir, dump_stages, .. } = context;
    (probes, settings.bound, settings.second_build, save_dir).hash(&mut hasher);
    settings.paths.iter().for_each(|setting| (&setting.path, setting.wish).hash(&mut hasher));
    dump_stages.iter().for_each(|stage| stage.name().hash(&mut hasher));
    for program in [&context.pass, &std::env::current_exe()?] {
        hash_version(program, &mut hasher)?;
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn hash_version(program: &Path, hasher: &mut DefaultHasher) -> Result<()> {
    let data = program.metadata().with_context(|| format!("cannot read {}", program.display()))?;
    (program, data.len(), data.modified()?).hash(hasher);
    Ok(())
}
