//! Simulates policies, quanta and loads: `simulate --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    concord_bench::sim::cli::main()
}
