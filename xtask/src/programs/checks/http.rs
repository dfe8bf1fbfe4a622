//! As much of HTTP as it takes to ask a server and to compare what it says.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context as _, Result};

/// How long a server may take to say more.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request that ends its connection.
pub(super) fn request(method: &str, path: &str, headers: &[&str]) -> Vec<u8> {
    let mut request = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    for header in headers {
        request.push_str(header);
        request.push_str("\r\n");
    }
    request.push_str("\r\n");
    request.into_bytes()
}

/// All that the server answers until it closes the connection, but for the time of day.
///
/// # Errors
/// When the server cannot be reached, closes early or goes silent.
pub(super) fn exchange(server: SocketAddr, request: &[u8]) -> Result<Vec<u8>> {
    let mut answer = Vec::new();
    let mut talk = || -> std::io::Result<()> {
        let mut connection = TcpStream::connect(server)?;
        connection.set_read_timeout(Some(PATIENCE))?;
        connection.write_all(request)?;
        connection.read_to_end(&mut answer)?;
        Ok(())
    };
    talk().with_context(|| {
        let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
        format!("asking {server}: {}", String::from_utf8_lossy(line))
    })?;
    Ok(without_date(&answer))
}

/// Leaves out the headers that tell the time of day.
fn without_date(answer: &[u8]) -> Vec<u8> {
    let is_date = |line: &&[u8]| line.len() > 5 && line[..5].eq_ignore_ascii_case(b"date:");
    answer.split_inclusive(|byte| *byte == b'\n').filter(|line| !is_date(line)).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn an_answer_is_read_to_its_end_without_its_date() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = listener.local_addr().unwrap();
        let serving = std::thread::spawn(move || {
            let (mut connection, _) = listener.accept().unwrap();
            let mut asked = [0; 1024];
            let length = connection.read(&mut asked).unwrap();
            connection.write_all(b"HTTP/1.1 200 OK\r\nDate: now\r\nA: b\r\n\r\nbody").unwrap();
            String::from_utf8(asked[..length].to_vec()).unwrap()
        });
        let answer = exchange(server, &request("GET", "/x", &["Range: bytes=0-1"])).unwrap();
        assert_eq!(String::from_utf8(answer).unwrap(), "HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody");
        let asked = serving.join().unwrap();
        assert!(asked.starts_with("GET /x HTTP/1.1\r\nHost: localhost\r\n"), "{asked}");
        assert!(asked.ends_with("\r\nRange: bytes=0-1\r\n\r\n"), "{asked}");
    }
}
