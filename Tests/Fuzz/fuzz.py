#!/usr/bin/env python3
"""Fuzzes decoders, decompression and YAML readers with libFuzzer, one after the other.

What it finds is kept in .build/fuzz/found, and ends it with status 1; the inputs that reached something new, beside the
seeds of Tests/Fuzz/Corpus, in .build/fuzz/corpus, from where the next run goes on.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / ".build/fuzz"
TOTALS = BUILD / "executions.json"

PLANS = ["experiment"]
DECODERS = sorted({path.name for path in (ROOT / "Tests/Fuzz/Corpus").iterdir()} - set(PLANS))

# The longest inputs worth trying; libFuzzer begins with short ones.
LENGTHS = {"files": 2048, "mapping": 2048, "experiment": 2048, "appstore": 4096, "signature": 8192,
           "parquet": 2048}

# Half of the time goes into what only a report of a fault would show, or into filling what is taken. The input that is
# kept shows it, tried again without these.
SANITIZER = "malloc_context_size=0:max_malloc_fill_size=0:quarantine_size_mb=8:detect_stack_use_after_return=0"

# Words that mutations put in: what one of them needs to get anywhere.
DICTIONARY = ROOT / "Tests/Fuzz/words.dict"


def build(product):
    """Instrumented and optimised, with the sanitizer of addresses, in a folder of its own."""
    runtime = subprocess.run(["clang", "-print-runtime-dir"], check=True, capture_output=True, text=True).stdout.strip()
    library = next(Path(runtime).parent.rglob(f"libclang_rt.fuzzer_no_main*{platform.machine()}*.a"), None)
    if library is None:
        sys.exit(f"{runtime}: has no libFuzzer without a main")
    flags = ["-Xswiftc", "-sanitize=address", "-Xswiftc", "-Xfrontend", "-Xswiftc", "-sanitize=address,fuzzer",
             "-Xswiftc", "-enable-testing", "-Xswiftc", "-DTOLLGATE_FUZZ", "-Xcc", "-fsanitize=address,fuzzer-no-link",
             "-Xlinker", str(library)]
    command = ["swift", "build", "--package-path", str(ROOT), "--scratch-path", str(BUILD), "-c", "release",
               "--product", product, *flags]
    done = subprocess.run(command, env={**os.environ, "TOLLGATE_FUZZ": "1"})
    if done.returncode:
        sys.exit(f"{product} cannot be built")
    return BUILD / "release" / product


def fuzz(program, name, arguments):
    """Returns the number of executions, and the files that break a promise."""
    corpus, found = BUILD / "corpus" / name, BUILD / "found" / name
    for folder in (corpus, found):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(found.iterdir())
    options = [
        f"-max_len={LENGTHS.get(name, 1024)}", f"-artifact_prefix={found}/", f"-dict={DICTIONARY}", "-print_final_stats=1",
        "-timeout=10", "-rss_limit_mb=1500", "-malloc_limit_mb=160", "-detect_leaks=0",
        f"-verbosity={1 if arguments.verbose else 0}",
    ]
    if arguments.runs:
        options.append(f"-runs={arguments.runs}")
    if arguments.seconds:
        options.append(f"-max_total_time={arguments.seconds}")
    log = BUILD / "logs" / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as output:
        done = subprocess.run(
            [program, name, *options, corpus, ROOT / "Tests/Fuzz/Corpus" / name], stdout=output, stderr=output,
            env={"ASAN_OPTIONS": SANITIZER, **os.environ})
    text = log.read_text(errors="replace")

    def stat(key):
        match = re.search(rf"stat::{key}:\s+(\d+)", text)
        return int(match[1]) if match else 0

    bad = sorted(set(found.iterdir()) - before)
    if done.returncode and not bad:
        sys.exit(f"{name} ended with status {done.returncode}; see {log}")
    if not bad and not stat("number_of_executed_units"):
        sys.exit(f"{name} tried nothing; see {log}")
    return stat("number_of_executed_units"), stat("average_exec_per_sec"), bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=0, help="for each; without it and --runs, 600")
    parser.add_argument("--runs", type=int, default=0, help="executions of each")
    parser.add_argument("--only", help="one or some, such as csv,zip")
    parser.add_argument("--skip-build", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    if not arguments.seconds and not arguments.runs:
        arguments.seconds = 600
    names = arguments.only.split(",") if arguments.only else DECODERS + PLANS
    for name in names:
        if name not in DECODERS + PLANS:
            parser.error(f"--only is {name}, but must be of {', '.join(DECODERS + PLANS)}")
    totals = json.loads(TOTALS.read_text()) if TOTALS.exists() else {}
    failed = 0
    programs = {}
    for name in names:
        product = "FuzzPlans" if name in PLANS else "FuzzDecoders"
        if product not in programs:
            programs[product] = BUILD / "release" / product if arguments.skip_build else build(product)
        count, rate, bad = fuzz(programs[product], name, arguments)
        totals[name] = totals.get(name, 0) + count
        TOTALS.write_text(json.dumps(totals, indent=2, sort_keys=True) + "\n")
        print(f"{name:16} {count:>12,} executions {rate:>8,}/s  {totals[name]:>12,} so far  "
              f"{'nothing found' if not bad else ' '.join(str(path) for path in bad)}", flush=True)
        failed += len(bad)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
