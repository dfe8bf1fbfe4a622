//! ripgrep and fd over a tree: each call in both builds, everything that they write compared.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use serde_json::Value;

use super::{Answer, Pair, fresh_folder, tree};

/// How an answer is read, where not byte by byte.
type Read = fn(Answer) -> Answer;

/// Calls of `rg`, as a person types them.
const RIPGREP: [&str; 50] = [
    "needle",
    "-n needle --sort path",
    "-c needle --sort path",
    "--count-matches e --sort path",
    "-i NEEDLE -l --sort path",
    "-S Foo --sort path",
    "-w fn --sort path",
    "-x 'needle at the end' --sort path",
    "-v -c . --sort path",
    "-o '[a-z]+_[a-z]+' --sort path",
    "-F '(a+b)*c' -c --sort path",
    "-e needle -e haystack -c --sort path",
    r"-U 'fn.*\n.*let' --multiline-dotall -c --sort path",
    "-U '(?s)struct.{0,40}impl' -o --sort path src",
    "-A2 -B1 -n TODO src --sort path",
    "-C3 --heading -n TODO docs --sort path",
    "--json needle --sort path",
    r"--json -U 'fn\s+let' src --sort path",
    "--stats needle --sort path",
    "-uu -c needle --sort path",
    "-uuu -c needle --sort path",
    "--hidden -l needle --sort path",
    "--no-ignore -l needle --sort path",
    "-a needle binary.bin",
    "needle binary.bin",
    "-E utf-16le needle utf16.txt",
    "-E latin1 straße latin1.txt",
    "needle utf16.txt",
    "-L -l needle --sort path",
    "--vimgrep needle src --sort path",
    "--column -b needle src --sort path",
    "-r 'X$1' 'n(e+)dle' -n --sort path src",
    "--passthru -N needle crlf.txt",
    "--crlf 'let $' crlf.txt",
    "-M 100 --max-columns-preview needle --sort path",
    "-m 1 needle --sort path",
    "--color always -n needle src --sort path",
    "--files --sort path",
    "--files --sort modified src/core/deep/er/file01.md",
    "--files -g '*.rs' -g '!src/core/**' --sort path",
    "-t rust -c fn --sort path",
    "-T rust -l needle --sort path",
    "--type-list",
    "-0 -l needle --sort path",
    r"'\p{Greek}|\p{Han}+' -o --sort path",
    "'(?i)STRASSE|STRAßE' -n --sort path",
    r"'\b\d{1,3}(\.\d{1,3}){3}\b' -o --sort path",
    r"'(\w+)\s\w+@\w+\.org' -r '$1' -o --sort path src",
    "'nowhere to be found'",
    "'(unclosed'",
];

/// Calls of `fd`, likewise.
const FD: [&str; 38] = [
    "",
    "file0",
    "-H",
    "-I",
    "-u",
    "-H -I -a file1",
    "-t f",
    "-t d",
    "-t l",
    "-t x",
    "-t e",
    "-e rs",
    "-e rs -e md -E core",
    "-E '*.md' -E docs",
    "-g '*.{rs,c}'",
    "-g '**/core/**' -p",
    "-F 05.l -I",
    "-s FILE03",
    "-i FILE03",
    "-p 'src/.*07'",
    "-d 1",
    "--min-depth 3",
    "--exact-depth 2 -t f",
    "-S +10k",
    "-S -1k -t f",
    "--changed-before 2024-01-01 -t f",
    "--changed-after 2020-01-01 -t f -H -I",
    "-L -t f -p deep/er",
    "-0 file0",
    "--format '{/.}|{//}|{.}' file0",
    "-j 1 -e rs -x echo found '{}' '{/}'",
    "-j 1 -e rs -x wc -l",
    "-e md -X echo --batch-size 5 | wc -w",
    "--color always -t l",
    "--strip-cwd-prefix=never file0",
    "--path-separator : core",
    "-1 index",
    "'[unclosed'",
];

