//! Blocking calls for programs without an async runtime.

/// Runs a method of the registry to completion on the current thread, for callers without an async runtime:
/// `registry.tools().record(used).wait()?`. Inside a runtime, use `await` instead.
pub trait Wait: IntoFuture + Sized {
    /// Blocks the current thread until the future is ready, and returns its output.
    fn wait(self) -> Self::Output {
        pollster::block_on(self)
    }
}

impl<F: IntoFuture> Wait for F {}
