#!/usr/bin/env bash
# moka 0.12.16 (crates.io): a value that `invalidate` has removed is kept until the cache is used for something else.
#
# Expected: after `cache.invalidate(&key).await`, the cache holds the value no more, and it is dropped if nobody else has it.
# Seen: lookups do not find it, but five seconds later the cache still has a reference to it. The next lookup of any key lets go of it,
# half a second later at the earliest; without one, it is kept for ever. datafusion-distributed 4.0.0 keeps the tasks of a worker in such
# a cache and ends them by `invalidate`: a broadcast whose statement was given up computes on, on a worker that gets no other statement.
#
# Run by hand. Needs cargo and a network; takes half a minute. Fails if the behavior has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/src"
cat >"$folder/Cargo.toml" <<'TOML'
[package]
name = "invalidated"
version = "0.0.0"
edition = "2024"

[dependencies]
moka = { version = "=0.12.16", features = ["future"] }
tokio = { version = "=1.54.1", features = ["macros", "rt-multi-thread", "time"] }

[workspace]
TOML
cat >"$folder/src/main.rs" <<'RUST'
use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache;
use tokio::time::sleep;

#[tokio::main]
async fn main() {
    let cache: Cache<u32, Arc<Vec<u8>>> = Cache::builder().time_to_idle(Duration::from_secs(600)).build();
    let value = Arc::new(vec![0; 1 << 20]);
    let is_kept = || Arc::strong_count(&value) > 1;
    cache.insert(1, Arc::clone(&value)).await;
    cache.invalidate(&1).await;
    sleep(Duration::from_secs(5)).await;
    let before = (cache.contains_key(&1), is_kept());
    println!("five seconds after invalidate: found {}, kept {}", before.0, before.1);
    sleep(Duration::from_millis(500)).await;
    cache.get(&2).await;
    let after = is_kept();
    println!("after a lookup of another key: kept {after}");
    assert_eq!((before, after), ((false, true), false), "the behavior has changed");
}
RUST
CARGO_TARGET_DIR="$folder/target" cargo run --quiet --manifest-path "$folder/Cargo.toml"