/// Compares both builds of ripgrep.
///
/// # Errors
/// When they do not do the same.
pub(in super::super) fn ripgrep(pair: &Pair, folder: &Path) -> Result<usize> {
    let read: fn(&str) -> Read = |call| match call {
        _ if call.contains("--json") => without_elapsed,
        _ if call.contains("--stats") => without_seconds,
        _ if call.contains("--sort") => |answer| answer,
        _ => sorted,
    };
    compare(pair, "rg", &RIPGREP, read, folder)
}

/// Compares both builds of fd.
///
/// # Errors
/// When they do not do the same.
pub(in super::super) fn fd(pair: &Pair, folder: &Path) -> Result<usize> {
    // Several threads find the files, in no order.
    compare(pair, "fd", &FD, |_| sorted, folder)
}

fn compare(pair: &Pair, name: &str, calls: &[&str], read: fn(&str) -> Read, folder: &Path) -> Result<usize> {
    let tree = fresh_folder(folder, "tree")?;
    tree::make(&tree)?;
    let [plain, concord] = pair.programs(name);
    let mut told = 0;
    for call in calls {
        let answer = |program: &Path| {
            let mut command = Command::new("sh");
            command.arg("-c").arg(format!("\"$0\" {call}")).arg(program).current_dir(&tree);
            Answer::of(command).map(read(call))
        };
        let expected = answer(&plain)?;
        told += usize::from(!expected.stdout.is_empty());
        expected.same_as(&answer(&concord)?, &format!("{name} {call}"))?;
    }
    ensure!(told * 10 > calls.len() * 8, "{name} finds nothing in most calls: the tree is wrong");
    Ok(calls.len())
}

/// Lines (or entries that end with a zero byte) in order.
fn sorted(mut answer: Answer) -> Answer {
    for text in [&mut answer.stdout, &mut answer.stderr] {
        let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| matches!(byte, b'\n' | 0)).collect();
        lines.sort_unstable();
        *text = lines.concat();
    }
    answer
}

fn without_seconds(mut answer: Answer) -> Answer {
    let text = String::from_utf8_lossy(&answer.stdout);
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains(" seconds")).collect();
    answer.stdout = lines.join("\n").into_bytes();
    answer
}

/// JSON lines without the times in them.
fn without_elapsed(mut answer: Answer) -> Answer {
    fn clear(value: &mut Value) {
        if let Value::Object(fields) = value {
            fields.retain(|name, _| !name.starts_with("elapsed"));
            fields.values_mut().for_each(clear);
        }
    }
    let cleared = |line: &[u8]| {
        let Ok(mut value) = serde_json::from_slice::<Value>(line) else { return line.to_vec() };
        clear(&mut value);
        value.to_string().into_bytes()
    };
    let lines: Vec<Vec<u8>> = answer.stdout.split(|byte| *byte == b'\n').map(cleared).collect();
    answer.stdout = lines.join(&b'\n');
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(stdout: &str) -> Answer {
        Answer { code: Some(0), stdout: stdout.into(), stderr: Vec::new() }
    }

    #[test]
    fn times_and_the_order_of_threads_are_left_out_and_nothing_else() {
        assert_eq!(sorted(answer("b\na\n")), answer("a\nb\n"));
        assert_eq!(sorted(answer("b\0a\0")), answer("a\0b\0"));
        assert_eq!(without_seconds(answer("3 matches\n0.1 seconds\n")), answer("3 matches"));
        let json = |nanos: u32, lines: u32| {
            let line = format!(r#"{{"data":{{"elapsed_total":{{"nanos":{nanos}}},"lines":{lines}}}}}"#);
            without_elapsed(answer(&format!("{line}\n")))
        };
        assert_eq!(json(1, 7), json(2, 7));
        assert_ne!(json(1, 7), json(1, 8));
        assert_eq!(without_elapsed(answer("no json\n")), answer("no json\n"));
    }
}
