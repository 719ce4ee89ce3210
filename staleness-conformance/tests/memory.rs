//! The suite on the memory store, the reference for every other backend.

staleness_conformance::main!(staleness_conformance::Simple::MEMORY);
