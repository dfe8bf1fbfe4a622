//! A server process and a client process over loopback.

use std::io::{BufRead, BufReader, Read};
use std::net::UdpSocket;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use serde_json::Value;

/// A `synthetic-svc serve` that is ended with the test.
struct Server {
    child: Child,
    output: BufReader<ChildStdout>,
    address: String,
}

impl Server {
    fn start(options: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_synthetic-svc"))
            .args(["serve", "--udp", "127.0.0.1:0", "--quantum", "none"])
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").expect("the first line").to_string();
        Self { child, output, address }
    }

    /// Sends it a signal; what it printed until its end.
    fn stopped(self, signal: &str) -> String {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        self.ended()
    }

    /// What it printed after its first line, once it has ended.
    fn ended(mut self) -> String {
        let mut text = String::new();
        self.output.read_to_string(&mut text).unwrap();
        assert!(self.child.wait().unwrap().success());
        text
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Fails when it has ended already, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn loadgen(server: &str, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loadgen"));
    command.args(["--server", server, "--json"]).args(options).output().unwrap()
}

/// Packets may be lost while a crowded machine keeps a process off its core; then they are counted.
#[test]
fn a_load_is_accounted_for_to_the_last_request_on_both_sides() {
    let server = Server::start(&[]);
    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    for noise in [&b""[..], b"noise", &[0; 16]] {
        client.send_to(noise, &server.address).unwrap();
    }
    let load =
        ["--workload", "fixed-1", "--rate", "2000", "--requests", "1000", "--tolerance-us", "10000000"];
    let output = loadgen(&server.address, &load);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    let count = |key: &str| run["classes"][0][key].as_u64().unwrap();
    assert_eq!(count("offered"), 1_000);
    assert_eq!(count("answered") + count("dropped"), 1_000);
    assert_eq!(count("errors") + count("wrong"), 0);
    assert!(count("answered") > 0);
    let statistics = server.stopped("-TERM");
    let served = number_after(&statistics, "served ");
    assert!((count("answered")..=1_000).contains(&served), "{statistics}");
    assert_eq!(number_after(&statistics, "malformed packets "), 3, "{statistics}");
}

fn number_after(text: &str, words: &str) -> u64 {
    let rest = &text[text.find(words).expect(words) + words.len()..];
    let digits = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().unwrap()
}

#[test]
fn a_server_ends_after_the_requests_it_was_asked_for() {
    let server = Server::start(&["--for-requests", "50"]);
    // More than asked for, so that a lost packet does not keep the server waiting.
    let load = ["--workload", "fixed-1", "--rate", "1000", "--requests", "500", "--patience-ms", "100"];
    loadgen(&server.address, &load);
    let served = number_after(&server.ended(), "served ");
    assert!((50..500).contains(&served), "{served}");
}

#[test]
fn a_late_sender_voids_the_run() {
    let server = Server::start(&[]);
    let load = ["--workload", "fixed-1", "--rate", "100000000", "--requests", "3000", "--tolerance-us", "0"];
    let output = loadgen(&server.address, &load);
    assert_eq!(output.status.code(), Some(3));
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(run["adherence"]["void"], true);
}

#[test]
fn a_signal_ends_the_server_with_its_statistics() {
    for signal in ["-INT", "-TERM"] {
        assert!(Server::start(&[]).stopped(signal).contains("served 0 requests"));
    }
}

#[test]
fn failures_say_what_to_do() {
    let refused = |program: &str, args: &[&str], part: &str| {
        let output = Command::new(program).args(args).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.contains(part), "{args:?}: {message}");
    };
    let (service, loadgen) = (env!("CARGO_BIN_EXE_synthetic-svc"), env!("CARGO_BIN_EXE_loadgen"));
    refused(
        loadgen,
        &["--server", "127.0.0.1:1", "--workload", "zippyd", "--rate", "1"],
        "did you mean `zippydb`",
    );
    let nobody = [
        "--server",
        "127.0.0.1:1",
        "--workload",
        "fixed-1",
        "--rate",
        "100",
        "--requests",
        "2",
        "--patience-ms",
        "50",
    ];
    refused(loadgen, &nobody, "is the service running");
    refused(service, &["serve", "--udp", "127.0.0.1:0", "--workers", "0"], "workers");
    refused(service, &["serve", "--udp", "127.0.0.1:0", "--quantum", "0us"], "quantum");
    refused(service, &["serve", "--udp", "127.0.0.1:0", "--jbsq-depth", "0"], "jbsq_depth");
    refused(service, &["serve", "--udp", "127.0.0.1:0", "--policy", "ps2"], "policy");
    refused(service, &["serve", "--udp", "192.0.2.1:80"], "--udp");
}
