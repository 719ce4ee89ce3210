//! A long road to a private server, which may break.

#![allow(dead_code, reason = "no test uses all of it")]

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::{Instant, sleep_until};

/// The fewest and the most bytes that a connection carries before it breaks. To prove a password takes some
/// 700, and an outcome some 4,000.
const BREAKS: std::ops::Range<u64> = 500..120_000;

/// Carries what a store and a server tell each other, each word later than it was said, and breaks off in
/// the middle of a word while it is told to.
#[derive(Debug)]
pub(crate) struct Proxy {
    address: SocketAddr,
    road: Arc<Road>,
    // Dropped with all connections.
    _runtime: Runtime,
}

#[derive(Debug)]
struct Road {
    server: PathBuf,
    delay: Duration,
    breaking: AtomicBool,
    broken: AtomicU32,
    trips: AtomicU64,
    chance: Mutex<u64>,
}

impl Proxy {
    /// A road to the socket of a server, so long each way. With a seed it breaks where that says.
    pub(crate) fn new(server: &Path, delay: Duration, seed: Option<u64>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        let address = listener.local_addr().expect("an address");
        let road = Arc::new(Road {
            server: server.to_owned(),
            delay,
            breaking: AtomicBool::new(seed.is_some()),
            broken: AtomicU32::new(0),
            trips: AtomicU64::new(0),
            chance: Mutex::new(seed.unwrap_or_default()),
        });
        let accepting = Arc::clone(&road);
        runtime.spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let road = Arc::clone(&accepting);
                tokio::spawn(async move { road.carry(client).await });
            }
        });
        Self { address, road, _runtime: runtime }
    }

    /// Returns the URL of the same database at the other end of this road.
    pub(crate) fn url(&self, url: &str) -> String {
        let (front, parameters) = url.split_once('?').expect("parameters");
        let others = parameters.split('&').filter(|parameter| !parameter.starts_with("host="));
        let parameters: Vec<&str> = others.chain(["application_name=far"]).collect();
        let front = front.replacen("@/", &format!("@{}/", self.address), 1);
        format!("{front}?{}", parameters.join("&"))
    }

    /// It breaks no more.
    pub(crate) fn mend(&self) {
        self.road.breaking.store(false, Ordering::Relaxed);
    }

    /// Returns the number of round trips: how often a client sent something after it had been answered. A
    /// request in parts that lie further apart than the road is long counts once more.
    pub(crate) fn trips(&self) -> u64 {
        self.road.trips.load(Ordering::Relaxed)
    }

    /// Returns the number of times that it broke.
    pub(crate) fn broken(&self) -> u32 {
        self.road.broken.load(Ordering::Relaxed)
    }
}

impl Road {
    /// Returns the number of bytes that the next connection carries before it breaks.
    fn next(&self) -> i64 {
        if !self.breaking.load(Ordering::Relaxed) {
            return i64::MAX;
        }
        let mut state = self.chance.lock().unwrap_or_else(PoisonError::into_inner);
        // SplitMix64: Steele, Lea and Flood 2014.
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = *state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        let bytes = BREAKS.start + bits % (BREAKS.end - BREAKS.start);
        bytes.cast_signed()
    }

    async fn carry(&self, mut client: TcpStream) {
        let Ok(mut server) = UnixStream::connect(&self.server).await else { return };
        // What waits to be sent together would be another delay.
        client.set_nodelay(true).expect("an option of a socket");
        let left = AtomicI64::new(self.next());
        let answered = AtomicBool::new(true);
        let asks = || {
            if answered.swap(false, Ordering::Relaxed) {
                self.trips.fetch_add(1, Ordering::Relaxed);
            }
        };
        let answers = || answered.store(true, Ordering::Relaxed);
        let (from_client, to_client) = client.split();
        let (from_server, to_server) = server.split();
        // Whichever ends first, nothing more is carried.
        tokio::select! {
            () = self.forward(from_client, to_server, &left, asks) => {}
            () = self.forward(from_server, to_client, &left, answers) => {}
        }
    }

    async fn forward(
        &self,
        mut from: impl AsyncRead + Unpin,
        mut to: impl AsyncWrite + Unpin,
        left: &AtomicI64,
        note: impl Fn(),
    ) {
        let (send, mut under_way) = unbounded_channel::<(Instant, Vec<u8>)>();
        let reading = async move {
            let mut buffer = vec![0; 1 << 14];
            while let Ok(read @ 1..) = from.read(&mut buffer).await {
                note();
                let length = i64::try_from(read).expect("a short buffer");
                let room = left.fetch_sub(length, Ordering::Relaxed);
                let carried = usize::try_from(room).unwrap_or(0).min(read);
                let _ = send.send((Instant::now() + self.delay, buffer[..carried].to_vec()));
                if carried < read {
                    self.broken.fetch_add(1, Ordering::Relaxed);
                    break;
                }
            }
        };
        let writing = async move {
            while let Some((due, bytes)) = under_way.recv().await {
                sleep_until(due).await;
                if to.write_all(&bytes).await.is_err() {
                    break;
                }
            }
        };
        tokio::join!(reading, writing);
    }
}
