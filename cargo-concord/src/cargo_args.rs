//! Cargo's own flags, as far as the build has to understand them, and ours taken out from between them.
//!
//! Pure. Whatever is not named here reaches Cargo as it was typed.

use std::path::PathBuf;

/// Cargo options that take their value from the next word.
const WITH_VALUE: [&str; 23] = [
    "--bin",
    "--example",
    "--test",
    "--bench",
    "--package",
    "-p",
    "--exclude",
    "--features",
    "-F",
    "--jobs",
    "-j",
    "--profile",
    "--target",
    "--target-dir",
    "--manifest-path",
    "--config",
    "--message-format",
    "--color",
    "-Z",
    "--lockfile-path",
    "--artifact-dir",
    "--out-dir",
    "--build-dir",
];

/// Our options of all subcommands that build: those that take a value, and those that take none.
const OWN_WITH_VALUE: [&str; 5] = ["--save-dir", "--dump-stages", "--no-probes-in", "--probes-in", "--bound"];
const OWN_FLAGS: [&str; 3] = ["--no-probes", "--empty-probes", "--no-second-build"];

/// How the words after one of our subcommands are read.
struct Reading {
    with_value: Vec<&'static str>,
    flags: Vec<&'static str>,
    positional: Positional,
}

/// What a word that belongs to no option is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Positional {
    /// Cargo's: the name filter of `test`.
    Cargos,
    /// The first of the words for the user's program.
    Programs,
    /// Ours.
    Own,
}

impl Reading {
    fn of(subcommand: &str) -> Self {
        let (with_value, flags, positional): (&[_], &[_], _) = match subcommand {
            "run" | "r" => (&[], &[], Positional::Programs),
            "audit" => (&["--artefact", "--artifact", "--top"], &["--json", "--all"], Positional::Cargos),
            "explain" => (&["--artefact", "--artifact"], &[], Positional::Own),
            _ => (&[], &[], Positional::Cargos),
        };
        Self {
            with_value: [&OWN_WITH_VALUE, with_value].concat(),
            flags: [&OWN_FLAGS, flags].concat(),
            positional,
        }
    }

    fn takes_value(&self, word: &str) -> bool {
        WITH_VALUE.contains(&word) || self.with_value.contains(&word)
    }
}

/// What Cargo's flags say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CargoArgs {
    /// Cargo's subcommand, by its full name.
    pub(crate) subcommand: String,
    /// `--target`, each.
    pub(crate) targets: Vec<String>,
    /// `--target-dir`.
    pub(crate) target_dir: Option<PathBuf>,
    /// `--manifest-path`.
    pub(crate) manifest_path: Option<PathBuf>,
    /// `--profile`, or `release` for `--release`.
    pub(crate) profile: Option<String>,
    /// `--quiet`.
    pub(crate) quiet: bool,
    /// `--package`, each, as it was spelled.
    pub(crate) packages: Vec<String>,
    /// `--exclude`, each: packages that `--workspace` leaves out.
    pub(crate) left_out: Vec<String>,
    /// `--workspace`.
    pub(crate) workspace: bool,
    /// Flags that `cargo metadata` has to see too.
    pub(crate) for_metadata: Vec<String>,
    /// Flags that `cargo metadata` has to see when it is asked for dependencies.
    pub(crate) features: Vec<String>,
    /// All words for Cargo but `--target-dir`, in order.
    pub(crate) words: Vec<String>,
}

/// Splits the words after one of our subcommands that build into ours (for the front) and Cargo's.
pub(crate) fn take_own(words: &[String], subcommand: &str) -> (Vec<String>, Vec<String>) {
    let reading = Reading::of(subcommand);
    let (mut own, mut cargo) = (Vec::new(), Vec::new());
    let (flags, program) = words.split_at(flags_end(words, subcommand));
    let mut flags = flags.iter();
    while let Some(word) = flags.next() {
        let name = word.split('=').next().unwrap_or(word);
        let is_positional = !word.starts_with('-') && reading.positional == Positional::Own;
        let is_own =
            is_positional || reading.flags.contains(&word.as_str()) || reading.with_value.contains(&name);
        let said = if is_own { &mut own } else { &mut cargo };
        said.push(word.clone());
        if reading.takes_value(word) {
            said.extend(flags.next().cloned());
        }
    }
    cargo.extend(program.iter().cloned());
    (own, cargo)
}

/// Where the words for the user's program begin: after `--`, for `run` also at the first positional.
fn flags_end(words: &[String], subcommand: &str) -> usize {
    let reading = Reading::of(subcommand);
    let mut index = 0;
    while let Some(word) = words.get(index) {
        let positional = !word.starts_with('-');
        if word == "--" || (positional && reading.positional == Positional::Programs) {
            break;
        }
        index += if reading.takes_value(word) { 2 } else { 1 };
    }
    index.min(words.len())
}

/// Whether `--help` stands among Cargo's flags.
pub(crate) fn asks_for_help(words: &[String], subcommand: &str) -> bool {
    words[..flags_end(words, subcommand)].iter().any(|word| word == "--help" || word == "-h")
}

