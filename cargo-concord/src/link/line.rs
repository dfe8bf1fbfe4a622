//! The link line as rustc hands it to a compiler driver (`cc`): what it says, and how to say it again.
//!
//! Pure: nothing here touches the file system. A line is read into [`Arg`]s, one per option with its
//! values, in order; [`LinkLine::read`] walks them once with the linker's own positional state
//! (`--whole-archive`, `-Bstatic`); the rewriting replaces or drops single [`Arg`]s and leaves the rest as
//! it was.

use std::path::PathBuf;

use super::options;

/// One option with its values, or one positional word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arg {
    /// Option and values, e.g. `["-z", "noexecstack"]`; one word otherwise.
    pub(crate) words: Vec<String>,
    /// Whom it is meant for.
    pub(crate) reader: Reader,
}

/// Who reads an [`Arg`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// The compiler driver.
    Driver,
    /// The linker behind it: the word came in `-Wl,` or `-Xlinker`.
    Linker,
}

/// An input of the link, still by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedInput {
    /// Its place in [`LinkLine::args`].
    pub(crate) arg: usize,
    /// What the line calls it.
    pub(crate) name: InputName,
    /// Under `--whole-archive`.
    pub(crate) whole: bool,
    /// Shared libraries may be taken for a `-l` name (`-Bdynamic`, the default).
    pub(crate) shared_allowed: bool,
}

/// How the line names an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InputName {
    /// A path.
    File(PathBuf),
    /// `-lNAME`: searched in the `-L` folders.
    Library(String),
}

/// What a link line asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkLine {
    /// All of it, in order.
    pub(crate) args: Vec<Arg>,
    /// Inputs, in order.
    pub(crate) inputs: Vec<NamedInput>,
    /// `-L` folders, in order.
    pub(crate) search: Vec<PathBuf>,
    /// `-o`.
    pub(crate) output: Option<PathBuf>,
    /// `-shared`.
    pub(crate) shared: bool,
    /// `-r`.
    pub(crate) relocatable: bool,
    /// `--export-dynamic` or `-rdynamic`.
    pub(crate) export_dynamic: bool,
    /// `--version-script`.
    pub(crate) version_script: Option<PathBuf>,
    /// `--dynamic-list` and `--export-dynamic-symbol-list`.
    pub(crate) dynamic_lists: Vec<PathBuf>,
    /// `--export-dynamic-symbol`.
    pub(crate) dynamic_symbols: Vec<String>,
    /// Symbols named by `-u`, `-e`, `-init`, `-fini`, `--defsym`, `--wrap`.
    pub(crate) named_symbols: Vec<String>,
    /// `-nostartfiles` or `-nostdlib`: the entry is `_start`, and the program brings it along.
    pub(crate) own_start: bool,
    /// `-plugin-opt=mcpu=<cpu>`: the CPU as rustc resolved it, which it tells the linker's own LTO.
    pub(crate) cpu: Option<String>,
}

/// State that options switch for the inputs after them.
#[derive(Clone, Copy)]
struct Position {
    whole: bool,
    shared_allowed: bool,
}

impl LinkLine {
    /// Reads the words of a link line, response files already expanded.
    pub(crate) fn read(words: &[String]) -> Self {
        let mut line = Self { args: group(words), ..Self::default() };
        let mut position = Position { whole: false, shared_allowed: true };
        let mut saved = Vec::new();
        // The driver's `-static` holds for the whole line, wherever it stands.
        let mut all_static = false;
        for index in 0..line.args.len() {
            let arg = line.args[index].clone();
            let word = arg.words[0].as_str();
            if options::is_positional(word) {
                line.add_input(index, InputName::File(word.into()), position);
                continue;
            }
            let (name, value) = options::split(&arg);
            match (name, value) {
                ("l", Some(library)) => line.add_input(index, InputName::Library(library), position),
                ("whole-archive", _) => position.whole = true,
                ("no-whole-archive", _) => position.whole = false,
                ("static" | "static-pie", _) if arg.reader == Reader::Driver => all_static = true,
                ("Bstatic" | "dn" | "non_shared" | "static", _) => position.shared_allowed = false,
                ("Bdynamic" | "dy" | "call_shared", _) => position.shared_allowed = true,
                ("push-state", _) => saved.push(position),
                ("pop-state", _) => position = saved.pop().unwrap_or(position),
                (name, value) => line.note_option(name, value),
            }
        }
        if all_static {
            line.inputs.iter_mut().for_each(|input| input.shared_allowed = false);
        }
        line
    }

