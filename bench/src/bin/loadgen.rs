//! Sends an open-loop load to a service over UDP: `loadgen --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    concord_bench::loadgen::main()
}
