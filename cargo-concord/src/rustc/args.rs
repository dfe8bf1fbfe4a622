//! A rustc command line, as far as the build has to understand it.
//!
//! Pure. rustc's own rule holds throughout: of repeated `-C` options the last one wins.

use std::path::PathBuf;

use concord_job::Lto;

/// What a rustc call says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RustcArgs {
    /// `--crate-name`.
    pub(crate) crate_name: Option<String>,
    /// `--crate-type`, all of them.
    pub(crate) crate_types: Vec<String>,
    /// `--target`.
    pub(crate) target: Option<String>,
    /// `--out-dir`.
    pub(crate) out_dir: Option<PathBuf>,
    /// `--test`: a test harness, whatever the crate type.
    pub(crate) test: bool,
    /// `--emit` kinds, without their paths; empty means `link`.
    pub(crate) emit: Vec<String>,
    /// The call only asks rustc something (`-vV`, `--print cfg`, ...).
    pub(crate) query: bool,
    codegen: Vec<(String, Option<String>)>,
}

impl RustcArgs {
    /// Reads the words after the program's name.
    pub(crate) fn read(words: &[String]) -> Self {
        let mut args = Self::default();
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match word {
                "-vV" | "-Vv" | "-V" | "--version" | "-h" | "--help" => args.query = true,
                "-O" => args.note_codegen("opt-level=3"),
                "-g" => args.note_codegen("debuginfo=2"),
                "--test" => args.test = true,
                _ => args.note(word, &mut words),
            }
        }
        args
    }

    fn note<'a>(&mut self, word: &'a str, rest: &mut impl Iterator<Item = &'a str>) {
        if let Some(option) = word.strip_prefix("-C") {
            let option = if option.is_empty() { rest.next().unwrap_or_default() } else { option };
            return self.note_codegen(option);
        }
        let Some(long) = word.strip_prefix("--") else { return };
        let (name, glued) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        if !matches!(name, "codegen" | "crate-name" | "crate-type" | "target" | "out-dir" | "emit" | "print")
        {
            return;
        }
        let Some(value) = glued.or_else(|| rest.next()) else { return };
        match name {
            "codegen" => self.note_codegen(value),
            "crate-name" => self.crate_name = Some(value.to_owned()),
            "crate-type" => self.crate_types.extend(value.split(',').map(str::to_owned)),
            "target" => self.target = Some(value.to_owned()),
            "out-dir" => self.out_dir = Some(value.into()),
            "emit" => {
                let kinds = value.split(',').map(|kind| kind.split('=').next().unwrap_or(kind).to_owned());
                self.emit.extend(kinds);
            }
            // These two are printed by a compilation, all others instead of one.
            _ => self.query |= !(value.starts_with("native-static-libs") || value.starts_with("link-args")),
        }
    }

    fn note_codegen(&mut self, option: &str) {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option, None),
        };
        self.codegen.push((name.replace('_', "-"), value));
    }

    /// The value of `-C name`; `Some(None)` when it stands without one.
    fn codegen(&self, name: &str) -> Option<Option<&str>> {
        self.codegen.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_deref())
    }

    /// `-C name=value`.
    pub(crate) fn codegen_value(&self, name: &str) -> Option<&str> {
        self.codegen(name).flatten()
    }

    /// `-C opt-level`, rustc's default being `0`.
    pub(crate) fn opt_level(&self) -> String {
        self.codegen_value("opt-level").unwrap_or("0").to_owned()
    }

    /// The profile's `lto`: Cargo passes `-C lto` to the crate that is linked.
    pub(crate) fn lto(&self) -> Lto {
        match self.codegen("lto") {
            None | Some(Some("off" | "n" | "no" | "false")) => Lto::Off,
            Some(Some("thin")) => Lto::Thin,
            Some(_) => Lto::Fat,
        }
    }

    /// Whether debug information is kept.
    pub(crate) fn debug_info(&self) -> bool {
        !matches!(self.codegen("debuginfo"), None | Some(Some("0" | "none")))
    }

    /// Whether a linker will run.
    pub(crate) fn links(&self) -> bool {
        let emits_link = self.emit.is_empty() || self.emit.iter().any(|kind| kind == "link");
        let executable = self.crate_types.is_empty();
        let linked = |kind: &String| matches!(kind.as_str(), "bin" | "cdylib" | "dylib" | "proc-macro");
        emits_link && (self.test || executable || self.crate_types.iter().any(linked))
    }

    /// The static library that rustc writes, when it writes one.
    pub(crate) fn static_library(&self) -> Option<PathBuf> {
        let emits_link = self.emit.is_empty() || self.emit.iter().any(|kind| kind == "link");
        if !emits_link || self.test || !self.crate_types.iter().any(|kind| kind == "staticlib") {
            return None;
        }
        Some(self.out_dir.clone().unwrap_or_default().join(format!("lib{}.a", self.stem()?)))
    }

    /// The dep-info file that Cargo reads, when rustc writes one.
    pub(crate) fn dep_info(&self) -> Option<PathBuf> {
        if !self.emit.iter().any(|kind| kind == "dep-info") {
            return None;
        }
        Some(self.out_dir.as_ref()?.join(format!("{}.d", self.stem()?)))
    }

    fn stem(&self) -> Option<String> {
        let extra = self.codegen_value("extra-filename").unwrap_or_default();
        Some(format!("{}{extra}", self.crate_name.as_ref()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> RustcArgs {
        RustcArgs::read(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn cargo_release_call_is_understood() {
        let args = read(
            "--crate-name app --edition=2024 src/main.rs --error-format=json --crate-type bin \
             --emit=dep-info,link -C opt-level=3 -C lto=fat -C metadata=02 -C extra-filename=-cd33 \
             --out-dir /t/x86_64-unknown-linux-gnu/release/deps --target x86_64-unknown-linux-gnu \
             -C strip=debuginfo",
        );
        assert_eq!(args.crate_name.as_deref(), Some("app"));
        assert_eq!(args.target.as_deref(), Some("x86_64-unknown-linux-gnu"));
        assert_eq!((args.opt_level().as_str(), args.lto(), args.debug_info()), ("3", Lto::Fat, false));
        assert!(args.links() && !args.query && args.static_library().is_none());
        assert_eq!(args.dep_info(), Some("/t/x86_64-unknown-linux-gnu/release/deps/app-cd33.d".into()));
    }

    #[test]
    fn the_last_codegen_option_wins_however_it_is_spelled() {
        let args =
            read("-Copt-level=1 --codegen opt_level=s --codegen=linker=/a -C linker=/b -O -C opt-level=z");
        assert_eq!(args.opt_level(), "z");
        assert_eq!(args.codegen_value("linker"), Some("/b"));
        assert_eq!(read("-O").opt_level(), "3");
        assert_eq!(read("-C lto -C lto=off").lto(), Lto::Off);
        assert_eq!(read("-C lto").lto(), Lto::Fat);
        assert!(read("-g").debug_info() && !read("-g -C debuginfo=0").debug_info());
    }

    #[test]
    fn queries_are_told_from_compilations() {
        assert!(read("-vV").query);
        assert!(read("- --crate-name ___ --print=file-names --target x").query);
        assert!(read("--print cfg").query);
        assert!(!read("--print=native-static-libs --crate-type staticlib lib.rs").query);
    }

    #[test]
    fn only_linked_crates_link() {
        assert!(!read("--crate-type lib --emit=dep-info,metadata,link").links());
        assert!(!read("--crate-type bin --emit=dep-info,metadata").links());
        assert!(read("--crate-type lib --test --emit=link").links());
        assert!(read("--crate-type cdylib --crate-type rlib").links());
    }

    #[test]
    fn the_static_library_is_named_as_rustc_names_it() {
        let args = read("--crate-name a_b --crate-type staticlib,rlib --out-dir /t -C extra-filename=-1");
        assert_eq!(args.static_library(), Some("/t/liba_b-1.a".into()));
        assert!(!args.links());
    }
}