    fn add_input(&mut self, arg: usize, name: InputName, position: Position) {
        let Position { whole, shared_allowed } = position;
        self.inputs.push(NamedInput { arg, name, whole, shared_allowed });
    }

    fn note_option(&mut self, name: &str, value: Option<String>) {
        match (name, value) {
            ("o", Some(path)) => self.output = Some(path.into()),
            ("L" | "library-path", Some(folder)) => self.search.push(folder.into()),
            ("shared" | "Bshareable", _) => self.shared = true,
            ("r" | "relocatable", _) => self.relocatable = true,
            ("rdynamic" | "E" | "export-dynamic", _) => self.export_dynamic = true,
            ("nostartfiles" | "nostdlib", _) => self.own_start = true,
            ("version-script", Some(path)) => self.version_script = Some(path.into()),
            ("dynamic-list" | "export-dynamic-symbol-list", Some(path)) => {
                self.dynamic_lists.push(path.into());
            }
            ("export-dynamic-symbol", Some(symbol)) => self.dynamic_symbols.push(symbol),
            ("u" | "undefined" | "require-defined" | "e" | "entry" | "init" | "fini", Some(symbol)) => {
                self.named_symbols.push(symbol);
            }
            ("defsym", Some(text)) => self.named_symbols.extend(identifiers(&text)),
            ("wrap", Some(symbol)) => {
                let wrapped = [format!("__wrap_{symbol}"), format!("__real_{symbol}"), symbol];
                self.named_symbols.extend(wrapped);
            }
            ("plugin-opt", Some(text)) => {
                self.cpu = text.strip_prefix("mcpu=").map(str::to_owned).or(self.cpu.take());
            }
            _ => {}
        }
    }
}

/// The symbols in a `--defsym` expression (`alias=target+8`).
fn identifiers(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '@')))
        .filter(|word| word.starts_with(|c: char| !c.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}

/// Splits `-Wl,` and `-Xlinker`, and joins each option with its separate values.
fn group(words: &[String]) -> Vec<Arg> {
    let mut flat = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if let Some(list) = word.strip_prefix("-Wl,") {
            flat.extend(list.split(',').map(|word| (word.to_owned(), Reader::Linker)));
        } else if word == "-Xlinker" {
            flat.extend(words.next().map(|word| (word.clone(), Reader::Linker)));
        } else {
            flat.push((word.clone(), Reader::Driver));
        }
    }
    let mut args = Vec::new();
    let mut flat = flat.into_iter().peekable();
    while let Some((word, reader)) = flat.next() {
        let takes_value = options::takes_separate_value(&word, reader);
        let mut arg = Arg { words: vec![word], reader };
        if takes_value && let Some((value, _)) = flat.next_if(|(_, next)| *next == reader) {
            arg.words.push(value);
        }
        args.push(arg);
    }
    args
}