impl CargoArgs {
    /// Reads Cargo's words.
    pub(crate) fn read(words: &[String], subcommand: &str) -> Self {
        let mut args = Self { subcommand: subcommand.to_owned(), ..Self::default() };
        let (flags, program) = words.split_at(flags_end(words, subcommand));
        let mut flags = flags.iter();
        while let Some(word) = flags.next() {
            let mut said = vec![word.clone()];
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, value.to_owned()),
                None if WITH_VALUE.contains(&word.as_str()) => {
                    said.extend(flags.next().cloned());
                    (word.as_str(), said.get(1).cloned().unwrap_or_default())
                }
                None => (word.as_str(), String::new()),
            };
            args.note(name, value, &said);
            if name != "--target-dir" {
                args.words.extend(said);
            }
        }
        args.words.extend(program.iter().cloned());
        args
    }

    fn note(&mut self, name: &str, value: String, said: &[String]) {
        match name {
            "--target" => self.targets.push(value),
            "--target-dir" => self.target_dir = Some(value.into()),
            "--profile" => self.profile = Some(value),
            "--release" | "-r" => self.profile = Some("release".to_owned()),
            "--quiet" | "-q" => self.quiet = true,
            "--manifest-path" => {
                self.manifest_path = Some(value.into());
                self.for_metadata.extend_from_slice(said);
            }
            "--package" | "-p" => self.packages.push(value),
            "--exclude" => self.left_out.push(value),
            "--workspace" | "--all" => self.workspace = true,
            "--features" | "-F" | "--all-features" | "--no-default-features" => {
                self.features.extend_from_slice(said);
            }
            glued if glued.starts_with("-p") => self.packages.push(glued["-p".len()..].to_owned()),
            "--config" | "-Z" | "--offline" | "--locked" | "--frozen" | "--lockfile-path" => {
                self.for_metadata.extend_from_slice(said);
            }
            _ => {}
        }
    }

    /// Name of the profile's folder below a target directory.
    pub(crate) fn profile_folder(&self) -> &str {
        match self.profile.as_deref() {
            None | Some("dev" | "test") => "debug",
            Some("release" | "bench") => "release",
            Some(profile) => profile,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn own_options_are_taken_from_between_cargo_flags() {
        let words = owned(
            "-p app --no-probes --bound 300 --release --save-dir D --dump-stages=merge --probes-in a,b -- --no-probes",
        );
        let (own, cargo) = take_own(&words, "build");
        assert_eq!(own, owned("--no-probes --bound 300 --save-dir D --dump-stages=merge --probes-in a,b"));
        assert_eq!(take_own(&owned("--empty-probes"), "build").0, ["--empty-probes"]);
        assert_eq!(cargo, owned("-p app --release -- --no-probes"));
    }

    #[test]
    fn audit_and_explain_have_options_of_their_own() {
        let split = |text: &str, subcommand: &str| take_own(&owned(text), subcommand);
        let (own, cargo) = split("-p app --top 5 --release --json --all --bound=300", "audit");
        assert_eq!(own, owned("--top 5 --json --all --bound=300"));
        assert_eq!(cargo, owned("-p app --release"));
        let (own, cargo) = split("-p app app::main --release --features x", "explain");
        assert_eq!((own, cargo), (owned("app::main"), owned("-p app --release --features x")));
        assert_eq!(split("--artefact a/b f", "explain").0, owned("--artefact a/b f"));
        // Elsewhere they are Cargo's.
        assert_eq!(split("--all name", "test").1, owned("--all name"));
    }

    #[test]
    fn words_of_the_user_program_are_left_alone() {
        let words = owned("--bin tool --release file --no-probes --target x");
        let (own, cargo) = take_own(&words, "run");
        assert!(own.is_empty());
        assert_eq!(cargo, words);
        let args = CargoArgs::read(&cargo, "run");
        assert!(args.targets.is_empty());
        assert_eq!(args.words, words);
        assert_eq!(args.profile.as_deref(), Some("release"));
    }

    #[test]
    fn cargo_flags_are_read_in_both_spellings() {
        let args = CargoArgs::read(
            &owned(
                "name --target=a --target b --target-dir /t --profile fast -q --manifest-path m/Cargo.toml",
            ),
            "test",
        );
        assert_eq!(args.targets, ["a", "b"]);
        assert_eq!(args.target_dir, Some("/t".into()));
        assert_eq!((args.profile_folder(), args.quiet), ("fast", true));
        assert_eq!(args.for_metadata, owned("--manifest-path m/Cargo.toml"));
        assert_eq!(
            args.words,
            owned("name --target=a --target b --profile fast -q --manifest-path m/Cargo.toml")
        );
    }

    #[test]
    fn the_packages_that_are_built_are_read() {
        let args = CargoArgs::read(&owned("-p a --package=b@1.0 -pc -F x,y --no-default-features"), "build");
        assert_eq!((args.packages, args.workspace), (owned("a b@1.0 c"), false));
        assert_eq!(args.features, owned("-F x,y --no-default-features"));
        let args = CargoArgs::read(&owned("--workspace --exclude c"), "build");
        assert_eq!((args.workspace, args.left_out), (true, owned("c")));
    }

    #[test]
    fn profile_folders_are_named_as_cargo_names_them() {
        let folder = |text: &str| CargoArgs::read(&owned(text), "build").profile_folder().to_owned();
        assert_eq!(folder(""), "debug");
        assert_eq!(folder("--profile dev"), "debug");
        assert_eq!(folder("-r"), "release");
        assert_eq!(folder("--profile bench"), "release");
    }

    #[test]
    fn a_flag_without_its_value_does_not_trip() {
        assert_eq!(take_own(&owned("--save-dir"), "build").0, ["--save-dir"]);
        assert_eq!(CargoArgs::read(&owned("--target"), "build").words, ["--target"]);
    }
}
