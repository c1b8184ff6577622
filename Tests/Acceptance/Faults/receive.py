"""Posts webhooks to `tollgate receive` over many connections, kills it with SIGKILL in the middle, starts it again, and
looks for every body that was answered with 200 in the segments; then the ingest reads them.

    python3 Tests/Acceptance/Faults/receive.py --program .build/release/tollgate --seconds 5 --kills 3
    python3 Tests/Acceptance/Faults/receive.py --program .build/release/tollgate --seconds 30 --rate 2000 --kills 0
"""

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

TOKEN = "a token that only the two know"
DEADLINE = 10.0


class Receiver:
    """One run of the program on a free port."""

    def __init__(self, program, folder, *more):
        self.process = subprocess.Popen(
            [program, "receive", "--output", os.path.join(folder, "inbox"), "--listen", "127.0.0.1:0",
             "--revenuecat-token-file", os.path.join(folder, "token"), *more], stderr=subprocess.PIPE, text=True)
        self.said = []
        for line in self.process.stderr:
            self.said.append(line)
            found = re.match(r"listening on http://127\.0\.0\.1:(\d+),", line)
            if found:
                self.port = int(found[1])
                return
        sys.exit(f"the receiver does not listen: {''.join(self.said)}")

    def peak_memory(self):
        """Bytes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))

    def end(self, number):
        """Returns the exit status."""
        self.process.send_signal(number)
        status = self.process.wait(timeout=60)
        self.said += self.process.stderr.readlines()
        return status


def webhook(number):
    """A renewal as RevenueCat posts it; its id is its number."""
    event = {
        "type": "RENEWAL", "id": f"event-{number}", "event_timestamp_ms": 1772323260000 + number, "app_id": "A",
        "app_user_id": f"user-{number % 5000}", "original_app_user_id": f"user-{number % 5000}",
        "aliases": [f"user-{number % 5000}"], "product_id": "pro_monthly", "period_type": "NORMAL",
        "purchased_at_ms": 1772323200000 + number, "expiration_at_ms": 1775001600000 + number,
        "environment": "PRODUCTION", "price": 6.99, "price_in_purchased_currency": 6.99, "currency": "EUR",
        "original_transaction_id": f"T{number % 5000}", "transaction_id": f"T{number}", "store": "APP_STORE",
        "subscriber_attributes": {"note": {"value": "x" * random.randint(0, 600), "updated_at_ms": 1}},
    }
    # Some senders indent what they post.
    return json.dumps({"api_version": "1.0", "event": event}, indent=2 if number % 7 == 0 else None).encode()


def request(body, token=TOKEN, path="/revenuecat"):
    return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body


async def answer(reader):
    """The status of one answer."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    if length:
        await reader.readexactly(int(length[1]))
    return int(head.split(b" ", 2)[1])


class Load:
    """Senders that together post so many bodies a second, each its next when the one before is answered."""

    def __init__(self, port, first, rate, connections):
        self.port, self.next, self.rate, self.connections = port, first, rate, connections
        self.first = first
        self.acknowledged = []
        self.others = {}
        self.latencies = []

    async def send(self, until):
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            while time.monotonic() < until:
                number = self.next
                self.next += 1
                due = self.started + (number - self.first) / self.rate
                delay = due - time.monotonic()
                if delay > 0:
                    await asyncio.sleep(delay)
                sent = time.monotonic()
                writer.write(request(webhook(number)))
                status = await answer(reader)
                self.latencies.append(time.monotonic() - sent)
                if status == 200:
                    self.acknowledged.append(number)
                else:
                    self.others[status] = self.others.get(status, 0) + 1
            writer.close()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # The receiver was killed: what was under way is not acknowledged.

    async def run(self, seconds):
        self.started = time.monotonic()
        await asyncio.gather(*[self.send(self.started + seconds) for _ in range(self.connections)])


