//! A key-value service over LevelDB: `leveldb-svc --help`.

mod service;
mod store;

use std::path::PathBuf;
use std::process::ExitCode;

use concord_bench::key_value::KeyValueRequests;
use concord_bench::key_value::data::KEYS;

use service::LevelDb;

#[derive(clap::Args)]
struct Options {
    /// Folder of the database; kept afterwards. Default: a new one on tmpfs that is removed at the end
    #[arg(long, global = true, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Entries that the SCANs of generated load visit, at most 15000
    #[arg(long, global = true, value_name = "N", default_value_t = KEYS)]
    scan_entries: u32,
}

fn main() -> ExitCode {
    concord_bench::service_main("GET, PUT, DELETE and SCAN over LevelDB", |options: Options| {
        (LevelDb::new(options.dir), KeyValueRequests::with_scan_limit(options.scan_entries))
    })
}
