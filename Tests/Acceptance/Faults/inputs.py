"""Inputs that a program may stumble over."""

import json
import os
import resource
import subprocess
import threading
import time

from harness import Row

EXPANDED = 10 << 30


def event(number, user="u", **fields):
    return json.dumps({"event": "activity", "event_id": str(number), "ts": 1772323200000 + number, "app": "demo",
                       "user_id": user, **fields}) + "\n"


def all_inputs(harness, files):
    yield many_files(harness, files)
    for test in (long_lines, expansion, rejected, fifo, growing, strange_names):
        yield test(harness)


def ingested(harness, row, arguments, status, what, **options):
    """Runs an ingest and returns its summary; notes what it came to."""
    done = harness.run("ingest", "--format", "json", *arguments, **options)
    row.tried += 1
    row.struck += 1
    row.note(what)
    if done.returncode != status:
        row.wrong.append(f"{arguments}: {done.returncode}: {done.stderr.strip()[:300]}")
        return {}
    return json.loads(done.stdout)


def expect(row, found, **wanted):
    for key, value in wanted.items():
        if found.get(key) != value:
            row.wrong.append(f"{key} is {found.get(key)}, not {value}")


def many_files(harness, count):
    row = Row(f"{count:,} small files")
    folder = harness.path("many")
    os.makedirs(folder)
    for number in range(count):
        if number % 1000 == 0:
            part = os.path.join(folder, f"{number // 1000:04}")
            os.makedirs(part)
        with open(os.path.join(part, f"{number}.jsonl"), "w") as file:
            file.write(event(number, f"u{number % 500}"))
    store = harness.path("many.db")
    # As many descriptors as a service has, and no more.
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    found = ingested(harness, row, ["--store", store, folder], 0, "each event once", preexec_fn=limit)
    expect(row, found, files=count, events=count, duplicates=0)
    found = ingested(harness, row, ["--store", store, folder], 0, "all skipped again", preexec_fn=limit)
    expect(row, found, files=0, files_skipped=count, events=0)
    return row


def long_lines(harness):
    row = Row("lines of 1 MiB")
    path, store = harness.path("long.jsonl"), harness.path("long.db")
    limit = 1 << 20
    with open(path, "w") as file:
        for number, length in enumerate([limit - 1, limit, limit + 1, 3 * limit]):
            line = event(number, note="")[:-1]
            # The line feed is not of the line.
            file.write(line.replace('"note": ""', '"note": "' + "x" * (length - len(line)) + '"') + "\n")
        file.write(event(9))
    found = ingested(harness, row, ["--store", store, path], 0, "2 too long ones in quarantine, all others taken")
    expect(row, found, events=3, quarantined={"line_too_long": 2})
    return row


def peak(process):
    """Bytes of memory a process had at most."""
    most = 0
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as status:
                for line in status:
                    if line.startswith("VmHWM:"):
                        most = max(most, int(line.split()[1]) * 1024)
        except (FileNotFoundError, ProcessLookupError):
            break
        time.sleep(0.05)
    return most


