#!/usr/bin/env python3
"""Asks the dashboard for pages at a steady rate while an ingest writes into its store: every answer has to come, and be 200.

    serve.py --program .build/release/tollgate [--store m.db] [--seconds 30] [--rate 200]

Without --store one is made of sample events. Traffic goes to the loopback interface only. Before the load, the time to the
first byte of every page of the menu is taken, at once after the start and when the server has had time to make them.
"""

import argparse
import asyncio
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

PAGES = ["/", *("/reports/" + name for name in (
    "funnel trials savings cancellations value revenue mrr subscriptions retention ltv refunds cadence gates nudges "
    "activity experiments health quarantine rates").split())]
TABLES = [f"/api/v1/{name}?format=csv" for name in ("funnel", "trials", "savings", "cancellations")]


class Dashboard:
    def __init__(self, program, store):
        self.process = subprocess.Popen([program, "serve", "--store", store, "--listen", "127.0.0.1:0"],
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if not found:
            sys.exit(f"the dashboard does not listen: {line}{self.process.stderr.read()}")
        self.port = int(found[1])

    def peak_memory(self):
        """Bytes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


async def ask(reader, writer, path):
    """(status, seconds to the first byte, seconds) of one request."""
    started = time.monotonic()
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    first = await reader.readexactly(1)
    at_first = time.monotonic() - started
    head = first + await reader.readuntil(b"\r\n\r\n")
    length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
    await reader.readexactly(length)
    return int(head.split(b" ", 2)[1]), at_first, time.monotonic() - started


async def first_bytes(port, paths, times):
    """Median seconds to the first byte, by path; each request on a connection of its own, as a browser's first is."""
    found = {}
    for path in paths:
        seconds = []
        for _ in range(times):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            status, at_first, _ = await ask(reader, writer, path)
            writer.close()
            seconds.append(at_first if status == 200 else float("inf"))
        found[path] = statistics.median(seconds)
    return found


class Load:
    def __init__(self, port, rate, connections):
        self.port, self.rate, self.connections = port, rate, connections
        self.number, self.statuses, self.seconds, self.late = 0, {}, [], 0

    async def visitor(self, until):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        while time.monotonic() < until:
            number = self.number
            self.number += 1
            delay = self.started + number / self.rate - time.monotonic()
            if delay > 0:
                await asyncio.sleep(delay)
            paths = PAGES + TABLES
            try:
                status, _, seconds = await ask(reader, writer, paths[number % len(paths)])
            except (ConnectionError, asyncio.IncompleteReadError):
                status, seconds = "broken", 0
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            self.statuses[status] = self.statuses.get(status, 0) + 1
            self.seconds.append(seconds)
        writer.close()

    async def run(self, seconds):
        self.started = time.monotonic()
        await asyncio.gather(*[self.visitor(self.started + seconds) for _ in range(self.connections)])
        self.elapsed = time.monotonic() - self.started


async def under_ingest(load, program, store, folder, persons, seconds):
    """The load, with one ingest after the other beside it; how many ended."""
    until = time.monotonic() + seconds
    lots = 0

    async def write():
        nonlocal lots
        number = 0
        while time.monotonic() < until:
            number += 1
            events = os.path.join(folder, f"more-{number}")
            making = await asyncio.create_subprocess_exec(
                program, "sample", "--seed", str(900 + number), "--persons", str(persons), "--output", events,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if await making.wait() != 0:
                sys.exit("no sample events")
            writing = await asyncio.create_subprocess_exec(program, "ingest", "--quiet", "--store", store, events)
            if await writing.wait() != 0:
                sys.exit(f"the ingest ended with {writing.returncode}")
            lots += 1
            shutil.rmtree(events)

    await asyncio.gather(load.run(seconds), write())
    return lots


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--store", help="copied first")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--rate", type=float, default=200, help="requests a second")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--persons", type=int, default=2_000, help="of each ingest beside the load")
    parser.add_argument("--warm-up", type=float, default=3, help="seconds that the server has before pages are timed")
    parser.add_argument("--hold-rate", action="store_true", help="fail where fewer than nine in ten are answered in time")
    parser.add_argument("--first-byte-ms", type=float, help="fail where a page's first byte takes longer")
    given = parser.parse_args()
    program = os.path.abspath(given.program)
    folder = tempfile.mkdtemp(prefix="tollgate-serve-", dir=os.path.dirname(os.path.abspath(given.store)) if given.store else None)
    try:
        store = os.path.join(folder, "store.db")
        if given.store:
            shutil.copy(given.store, store)
        else:
            events = os.path.join(folder, "events")
            subprocess.run([program, "sample", "--persons", "4000", "--output", events], check=True, capture_output=True)
            subprocess.run([program, "ingest", "--quiet", "--store", store, events], check=True)
        dashboard = Dashboard(program, store)
        cold = asyncio.run(first_bytes(dashboard.port, PAGES, 1))
        time.sleep(given.warm_up)
        warm = asyncio.run(first_bytes(dashboard.port, PAGES, 5))
        print("first byte, ms (at once after the start; later):")
        for path in PAGES:
            print(f"  {path:24} {cold[path] * 1e3:8.1f} {warm[path] * 1e3:8.1f}")
        load = Load(dashboard.port, given.rate, given.connections)
        lots = asyncio.run(under_ingest(load, program, store, folder, given.persons, given.seconds))
        memory, status = dashboard.peak_memory(), dashboard.end()
        load.seconds.sort()
        answered = sum(load.statuses.values())
        print(f"{answered} requests in {load.elapsed:.1f} s, {answered / load.elapsed:.0f} a second, beside {lots} ingests: "
              f"{load.statuses}; median {load.seconds[answered // 2] * 1e3:.1f} ms, 95% within "
              f"{load.seconds[answered * 95 // 100] * 1e3:.0f} ms, longest {load.seconds[-1] * 1e3:.0f} ms; "
              f"peak memory {memory / 2**20:.0f} MiB")
        faults = [f"{path}: first byte after {seconds * 1e3:.0f} ms" for path, seconds in warm.items()
                  if seconds == float("inf") or given.first_byte_ms and seconds * 1e3 > given.first_byte_ms]
        if set(load.statuses) != {200}:
            faults.append(f"answers under load: {load.statuses}")
        if given.hold_rate and answered < 0.9 * given.rate * given.seconds:
            faults.append(f"{answered} requests of {given.rate * given.seconds:.0f}")
        if lots == 0:
            faults.append("no ingest ended")
        if status != 0:
            faults.append(f"SIGTERM: status {status}")
        for fault in faults:
            print(fault, file=sys.stderr)
        sys.exit(1 if faults else 0)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
