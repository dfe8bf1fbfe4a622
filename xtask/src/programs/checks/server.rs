//! simple-http-server: both builds serve the same tree, one request after the other and many at once.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

use super::http::{exchange, request};
use super::{Pair, fresh_folder, same, tree};

/// How long a server may take until it listens.
const START: Duration = Duration::from_secs(20);
/// Connections at once.
const CONNECTIONS: usize = 16;
/// Requests on each, one after the other.
const REQUESTS: usize = 60;

/// What the server asks to be told before it takes files.
const TOKEN: &str = "of-this-test";

/// Compares both builds of simple-http-server.
///
/// # Errors
/// When a server does not start or stay, or they do not answer the same.
pub(in super::super) fn simple_http_server(pair: &Pair, folder: &Path) -> Result<usize> {
    let [plain, concord] = pair.programs("simple-http-server");
    let [left, right] = [fresh_folder(folder, "plain")?, fresh_folder(folder, "concord")?];
    tree::make(&left)?;
    tree::make(&right)?;
    let requests = requests();
    let server = Server::start(&plain, &left)?;
    let ask = |request: &Vec<u8>| exchange(server.address, request);
    let expected = requests.iter().map(ask).collect::<Result<Vec<_>>>()?;
    let uploaded = server.upload(&left)?;
    server.stop()?;
    ensure!(expected.iter().any(|answer| answer.starts_with(b"HTTP/1.1 206 ")), "no range was served");

    let server = Server::start(&concord, &right)?;
    let compare = |index: usize| {
        let answer = exchange(server.address, &requests[index])?;
        let what = String::from_utf8_lossy(&requests[index]).replace("\r\n", " | ");
        same(&expected[index], &answer, &what, "the answer")
    };
    (0..requests.len()).try_for_each(compare)?;
    at_once(requests.len(), &compare)?;
    same(&uploaded, &server.upload(&right)?, "an upload", "the answer")?;
    server.stop()?;
    Ok(requests.len() + CONNECTIONS * REQUESTS + 1)
}

/// Many connections at once, each with requests of its own in an order of its own.
fn at_once(requests: usize, compare: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
    std::thread::scope(|scope| {
        let connection = |number: usize| {
            move || (0..REQUESTS).try_for_each(|step| compare((number * 7 + step * (number + 1)) % requests))
        };
        let running: Vec<_> = (0..CONNECTIONS).map(|number| scope.spawn(connection(number))).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Result<()>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        running.into_iter().try_for_each(join)
    })
}

fn requests() -> Vec<Vec<u8>> {
    let get = |path: &str, headers: &[&str]| request("GET", path, headers);
    let mut requests: Vec<Vec<u8>> = [
        "/",
        "/docs/",
        "/docs",
        "/src/core/file01.md",
        "/large.txt",
        "/empty",
        "/no%20newline",
        "/binary.bin",
        "/docs/%C3%9Cn%C3%AFcode/file04.c",
        "/link%20to%20core/file00.rs",
        "/broken%20link",
        "/nowhere",
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/.hidden/file01.md",
        "/docs/?sort=size&order=desc",
        "/docs/?sort=nothing",
        "/long%20line.txt",
        "/index.html?a=b",
    ]
    .iter()
    .map(|path| get(path, &[]))
    .collect();
    for range in ["0-0", "0-99", "100-", "-100", "5-2", "99999999-", "0-10,20-30", "1000-700000"] {
        requests.push(get("/large.txt", &[&format!("Range: bytes={range}")]));
    }
    for coding in ["gzip", "br", "deflate", "zstd", "identity", "gzip;q=0.1, br"] {
        requests.push(get("/large.txt", &[&format!("Accept-Encoding: {coding}")]));
    }
    let modified = "Tue, 14 Nov 2023 22:13:20 GMT";
    requests.push(get("/large.txt", &[&format!("If-Modified-Since: {modified}")]));
    requests.push(get("/large.txt", &[&format!("If-Unmodified-Since: {modified}")]));
    for method in ["HEAD", "OPTIONS", "POST", "DELETE"] {
        requests.push(request(method, "/large.txt", &[]));
    }
    let kept = String::from_utf8_lossy(&get("/src/file02.txt", &[])).replace("Connection: close\r\n", "");
    requests.push([kept.repeat(3).into_bytes(), get("/nowhere", &[])].concat());
    requests.push(b"no HTTP at all\r\n\r\n".to_vec());
    requests
}

/// A running server; it is killed when dropped.
struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    fn start(program: &Path, root: &Path) -> Result<Self> {
        // Taken and given back: the next to ask gets another.
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|listener| listener.local_addr())
            .context("no port is free")?;
        let mut command = Command::new(program);
        command.args(["--silent", "--ip", "127.0.0.1", "--port"]).arg(address.port().to_string());
        command.args(["--index", "--cors", "--compress", "txt,md", "--upload", "--csrf", TOKEN]);
        command.arg(root).stdin(Stdio::null());
        let child = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
        let mut server = Self { child, address };
        let start = Instant::now();
        while TcpStream::connect(address).is_err() {
            if let Some(status) = server.child.try_wait()? {
                bail!("{} ends ({status}) before it listens", program.display());
            }
            ensure!(start.elapsed() < START, "{} does not listen on {address}", program.display());
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    /// Sends a file, which has to come to `root` as it was sent; gives the answer.
    fn upload(&self, root: &Path) -> Result<Vec<u8>> {
        let file = std::fs::read(root.join("large.txt")).context("the tree has no large file")?;
        let part = |head: &str, body: &[u8]| {
            let head = format!("--part\r\nContent-Disposition: form-data; {head}\r\n\r\n");
            [head.as_bytes(), body, b"\r\n"].concat()
        };
        let token = part("name=\"csrf\"", TOKEN.as_bytes());
        let sent = part("name=\"files\"; filename=\"sent.txt\"", &file);
        let body = [&token[..], &sent, b"--part--\r\n"].concat();
        let length = format!("Content-Length: {}", body.len());
        let head = request("POST", "/tests/", &["Content-Type: multipart/form-data; boundary=part", &length]);
        let answer = exchange(self.address, &[head, body].concat())?;
        let come = std::fs::read(root.join("tests/sent.txt"))
            .with_context(|| format!("the file did not come: {}", String::from_utf8_lossy(&answer)))?;
        same(&file, &come, "an upload", "the file")?;
        Ok(answer)
    }

    /// Ends it, which has to be there still.
    fn stop(mut self) -> Result<()> {
        match self.child.try_wait()? {
            Some(status) => bail!("the server ended by itself ({status})"),
            None => Ok(()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