async def refusals(port, limit):
    """What is not taken, each on a connection of its own: (what, wanted, got)."""
    body = webhook(0)
    large = json.dumps({"x": "y" * limit}).encode()
    cases = [
        ("a wrong token", 401, request(body, token="wrong")),
        ("no token", 401, request(body).replace(b"Authorization: Bearer", b"X-Other:")),
        ("no JSON", 400, request(b"{'a': 1}")),
        ("two values", 400, request(b'1,"body":2')),
        ("a body cut short", 400, request(body[:-1])),
        ("an oversize body", 413, request(large)),
        ("an oversize body of unknown length", 413,
         b"POST /revenuecat HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + TOKEN.encode()
         + b"\r\nTransfer-Encoding: chunked\r\n\r\n" + b"%x\r\n" % len(large) + large + b"\r\n0\r\n\r\n"),
        ("another path", 404, request(body, path="/other")),
        ("a source that is not served", 404, request(body, path="/appstore")),
        ("another method", 404, b"GET /revenuecat HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("health", 200, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ]
    got = []
    for what, wanted, text in cases:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(text)
        got.append((what, wanted, await asyncio.wait_for(answer(reader), DEADLINE)))
        writer.close()
    return got


def received(folder):
    """The numbers of the bodies in complete segments, and how many segments there are."""
    numbers, names = set(), sorted(os.listdir(folder))
    hidden = [name for name in names if name.startswith(".")]
    assert not hidden, f"not completed: {hidden}"
    for name in names:
        assert re.fullmatch(r"revenuecat-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-\d+\.jsonl\.zst", name), name
        text = subprocess.run(["zstd", "-dcq", os.path.join(folder, name)], check=True, capture_output=True).stdout
        assert text.endswith(b"\n")
        for line in text.splitlines():
            value = json.loads(line)
            number = int(value["body"]["event"]["id"].removeprefix("event-"))
            assert sorted(value) == ["body", "received_at"] and value["body"]["api_version"] == "1.0"
            numbers.add(number)
    return numbers, len(names)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--seconds", type=float, default=4, help="of load, for each run of the receiver")
    parser.add_argument("--rate", type=int, default=2000, help="bodies a second")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--minimum-rate", type=float, default=0, help="fail below so many acknowledged a second")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    folder = tempfile.mkdtemp(prefix="tollgate-receive-")
    random.seed(arguments.seed)
    try:
        inbox, store = os.path.join(folder, "inbox"), os.path.join(folder, "store.db")
        with open(os.path.join(folder, "token"), "w") as file:
            file.write(TOKEN + "\n")
        os.chmod(os.path.join(folder, "token"), 0o600)
        acknowledged, sent, torn = set(), 0, 0
        faults = []
        for run in range(arguments.kills + 1):
            is_last = run == arguments.kills
            # Small segments in between, so that kills fall on their ends, too.
            receiver = Receiver(program, folder, "--rotate-bytes", "200000000" if is_last else "60000")
            load = Load(receiver.port, sent, arguments.rate, arguments.connections)
            if is_last:
                faults += [case for case in asyncio.run(refusals(receiver.port, 300_000)) if case[1] != case[2]]
                asyncio.run(load.run(arguments.seconds))
                memory = receiver.peak_memory()
                status = receiver.end(signal.SIGTERM)
                if status != 0:
                    faults.append(("SIGTERM", 0, status))
            else:
                async def kill():
                    task = asyncio.create_task(load.run(arguments.seconds))
                    await asyncio.sleep(random.uniform(0.3, 0.9) * arguments.seconds)
                    receiver.process.kill()
                    await task

                asyncio.run(kill())
                receiver.process.wait()
                torn += any(name.startswith(".") for name in os.listdir(inbox))
            acknowledged.update(load.acknowledged)
            sent = load.next
            if load.others:
                faults.append(("answers under load", "only 200", load.others))
        found, segments = received(inbox)
        lost = acknowledged - found
        subprocess.run([program, "ingest", "--store", store, "--quiet", "--strict", inbox], check=True)
        connection = sqlite3.connect(store)
        events = connection.execute("SELECT COUNT(DISTINCT event_id) FROM events WHERE event = 'renewal'").fetchone()[0]
        if events != len(found):
            faults.append(("events of the ingest", len(found), events))
        rate = len(load.acknowledged) / arguments.seconds
        load.latencies.sort()
        print(f"{arguments.kills} kills, {torn} of them inside a segment; {len(acknowledged)} bodies acknowledged, "
              f"{len(lost)} lost, {segments} segments, {events} events; last run {rate:.0f} a second, median "
              f"{load.latencies[len(load.latencies) // 2] * 1e3:.1f} ms, 99% within "
              f"{load.latencies[len(load.latencies) * 99 // 100] * 1e3:.1f} ms, peak memory {memory / 2**20:.0f} MiB")
        for what, wanted, got in faults:
            print(f"{what}: {got}, expected {wanted}", file=sys.stderr)
        # A test whose kills all find nothing in the making proves nothing.
        proves = arguments.kills == 0 or torn > 0
        sys.exit(1 if lost or faults or not proves or rate < arguments.minimum_rate else 0)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
