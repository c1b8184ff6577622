#!/usr/bin/env bash
# Ingest of 5.6 million events of 1 million users in 480 files, beside DuckDB. The venv and the files are made once.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ ! -x .venv/bin/python ]; then
  python3 -m venv .venv
  .venv/bin/pip -q install duckdb
fi
data=out/bench/plain
if [ ! -d "$data" ]; then
  mkdir -p out/bench
  python3 Tests/Benchmarks/generate_events.py --users "${USERS:-1000000}" --days 120 --out "$data.part"
  mv "$data.part" "$data"
fi
nproc; grep -m1 'model name' /proc/cpuinfo
.venv/bin/python Tests/Benchmarks/bench.py --program .build/release/tollgate --data "$data" --pairs "${PAIRS:-5}"