/// The command-line words that say `args` again.
pub(crate) fn to_words(args: &[Arg]) -> Vec<String> {
    let mut words = Vec::new();
    for arg in args {
        match arg.reader {
            Reader::Driver => words.extend(arg.words.iter().cloned()),
            // A comma inside a value would be split by `-Wl,`.
            Reader::Linker if arg.words.iter().any(|word| word.contains(',')) => {
                words.extend(arg.words.iter().flat_map(|word| ["-Xlinker".to_owned(), word.clone()]));
            }
            Reader::Linker => words.push(format!("-Wl,{}", arg.words.join(","))),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> LinkLine {
        LinkLine::read(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    fn file(path: &str) -> InputName {
        InputName::File(path.into())
    }

    #[test]
    fn rustc_executable_line_is_understood() {
        let line = read(
            "-m64 /t/rustcX/symbols.o /t/app.rcgu.o -Wl,--as-needed -Wl,-Bstatic /r/libstd.rlib -Wl,-Bdynamic \
             -lgcc_s -lc -L /t/raw-dylibs -B/r/gcc-ld -fuse-ld=lld -Wl,--eh-frame-hdr -Wl,-z,noexecstack \
             -Wl,-plugin-opt=O3,-plugin-opt=mcpu=x86-64 -L /r/lib -o /t/app -Wl,--gc-sections -pie \
             -Wl,-z,relro,-z,now -Wl,-O1 -nodefaultlibs",
        );
        let names: Vec<_> = line.inputs.iter().map(|input| input.name.clone()).collect();
        let expected = [
            file("/t/rustcX/symbols.o"),
            file("/t/app.rcgu.o"),
            file("/r/libstd.rlib"),
            InputName::Library("gcc_s".into()),
            InputName::Library("c".into()),
        ];
        assert_eq!(names, expected);
        assert!(!line.inputs[2].shared_allowed && line.inputs[3].shared_allowed);
        assert_eq!(line.output, Some("/t/app".into()));
        assert_eq!(line.search, [PathBuf::from("/t/raw-dylibs"), "/r/lib".into()]);
        assert!(!line.shared && !line.export_dynamic);
        assert_eq!(line.cpu.as_deref(), Some("x86-64"));
    }

    #[test]
    fn positional_state_reaches_the_inputs_after_it() {
        let line = read(
            "-Wl,--whole-archive a.a -Wl,--no-whole-archive b.a -Wl,--push-state -Wl,--whole-archive,-Bstatic \
             c.a -lx -Wl,--pop-state -ly -Wl,--start-group d.a -Wl,--end-group",
        );
        let state: Vec<_> = line.inputs.iter().map(|input| (input.whole, input.shared_allowed)).collect();
        assert_eq!(
            state,
            [(true, true), (false, true), (true, false), (true, false), (false, true), (false, true)]
        );
    }

    #[test]
    fn inputs_and_values_inside_linker_words_are_told_apart() {
        let line =
            read("-Wl,in.o,-rpath,/x -Wl,-soname -Wl,libq.so -Xlinker -L -Xlinker /y -Wl,-lz -e start");
        let names: Vec<_> = line.inputs.iter().map(|input| input.name.clone()).collect();
        assert_eq!(names, [file("in.o"), InputName::Library("z".into())]);
        assert_eq!(line.search, [PathBuf::from("/y")]);
        assert_eq!(line.named_symbols, ["start"]);
    }

    #[test]
    fn exports_and_roots_are_collected() {
        let line = read(
            "-shared -rdynamic -Wl,--version-script=/t/list -Wl,--dynamic-list,/t/dyn -u keep \
             -Wl,--undefined=also -Wl,--defsym=alias=target+8 -Wl,--wrap=malloc \
             -Wl,--export-dynamic-symbol=hook* -nostartfiles",
        );
        assert!(line.shared && line.export_dynamic && line.own_start);
        assert_eq!(line.version_script, Some("/t/list".into()));
        assert_eq!(line.dynamic_lists, [PathBuf::from("/t/dyn")]);
        assert_eq!(line.dynamic_symbols, ["hook*"]);
        assert_eq!(
            line.named_symbols,
            ["keep", "also", "alias", "target", "__wrap_malloc", "__real_malloc", "malloc"]
        );
    }

    #[test]
    fn words_survive_a_round_trip() {
        let line = read("-m64 a.o -Wl,-z,relro,-z,now -L /lib -lfoo -Wl,-O1 -o out -B/x -Xlinker --a=b,c");
        let expected = "-m64 a.o -Wl,-z,relro -Wl,-z,now -L /lib -lfoo -Wl,-O1 -o out -B/x -Xlinker --a=b,c";
        assert_eq!(to_words(&line.args).join(" "), expected);
    }
}
