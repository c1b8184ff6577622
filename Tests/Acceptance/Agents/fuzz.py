"""Sends `tollgate mcp` damaged messages, and demands an answer to each that asks for one, in bounded memory."""

import argparse
import copy
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

from agents import CALLS, META, REFUSALS, ROOT

MIB = 1 << 20
# A server that says nothing for so many seconds hangs.
PATIENCE = 120
MOST_MEMORY = 400
# One in so many messages is a call as it is, which may run a report.
WHOLE = 40
METHODS = [
    "ping", "server/discover", "tools/list", "resources/list", "resources/templates/list", "resources/read",
    "prompts/list", "prompts/get", "initialize", "notifications/cancelled", "notifications/initialized", "no/such",
]
TEXTS = [
    "", " ", "\0", "\n", "a" * 5_000, "\u202e", "\ufeff", "\ud800", "\udfff\ud800", "\U0010ffff", "é", "e\u0301", "ﬀ", "İ",
    "-1", "0", "1e999", "NaN", "null", "true", "2026-02-30", "9999-12-31", "0000-01-01", "2026-03", "last week", "28d",
    "999999999999d", "../../etc/passwd", "--store=/dev/null", "--", "-", "=", ",", ",,,", "country=", "country!=US", "a=b=c",
    "property:", "property:campaign", "cohort:", "cohort:!x", "plan=yearly", "%s%n", "$(id)", "tollgate://plans/%00",
    "tollgate://definitions/2.10", "tollgate://reports/funnel", "USD", "usd", "native", "Europe/Berlin", "steps", "steps,coach",
]
NUMBERS = [
    "0", "-0", "1", "-1", "0.1", "1e5", "1E400", "-1e-400", "9" * 400, "2147483648", "-9223372036854775809", "1" + "0" * 40,
    "0." + "3" * 300, "00", "01", "+1", "1.", ".5", "0x10", "1_000", "Infinity", "NaN",
]


class Raw(str):
    """Text that stands in the message as it is."""


