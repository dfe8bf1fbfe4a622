//! A service whose requests run one kernel again and again: what the probes buy, under the real runtime.
//!
//! With two requests at a time and processor sharing one always waits, so every turn ends when its quantum is
//! over: the lengths of the turns are the achieved quantum.

use std::process::ExitCode;

use concord::{Reply, Request, Service, ServiceError, WorkerId, WorkerLocal};
use concord_bench::{Requests, WrongReply};
use rand::Rng;

use crate::kernel::{Kernel, Work};

/// Requests that are under way together; for each, the work is made before the first one comes.
const TOGETHER: usize = 2;

#[derive(clap::Args)]
struct Options {
    /// The kernel that requests run
    #[arg(long, global = true, value_parser = kernel, default_value = "fib")]
    kernel: &'static Kernel,
    /// How often a request runs it
    #[arg(long, global = true, value_name = "N", default_value_t = 1)]
    runs: u32,
}

fn kernel(name: &str) -> Result<&'static Kernel, String> {
    Kernel::find(name).ok_or_else(|| "no such kernel; `concord-kernels list` names all".into())
}

/// The service's `main`.
pub(crate) fn main() -> ExitCode {
    concord_bench::service_main(
        "Kernels as a service; besides: `list`, `samples KERNEL` and `once KERNEL` run them directly",
        |options: Options| (KernelService { kernel: options.kernel, runs: options.runs }, KernelRequests),
    )
}

struct KernelService {
    kernel: &'static Kernel,
    runs: u32,
}

impl Service for KernelService {
    type Worker = WorkerLocal<Vec<Work>>;

    fn setup_worker(&self, worker: WorkerId) -> Result<Self::Worker, ServiceError> {
        let works = if worker == WorkerId::DISPATCHER { 0 } else { TOGETHER };
        Ok(WorkerLocal::new((0..works).map(|_| (self.kernel.prepare)()).collect()))
    }

    fn handle_request(&self, worker: &Self::Worker, _: &Request<'_>, reply: &mut Reply) {
        // Taken out: lent, it would guard the whole request from preemption.
        let taken = worker.with(Vec::pop);
        let mut work = taken.unwrap_or_else(self.kernel.prepare);
        let done = (0..self.runs).try_for_each(|_| self.kernel.run(&mut work));
        if let Err(wrong) = done {
            reply.set_error(&wrong.to_string());
        }
        worker.with(|works| works.push(work));
    }
}

struct KernelRequests;

impl Requests for KernelRequests {
    fn classes(&self) -> Vec<String> {
        vec!["request".into()]
    }

    fn make(&self, _class: usize, _service_ns: Option<u64>, _rng: &mut dyn Rng, _payload: &mut Vec<u8>) {}

    /// A wrong answer is an error reply already.
    fn check(&self, _payload: &[u8], reply: &[u8]) -> Result<(), WrongReply> {
        if reply.is_empty() { Ok(()) } else { Err(WrongReply("a reply that is not empty".into())) }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    #[test]
    fn options_name_a_kernel_that_exists() {
        let line = Line::try_parse_from(["svc", "--kernel", "sieve", "--runs", "3"])
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((line.options.kernel.name, line.options.runs), ("sieve", 3));
        let error =
            Line::try_parse_from(["svc", "--kernel", "sieves"]).err().expect("there is no such kernel");
        assert!(error.to_string().contains("no such kernel"), "{error}");
    }
}
