//! Waiting for a verb without an asynchronous runtime.

/// Drives a verb of the registry to its end on the calling thread, for callers without an asynchronous
/// runtime: `registry.tools().record(used).wait()?`. Inside a runtime, `await` it instead.
pub trait Wait: IntoFuture + Sized {
    /// Blocks the thread until the future is ready.
    fn wait(self) -> Self::Output {
        pollster::block_on(self)
    }
}

impl<F: IntoFuture> Wait for F {}