def written(value):
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{written(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return json.dumps(value)


def odd(rng):
    """A value that an argument hardly ever has."""
    kind = rng.randrange(10)
    if kind < 4:
        return rng.choice(TEXTS)
    if kind < 6:
        return Raw(rng.choice(NUMBERS))
    if kind == 6:
        depth = rng.choice([2, 20, 300, 3_000])
        return Raw("[" * depth + "]" * depth if rng.random() < 0.5 else '{"a":' * depth + "1" + "}" * depth)
    if kind == 7:
        return [rng.choice(TEXTS) for _ in range(rng.choice([0, 1, 2, 50]))]
    if kind == 8:
        return {rng.choice(["country", "app", "a", "", "plan"]): rng.choice([None, [], {}, rng.choice(TEXTS), 1])}
    return rng.choice([None, True, False, [], {}, [[]], [None]])


def places(value, found):
    """The containers in a message, with the keys into them."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    for key, item in items:
        found.append((value, key))
        places(item, found)
    return found


def call(number, name, arguments):
    params = {"name": name, "arguments": arguments, "_meta": META}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def request(number, rng):
    """A valid message."""
    method = rng.choice(METHODS)
    params = {"_meta": dict(META)}
    if method == "resources/read":
        params["uri"] = rng.choice(["tollgate://definitions/3.1", "tollgate://reports/mrr", "tollgate://plans/a"])
    elif method == "prompts/get":
        params |= {"name": rng.choice(["weekly_review", "readout"]), "arguments": {"experiment": "x"}}
    elif method == "initialize":
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "f", "version": "1"}}
    elif method.startswith("notifications/"):
        return {"jsonrpc": "2.0", "method": method, "params": {"requestId": number - rng.randrange(9)}}
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def argued(number, rng, properties):
    """A call with arguments of right names, and values of wrong types or none that there are."""
    tool, names = rng.choice(properties)
    chosen = rng.sample(names, min(len(names), rng.randrange(1, 5)))
    arguments = {name: odd(rng) for name in chosen}
    if tool == "report" and rng.random() < 0.8:
        arguments["name"] = rng.choice(["funnel", "revenue", "trials", "mrr", "experiments", "rates", "payback"])
    if tool in ("why", "explain") and rng.random() < 0.8:
        arguments["report"] = rng.choice(["funnel", "revenue", "trials"])
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments, "_meta": META}}


def damaged(message, rng):
    """A message with some of its values replaced, left out or doubled."""
    message = copy.deepcopy(message)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        found = places(message, [])
        if not found:
            break
        container, key = rng.choice(found)
        if rng.random() < 0.7:
            container[key] = odd(rng)
        elif isinstance(container, dict):
            value = container.pop(key)
            if rng.random() < 0.5:
                container[rng.choice(TEXTS)] = value
        else:
            container.append(container[key])
    return message


def bytes_of(number, rng, properties):
    """One line without its end, and the id that must be answered, if one must."""
    kind = rng.random()
    if kind < 1 / WHOLE:
        name, arguments, *_ = rng.choice(CALLS + REFUSALS)
        return written(call(number, name, arguments)).encode(), number
    if kind < 0.1:
        message = request(number, rng)
        return written(message).encode(), message.get("id")
    if kind < 0.4:
        return written(argued(number, rng, properties)).encode("utf-8", "surrogatepass"), None
    if kind < 0.6:
        name, arguments, *_ = rng.choice(CALLS + REFUSALS)
        return written(damaged(call(number, name, arguments), rng)).encode("utf-8", "surrogatepass"), None
    if kind < 0.75:
        return written(damaged(request(number, rng), rng)).encode("utf-8", "surrogatepass"), None
    if kind < 0.8:
        return rng.randbytes(rng.choice([1, 10, 200])).replace(b"\n", b"\t"), None
    if kind < 0.80002:
        # Around 1 MiB, which is the most that a line may have.
        return b'{"a":"' + b"x" * (MIB - 10 + rng.randrange(20)) + b'"}', None
    if kind < 0.8001:
        depth = rng.choice([10_000, 100_000, 500_000])
        return rng.choice([b"[", b'{"a":', b'{"jsonrpc":[']) * (depth // 12), None
    name, arguments, *_ = rng.choice(CALLS + REFUSALS)
    line = bytearray(written(call(number, name, arguments)).encode())
    for _ in range(rng.choice([1, 2, 8])):
        place = rng.randrange(len(line))
        change = rng.randrange(4)
        if change == 0:
            line[place] = rng.choice([0, 9, 13, 34, 44, 58, 92, 123, 125, 0x80, 0xC0, 0xED, 0xF5, 0xFF])
        elif change == 1:
            line[place:place] = rng.randbytes(rng.randrange(1, 5))
        elif change == 2:
            del line[place:place + rng.randrange(1, 9)]
        else:
            line[place:place] = line[max(0, place - 40):place]
        if not line:
            break
    return bytes(line).replace(b"\n", b" "), None


class Reader(threading.Thread):
    """Reads answers, and keeps the ids that have one."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream = stream
        self.answered = set()
        self.faults = []
        self.tally = {}
        self.arrived = threading.Condition()

    def run(self):
        for line in self.stream:
            try:
                self.take(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                self.faults.append(f"not an answer ({error!r}): {line[:300]!r}")
        with self.arrived:
            self.stream = None
            self.arrived.notify_all()

    def take(self, answer):
        if answer["jsonrpc"] != "2.0" or ("result" in answer) == ("error" in answer):
            self.faults.append(f"not an answer: {str(answer)[:300]}")
        number = answer["id"]
        result = answer.get("result")
        if result is None:
            word = str(answer["error"]["code"])
            if word == "-32603":
                self.faults.append(f"an internal error: {str(answer)[:600]}")
        elif result.get("isError"):
            word = result["structuredContent"]["code"]
        else:
            word = "answered"
        with self.arrived:
            self.tally[word] = self.tally.get(word, 0) + 1
            if isinstance(number, int):
                self.answered.add(number)
            self.arrived.notify_all()

    def wait(self, number):
        """Whether this id has an answer in time."""
        with self.arrived:
            self.arrived.wait_for(lambda: self.stream is None or number in self.answered, PATIENCE)
            return number in self.answered


def resident(process):
    """Resident memory in MB."""
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--messages", type=int, help="default: as many as go through in 8 seconds")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/small.db"
        sample = ["sample", "--seed", "5", "--persons", "120", "--days", "60", "--output", f"{folder}/events"]
        for words in (sample, ["ingest", f"{folder}/events", "--store", store]):
            subprocess.run([program, *words], check=True, capture_output=True)
        errors = open(f"{folder}/errors.txt", "w+b")
        server = subprocess.Popen(
            [program, "mcp", "--store", store], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        reader = Reader(server.stdout)
        reader.start()
        question = {"jsonrpc": "2.0", "id": 0, "method": "tools/list", "params": {"_meta": META}}
        listed = subprocess.run(
            [program, "mcp", "--store", store], capture_output=True, input=written(question).encode() + b"\n")
        tools = json.loads(listed.stdout)["result"]["tools"]
        properties = [(tool["name"], list(tool["inputSchema"]["properties"]) or ["a"]) for tool in tools]
        started = time.monotonic()
        memory = []
        number = 0
        due = set()
        cancelled = set()
        faults = reader.faults
        recent = []
        is_over = False
        while not is_over and not faults:
            number += 1
            is_over = number == options.messages or options.messages is None and time.monotonic() > started + 8
            line, asked = bytes_of(number, rng, properties)
            recent = recent[-200:] + [line]
            if asked is not None:
                due.add(asked)
            if b"notifications/cancelled" in line:
                cancelled.update(map(int, re.findall(rb'"requestId": ?(\d{1,9})', line)))
            try:
                server.stdin.write(line + b"\n")
                if number % 100 == 0 or is_over:
                    server.stdin.write(written({"jsonrpc": "2.0", "id": -number, "method": "ping"}).encode() + b"\n")
                    server.stdin.flush()
                    if not reader.wait(-number):
                        faults.append(f"no answer to a ping after message {number}; status {server.poll()}")
                    memory.append(resident(server))
            except OSError as error:
                faults.append(f"the server is gone after message {number}: {error}, status {server.poll()}")
        if faults:
            # The last messages, of which one may be at fault.
            (ROOT / "out").mkdir(exist_ok=True)
            (ROOT / "out" / "fuzz-recent.bin").write_bytes(b"\n".join(recent))
        try:
            server.stdin.close()
            status = server.wait(PATIENCE)
        except (OSError, subprocess.TimeoutExpired) as error:
            status = error
        reader.join(PATIENCE)
        if status != 0:
            errors.seek(0)
            faults.append(f"status {status}: {errors.read()[-2000:]!r}")
        # A call that a later message cancels has no answer.
        silent = due - reader.answered
        faults += [f"no answer to message {number}" for number in sorted(silent - cancelled)[:9]]
        seconds = time.monotonic() - started
        tally = ", ".join(f"{word} {count}" for word, count in sorted(reader.tally.items(), key=lambda item: -item[1]))
        if max(memory, default=0) > MOST_MEMORY:
            faults.append(f"the server has {max(memory):.0f} MB")
        print(f"fuzz: {number} messages, seed {options.seed}, {seconds:.1f} s, memory at most {max(memory, default=0):.0f} MB "
              f"({max(memory[:len(memory) // 2], default=0):.0f} in the first half), {len(silent)} calls cancelled; {tally}; "
              f"{len(faults)} faults")
    for fault in faults:
        print(f"  {fault}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
