//! An endpoint on loopback that says exactly the bytes it is told, in the pieces
//! and with the pauses it is told.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the endpoint does once it has read a request.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    Send(Vec<u8>),
    Pause(Duration),
}

/// Head of a streamed reply without a length: the connection's end is its end.
pub(crate) const STREAM_HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// Serves one connection; gives the address up to the version.
pub(crate) async fn serve(acts: Vec<Act>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        read_request(&mut stream).await;
        for act in acts {
            match act {
                Act::Send(bytes) => {
                    // The client may have given up: that is what some tests are for.
                    if stream.write_all(&bytes).await.is_err() {
                        return;
                    }
                    stream.flush().await.unwrap();
                }
                Act::Pause(time) => tokio::time::sleep(time).await,
            }
        }
    });
    format!("http://{address}/v1")
}

/// A streamed reply, cut into pieces of `size` bytes.
pub(crate) async fn serve_stream(body: &str, size: usize) -> String {
    let mut acts = vec![Act::Send(STREAM_HEAD.into())];
    for piece in body.as_bytes().chunks(size) {
        acts.push(Act::Send(piece.to_vec()));
        // A turn of the loop between pieces, so that they arrive apart.
        acts.push(Act::Pause(Duration::from_micros(300)));
    }
    serve(acts).await
}

/// The data lines of an event stream, one event each.
pub(crate) fn events(data: &[&str]) -> String {
    data.iter()
        .map(|data| format!("data: {data}\n\n"))
        .collect()
}

async fn read_request(stream: &mut TcpStream) {
    let mut request = Vec::new();
    let mut buffer = [0u8; 4096];
    loop {
        let read = stream.read(&mut buffer).await.unwrap();
        request.extend_from_slice(&buffer[..read]);
        if read == 0 || is_whole(&request) {
            return;
        }
    }
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, _)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().unwrap())
    });
    request.len() >= head.len() + 4 + length.unwrap_or(0)
}
