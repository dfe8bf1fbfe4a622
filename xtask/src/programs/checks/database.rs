//! redb's example programs: each in both builds, the files that they leave compared.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::{Answer, Pair, fresh_folder, same};

/// Compares both builds of redb's examples.
///
/// # Errors
/// When one fails, or they do not do the same.
pub(in super::super) fn redb(pair: &Pair, folder: &Path) -> Result<usize> {
    let mut comparisons = 0;
    for (example, files) in
        [("int_keys", &["int_keys.redb"][..]), ("special_values", &["index.redb", "values.dat"])]
    {
        let [plain, concord] = pair.programs(&format!("examples/{example}"));
        let [left, right] = [fresh_folder(folder, "plain")?, fresh_folder(folder, "concord")?];
        let expected = run(&plain, &left)?;
        expected.same_as(&run(&concord, &right)?, example)?;
        for file in files {
            same(&read(&left.join(file))?, &read(&right.join(file))?, example, file)?;
        }
        // Each reads on from what the other wrote.
        let expected = run(&plain, &right)?;
        expected.same_as(&run(&concord, &left)?, example)?;
        comparisons += 2 + files.len();
    }
    // Ten threads that read and write as fast as they can: what they print depends on time, whether it fails not.
    for program in pair.programs("examples/multithread") {
        run(&program, &fresh_folder(folder, "threads")?)?;
    }
    Ok(comparisons + 1)
}

fn run(program: &Path, folder: &Path) -> Result<Answer> {
    let mut command = Command::new(program);
    command.current_dir(folder);
    let answer = Answer::of(command)?;
    ensure!(
        answer.code == Some(0),
        "{} ends with {:?}: {}",
        program.display(),
        answer.code,
        String::from_utf8_lossy(&answer.stderr)
    );
    Ok(answer)
}

fn read(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}
