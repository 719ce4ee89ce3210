//! A fair lock between threads and processes, on a file beside the one that it protects.
#![doc = "Skeleton: the implementation follows."]