def within(harness, row, name, path, store, wanted, disk=None, status=0):
    """Reads a file with 300 MiB of memory at most, and says what it came to; status 3 where no event is in it."""
    process = subprocess.Popen([harness.program, "ingest", "--format", "json", "--store", store, path],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    memory = peak(process)
    said, errors = process.communicate()
    row.tried += 1
    row.struck += 1
    size, stored = os.path.getsize(path), os.path.getsize(store)
    size = f"{size >> 20} MiB" if size >> 20 else f"{size >> 10} KiB"
    row.note(f"{name}: {size} read in {memory >> 20} MiB of memory" + (f", {stored >> 20} MiB stored" if disk else ""))
    if process.returncode != status:
        row.wrong.append(f"{name}: {process.returncode}: {errors.strip()}")
    else:
        expect(row, json.loads(said), **wanted)
    if memory > 300 << 20:
        row.wrong.append(f"{name}: {memory >> 20} MiB of memory")
    if disk and stored > disk:
        row.wrong.append(f"{name}: {stored >> 20} MiB stored")


def expansion(harness):
    row = Row("10 GiB out of a small zstd file")
    path, store = harness.path("bomb.zst"), harness.path("bomb.db")
    # Lines of blanks, which are skipped, and one long line, which is not kept.
    for name, text, wanted in [("blank lines", b" " * 1023 + b"\n", {"events": 1}),
                               ("one line", b"x" * 1024, {"events": 1, "quarantined": {"line_too_long": 1}})]:
        harness.remove_store(store)
        frames = [subprocess.run(["zstd", "-q", "-c"], input=part, stdout=subprocess.PIPE, check=True).stdout
                  for part in (text * (1 << 16), ("\n" + event(1)).encode())]
        with open(path, "wb") as file:
            file.write(frames[0] * (EXPANDED >> 26) + frames[1])
        within(harness, row, name, path, store, wanted)
    harness.remove(path)
    return row


def rejected(harness):
    """Lines that are no events, of which 10,000 of a file and a reason are kept, and at most 64 MiB."""
    row = Row("files of lines that are no events")
    path, store = harness.path("rejected.jsonl"), harness.path("rejected.db")
    lines, missing = 32 << 20, event(1).replace('"user_id"', '"other"')
    count = 3_000_000
    array = event(1)[:-1] + ","
    cases = [
        ("the line y", ["zstd", "-q", "-c"], [b"y\n" * (1 << 20)] * (lines >> 20),
         {"events": 0, "quarantined": {"not_json_object": lines}}),
        ("events without user", ["cat"], [(missing * 10_000).encode()] * (count // 10_000),
         {"events": 0, "quarantined": {"missing:user_id": count}}),
        ("long lines", ["zstd", "-q", "-c"], [b"x" * 4000 + b"\n"] * 100_000,
         {"events": 0, "quarantined": {"not_json_object": 100_000}}),
        ("an array that never ends", ["cat"], [b"["] + [(array * 10_000).encode()] * (count // 10_000), {"events": 0}),
    ]
    for name, tool, parts, wanted in cases:
        harness.remove_store(store)
        with open(path, "wb") as file:
            packed = subprocess.Popen(tool, stdin=subprocess.PIPE, stdout=file)
            for part in parts:
                packed.stdin.write(part)
            packed.stdin.close()
            packed.wait()
        within(harness, row, name, path, store, wanted, disk=200 << 20, status=3)
    harness.remove(path)
    return row


def fifo(harness):
    row = Row("a FIFO")
    folder, store = harness.path("fifo"), harness.path("fifo.db")
    os.makedirs(folder)
    path = os.path.join(folder, "pipe")
    os.mkfifo(path)
    with open(os.path.join(folder, "file.jsonl"), "w") as file:
        file.write(event(1))
    # In a folder it is passed over: nobody may ever write to it.
    found = ingested(harness, row, ["--store", store, folder], 0, "passed over in a folder", timeout=60)
    expect(row, found, files=1, events=1)

    def write():
        with open(path, "w") as pipe:
            for number in range(2, 2000):
                pipe.write(event(number))

    writer = threading.Thread(target=write)
    writer.start()
    found = ingested(harness, row, ["--store", store, path], 0, "read to its end where it is named", timeout=60)
    writer.join()
    expect(row, found, files=1, events=1998)
    return row


def growing(harness):
    """Nothing of a file that changes while it is read is taken; the next run takes all of it, once."""
    row = Row("a file that grows while it is read")
    store, path = harness.path("growing.db"), harness.path("growing.jsonl")
    with open(path, "w") as file:
        for number in range(300_000):
            file.write(event(number, f"u{number % 5000}"))
    stop = threading.Event()
    written = [300_000]

    def grow():
        with open(path, "a") as file:
            while not stop.is_set():
                file.write(event(written[0]))
                file.flush()
                written[0] += 1
                time.sleep(0.002)

    writer = threading.Thread(target=grow)
    writer.start()
    time.sleep(0.05)
    found = ingested(harness, row, ["--store", store, path], 3, "refused, status 3")
    stop.set()
    writer.join()
    if not any("it changed while it was read; ingest it again" in failure["reason"] for failure in found.get("failures", [])):
        row.wrong.append(f"{found}")
    found = ingested(harness, row, ["--store", store, path], 0, "taken whole when it has ended")
    expect(row, found, files=1, events=written[0])
    return row


def strange_names(harness):
    row = Row("paths that are no UTF-8, and others")
    folder, store = harness.path("names"), harness.path("names.db")
    os.makedirs(folder)
    names = [b"caf\xe9.jsonl", b"\xff\xfe", b"new\nline.jsonl", b"-n", b"sp ace'\".jsonl", "\u202ebackwards".encode(), b"x" * 255]
    for number, name in enumerate(names):
        with open(os.path.join(folder.encode(), name), "w") as file:
            file.write(event(number))
    found = ingested(harness, row, ["--store", store, folder], 0, "each file read")
    expect(row, found, files=len(names), events=len(names))
    # As an argument, too.
    store = harness.path("names2.db")
    done = subprocess.run([harness.program.encode(), b"ingest", b"--store", store.encode(),
                           os.path.join(folder.encode(), names[0])], capture_output=True)
    row.tried += 1
    row.struck += 1
    if done.returncode == 0 and b", 1 event," in done.stdout:
        row.note("read where it is named")
    else:
        row.note(f"status {done.returncode} where it is named")
        if done.returncode != 2 or b"caf" not in done.stderr:
            row.wrong.append(f"{done.returncode}: {done.stderr!r}")
    return row
