//! Serving over the network.

use std::net::SocketAddr;
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use concord::transport::udp::Udp;
use concord::{Server, Service, ShutdownHandle};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::cli::RuntimeArgs;
use super::for_requests::ForRequests;
use super::report;

/// `serve`
#[derive(Clone, Debug, Args)]
pub(super) struct ServeArgs {
    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT")]
    udp: SocketAddr,
    #[command(flatten)]
    runtime: RuntimeArgs,
    /// End after this many requests
    #[arg(long, value_name = "N")]
    for_requests: Option<u64>,
}

/// Runs the mode until SIGINT, SIGTERM or the last of the requests.
pub(super) fn run<S: Service>(service: S, args: ServeArgs) -> Result<ExitCode> {
    let config = args.runtime.config()?;
    ensure!(args.for_requests != Some(0), "--for-requests 0: give a number above 0, or none to serve on");
    let quantum = config.quantum;
    let mut server = Server::new(service, config)?;
    let socket =
        Udp::bind(args.udp).with_context(|| format!("listen on {}; choose another with --udp", args.udp))?;
    stop_on_signals(server.shutdown_handle())?;
    // The line that clients started by a script wait for.
    println!("listening on {}", socket.local_addr()?);
    let statistics = server.run(ForRequests::new(socket, args.for_requests))?;
    println!("{}", report::statistics(&statistics, quantum));
    Ok(ExitCode::SUCCESS)
}

fn stop_on_signals(handle: ShutdownHandle) -> Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).context("watch for SIGINT and SIGTERM")?;
    let watch = move || signals.forever().for_each(|_| handle.shutdown());
    // Lives until the process ends.
    std::thread::Builder::new().name("signals".into()).spawn(watch).context("start the thread `signals`")?;
    Ok(())
}
