"""Attacks, and accidents that look like them, each as it was found and in a variation: names that act on terminals, archives
with odd names, texts that are cut, stores that are none, limits of files, what killed commands leave, ids in encoded texts, clients that shut out others."""

import base64
import http.client
import json
import os
import re
import resource
import signal
import socket
import sqlite3
import subprocess
import threading
import time
import urllib.parse
import zipfile

from harness import Row
from inputs import event

# Escape, the one-character CSI, a right-to-left override and an isolate.
HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
EVIL = "a\x1b[31mb\x9b2Jc\u202ed\u2066"


def all_hostile(harness):
    for test in (names, zips, texts, sources, export, file_limit, stale_parts, seal_through_link, odd_stores, folders, forget,
                 browsers, smuggled, token_files, healthz, wrong_tokens, slow_bodies, other_clients, unread_answers, strangers,
                 idle, long_addresses, many_apps, api):
        yield test(harness)


def check(row, what, holds, detail=""):
    row.tried += 1
    row.struck += 1
    if holds:
        row.note(what)
    else:
        row.wrong.append(f"{what}: {detail}")


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def names(harness):
    row = Row("names that act on terminals")
    data = write(harness.path("names.jsonl"), "".join(
        json.dumps({"event": "exposure", "event_id": f"e{n}", "ts": 1772323200000 + n, "app": EVIL, "user_id": f"u{n}",
                    "experiment": EVIL, "variant": EVIL + str(n % 2)}) + "\n" for n in range(400)) + "".join(
        json.dumps({"event": "conversion", "event_id": f"c{n}", "ts": 1772323200000 + n, "app": EVIL, "user_id": f"u{n}",
                    "product_id": "p", "plan": "monthly", "price": 1, "currency": "USD", "tier": EVIL}) + "\n" for n in range(30)))
    store = harness.path("names.db")
    odd = harness.path(f"file {EVIL}.jsonl")
    write(odd, "no event\n")
    harness.must("ingest", "--store", store, data)
    write(harness.path("night.yaml"), f"store: names.db\nsources: [{{files: 'file*.jsonl'}}]\n"
          "thresholds: {freshness_hours: 1, sample_ratio_p: 0.999999}\n")
    write(harness.path(f"night {EVIL}.yaml"), "store: names.db\nsources: [{files: 'file*.jsonl'}]\n")
    for arguments in (["funnel", "--app", "none"], ["funnel", "--app", EVIL + "2"], ["experiment", "none"],
                      ["experiment", EVIL, "--app", "none"], ["experiment", EVIL, "--memo", "markdown"],
                      ["experiment", EVIL, "--memo", "slack"], ["forget", "--user", EVIL], ["forget", "--user", "u1", "--app", EVIL + "2"],
                      ["forget", "--user", "u1", "--dry-run"], ["export", "--output", harness.path(f"out {EVIL}")],
                      ["report", "--output", harness.path(f"site {EVIL}")], ["backup", harness.path(f"copy {EVIL}.db")],
                      ["spend", "import", write(harness.path("ads.csv"), f"day,app,spend,currency\n2026-03-01,{EVIL},1,USD\n")],
                      ["revenue", "--format", "markdown"], ["nightly", "--check", "--config", harness.path(f"night {EVIL}.yaml")],
                      ["experiments"], ["ingest", "--dry-run", data], ["ingest", odd], ["quarantine", "list"],
                      ["nightly", "--config", harness.path("night.yaml")],
                      ["--log-format", "json", "nightly", "--config", harness.path("night.yaml")],
                      ["nightly", "--config", harness.path("night.yaml"), "--log-format", "json"], ["doctor", "--files"]):
        done = harness.run(*arguments, *([] if "--config" in arguments or ["ingest", "--dry-run"] == arguments[:2] else ["--store", store]))
        found = HIDDEN.search(done.stdout + done.stderr)
        check(row, "escaped", not found, f"{arguments}: {found and found.group()!r} in {(done.stdout + done.stderr)[:300]!r}")
    return row


def zips(harness):
    row = Row("zip archives with odd names")
    for number, (entries, events, status) in enumerate([
            (["./x.jsonl"], 1, 0), (["./a/../x.jsonl", "b/./y.jsonl"], 2, 0), (["../x.jsonl"], 1, 0),
            (["/x.jsonl", "a\\y.jsonl", " z.jsonl"], 3, 0), (["C:\\x.jsonl", "..\\..\\y.jsonl", "\u202ez.jsonl", "e\u0301.jsonl", "\xe9.jsonl"], 5, 0), (["x.jsonl", "x.jsonl"], 2, 0), (["./.hidden", "a/./.b/c"], 0, 3),
            ([".hidden", "__MACOSX/x"], 0, 3), ([".hidden", "x.jsonl"], 1, 0)]):
        path = harness.path(f"odd{number}.zip")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for place, name in enumerate(entries):
                archive.writestr(name, event(place))
        done = harness.run("ingest", "--store", harness.path(f"odd{number}.db"), "--format", "json", path)
        found = json.loads(done.stdout)["events"]
        check(row, "read or named", (found, done.returncode) == (events, status), f"{entries}: {found}, {done.returncode}")
    return row


def texts(harness):
    """Texts that are cut off, and halves of characters: nothing is lost without a word, and no two users become one."""
    row = Row("texts that are cut or no text")
    events = [event(n, f"u{n}").strip() for n in range(3)]
    halves = [event(n, "x").replace('"x"', f'"u{half}"') for n, half in enumerate("\ud800\ud801\udfff")]
    for text, found, rejected, status in [
            (f"[{','.join(events)}]", 3, {}, 0), (f"[{','.join(events)}", 0, {}, 3), (f"[{','.join(events)},", 0, {}, 3),
            (f"[{','.join(events)}"[:-9], 0, {}, 3), (f"[{events[0]}]\n[{events[1]}", 0, {}, 3),
            ("".join(halves) + event(9), 1, {"invalid_utf8": 3}, 0), ("\ufeff" + "".join(halves), 0, {"invalid_utf8": 3}, 3)]:
        for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
            store, path = harness.path("texts.db"), harness.path("texts.json")
            harness.remove_store(store)
            with open(path, "wb") as file:
                file.write((text if encoding == "utf-8" else "\ufeff" + text.lstrip("\ufeff")).encode(encoding, "surrogatepass"))
            done = harness.run("ingest", "--store", store, "--format", "json", path)
            said = json.loads(done.stdout)
            check(row, "taken, rejected or named", (said["events"], said["quarantined"], done.returncode) == (found, rejected, status),
                  f"{encoding} {text!r}: {done}")
    return row


def sources(harness):
    """A file of which nothing is taken is counted, quarantined or named, whatever its source is said to be."""
    row = Row("files of another source than --source says")
    contents = ["{}\n", "[]\n[ ]\n", " \n\n", "event_id,event,ts,app,user_id\n", '{"notificationHistory":[],"hasMore":false}',
                 "[]", "[1,2]", "a,b\n1,2\n", "event_id,event\n1,activity\n", event(1), '{"received_at":1,"body":{}}\n',
                '{"notificationHistory":[]}', '{"signedTransactions":[]}\n', '"text"\n', "]]]],,,\n", "eyJ9.eyJ9.a\n", "[[]]\n"]
    words = " ".join(harness.run("ingest", "--help").stdout.split())
    names = re.search(r"--source <.*?values: ([^;)]*)", words)[1].split(", ")
    for source in sorted(set(names) - {"auto", "appstoreconnect"}):
        for number, text in enumerate(contents):
            path = write(harness.path("source.txt"), text)
            store = harness.path("source.db")
            harness.remove_store(store)
            done = harness.run("ingest", "--store", store, "--format", "json", "--source", source, "--app", "a", path)
            said = json.loads(done.stdout) if done.stdout.startswith("{") else {}
            taken = said.get("events", 0) + sum(said.get("quarantined", {}).values())
            named = f"{path}: read, but there is no event" in done.stderr and said["files_empty"] == 1
            check(row, "taken, quarantined, refused or named", taken > 0 or done.returncode != 0 or named,
                  f"{source}: {text!r}: {done}")
            dry = harness.run("ingest", "--dry-run", "--format", "json", "--source", source, "--app", "a", path)
            said = json.loads(dry.stdout) if dry.stdout.startswith("{") else {}
            taken = said.get("events", 0) + sum(said.get("quarantined", {}).values())
            check(row, "the same in a preview", taken > 0 or dry.returncode != 0 or path in dry.stderr,
                  f"{source}: {text!r}: {dry}")
    return row


def export(harness):
    row = Row("export events read again")
    first, second = harness.path("export.db"), harness.path("again.db")
    harness.must("ingest", "--store", first, "--quiet", harness.sample("export", 300))
    more = write(harness.path("export-more.jsonl"), "".join(
        event(n, properties={"plan": "x\"y", "empty": "", "a\\b": "\u2028\u0000é" if n else "x", "n": -1.5e-7, "t": True},
              platform="ios", country="de") for n in range(5)) + "".join(
        event(n + 10, f"device-{n}", event="identify", previous_user_id=f"u{n}") for n in range(3)))
    harness.must("ingest", "--store", first, "--quiet", more)
    lines = harness.must("export", "events", "--store", first, "--format", "ndjson").stdout
    harness.must("ingest", "--store", second, "--strict", "--quiet", write(harness.path("export.ndjson"), lines))
    check(row, "same reports", harness.content(first, views=False) == harness.content(second, views=False))
    check(row, "same events", lines and lines.count("\n") == harness.must(
        "export", "events", "--store", second, "--format", "ndjson").stdout.count("\n"))
    return row


def file_limit(harness):
    row = Row("a limit of the size of files")
    data = harness.sample("limit", 3000)
    whole = harness.path("limit.db")
    harness.must("ingest", "--store", whole, "--quiet", data)

    def limited(count):
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (count, count))

    for name, arguments, count in (("ingest", ["ingest", "--store", harness.path("small.db"), "--quiet", data], 300_000),
                                   ("backup", ["backup", "--store", whole, harness.path("limit-copy.db")], 100_000),
                                   ("seal", ["doctor", "--seal", "--store", whole], 512),
                                   ("export", ["export", "events", "--store", whole, "--output", harness.path("limited")], 9_000),
                                   ("report", ["funnel", "--store", whole, "--output", harness.path("limited.txt")], 10)):
        done = harness.run(*arguments, preexec_fn=limited(count))
        check(row, "said so", done.returncode > 0 and re.search("ulimit|too large|File too", done.stderr),
              f"{name}: {done.returncode}: {done.stderr}")
    parts = [name for _, _, files in os.walk(harness.folder) for name in files if ".part-" in name]
    check(row, "nothing left", not parts, parts)
    return row


def stale_parts(harness):
    row = Row("what a killed command leaves")
    store = harness.path("stale.db")
    harness.must("ingest", "--store", store, "--quiet", harness.sample("stale", 4000))
    copy = harness.path("stale-copy.db")
    site = harness.path("stale-site")

    def parts(folder=None):
        return [name for name in os.listdir(folder or harness.folder) if ".part-" in name]

    # A process that was killed: its number is nobody's lock.
    for name in (".stale-copy.db.part-1", ".stale-copy.db.part-999999"):
        harness.copy(store, harness.path(name))
        write(harness.path(f".{name}.seal.part-1"), "a seal in the making")
    harness.must("backup", "--store", store, copy, "--quiet")
    check(row, "removed by the next backup", not parts(), parts())
    left = 0
    length = harness.length("backup", "--store", store, "--quiet", copy)
    for _ in range(40):
        harness.kill(["backup", "--store", store, copy], harness.random.uniform(0.1, 1) * length)
        left += bool(parts())
        if left == 5:
            break
    harness.must("backup", "--store", store, copy, "--quiet")
    check(row, f"{left} kills inside a backup, removed", left and not parts(), parts())
    os.mkdir(harness.path(".stale-site.part-999999"))
    write(harness.path(".stale-site.part-999999/report.html"), "old")
    os.makedirs(harness.path(".stale-site.part-999999/tables/more"))
    write(harness.path(".stale-site.part-999999/tables/more/a.csv"), "old")
    os.symlink(harness.folder, harness.path(".stale-site.part-999999/tables/out"))
    for _ in range(6):
        harness.kill(["report", "--store", store, "--output", site], harness.random.uniform(0.01, 0.8))
        if os.path.isdir(site):
            check(row, "none in a published folder", not parts(site), parts(site))
    harness.must("report", "--store", store, "--output", site, "--quiet")
    check(row, "removed by the next report", not parts(), parts())
    check(row, "links are not followed", os.path.exists(store))
    write(harness.path("stale.yaml"), "store: stale.db\nrecords: stale-nights\nsources: [{files: 'stale/*.jsonl*'}]\n"
          "reports: ['report --output stale-page', 'funnel --output stale-funnel.txt']\n")
    night = ["nightly", "--config", harness.path("stale.yaml"), "--quiet"]
    harness.run(*night)
    for _ in range(8):
        harness.kill(night, harness.random.uniform(0.05, 1.5))
        if os.path.isdir(harness.path("stale-page")):
            check(row, "none in a published folder", not parts(harness.path("stale-page")))
    harness.run(*night)
    left = [name for _, folders, files in os.walk(harness.folder) for name in folders + files if ".part-" in name]
    check(row, "removed by the next night", not left, left)
    for name in ("x" * 250, "ä" * 125):
        harness.must("funnel", "--store", store, "--output", harness.path(name))
        harness.must("backup", "--store", store, "--quiet", harness.path(name[:60] + ".db"))
        check(row, "names as long as may be", os.path.exists(harness.path(name)) and not parts(), parts())
    harness.copy(store, harness.path(".other.db.part-999999"))
    write(harness.path(".foreign.part-7"), "of another program")
    user = harness.must("export", "users", "--store", store).stdout.splitlines()[1].split(",")
    receipt = json.loads(harness.run("forget", "--store", store, "--user", next(v for v in user if v.startswith("u-"))).stdout)
    check(row, "removed by forget, nothing else", receipt["leftover_copies"] == 1 and parts() == [".foreign.part-7"],
          f"{receipt} {parts()}")
    harness.remove(harness.path(".foreign.part-7"))
    return row


def seal_through_link(harness):
    row = Row("a store behind a link")
    os.mkdir(harness.path("real"))
    store, link = harness.path("real", "s.db"), harness.path("link.db")
    harness.must("ingest", "--store", store, write(harness.path("link.jsonl"), event(1)), "--quiet")
    os.symlink(store, link)
    os.symlink(link, harness.path("link2.db"))
    # Through a linked folder, and by a relative link.
    os.symlink(harness.path("real"), harness.path("linked"))
    os.symlink("real/s.db", harness.path("link3.db"))
    for path in (link, harness.path("link2.db"), harness.path("linked", "s.db"), harness.path("link3.db")):
        harness.must("doctor", "--seal", "--store", path)
        beside = os.path.realpath(path) + ".seal"
        check(row, "sealed beside the file", beside == os.path.realpath(store) + ".seal" and os.path.exists(beside)
              and not os.path.exists(harness.path(os.path.basename(path) + ".seal")))
        harness.must("ingest", "--store", store, write(harness.path("link.jsonl"), event(len(path))), "--quiet")
        check(row, "no false alarm", harness.run("doctor", "--store", path).returncode == 0)
        check(row, "no false alarm", harness.run("doctor", "--store", store).returncode == 0)
    return row


def odd_stores(harness):
    """Stores that are no files, or files of others: refused at once, by name, and left as they are."""
    row = Row("stores that are none")
    write(harness.path("odd.txt"), "a text\n" * 1000)
    sqlite3.connect(harness.path("odd.sqlite")).executescript("CREATE TABLE user (id); INSERT INTO user VALUES (1)").close()
    os.mkfifo(harness.path("odd.pipe"))
    os.mkdir(harness.path("odd.folder"))
    os.symlink(harness.path("odd.loop"), harness.path("odd.loop"))
    data = write(harness.path("odd.jsonl"), event(1))
    for path in [*(harness.path(f"odd.{end}") for end in ("txt", "sqlite", "pipe", "folder", "loop")), "/dev/null", "/dev/zero"]:
        before = open(path, "rb").read() if os.path.isfile(path) else None
        for command in (["funnel"], ["doctor"], ["doctor", "--repair"], ["doctor", "--seal"], ["export", "events"], ["ingest", data],
                        ["forget", "--user", "u"], ["vacuum"], ["backup", harness.path("odd.copy")], ["prune", "--older-than", "90"]):
            try:
                done = harness.run(*command, "--store", path, timeout=60)
            except subprocess.TimeoutExpired as error:
                done = subprocess.CompletedProcess(command, None, "", str(error))
            check(row, "refused", done.returncode in (1, 2, 5) and path in done.stderr, f"{path}: {done}")
        check(row, "left alone", before is None or open(path, "rb").read() == before, path)
    return row


def folders(harness):
    row = Row("folders of outputs")
    store = harness.path("folders.db")
    harness.must("ingest", "--store", store, write(harness.path("folders.jsonl"), event(1)), "--quiet")
    write(harness.path("folders.yaml"), "store: folders.db\nrecords: out-nights\nsources: [{files: folders.jsonl}]\n")
    harness.run("nightly", "--config", harness.path("folders.yaml"))
    harness.must("export", "--store", store, "--output", harness.path("out-export"))
    harness.must("report", "--store", store, "--output", harness.path("out-site"))
    harness.must("sample", "--output", harness.path("out-sample"), "--persons", "10", preexec_fn=lambda: os.umask(0))
    harness.must("report", "--store", store, "--output", harness.path("out-deep", "site"), preexec_fn=lambda: os.umask(0))
    for name in ("out-nights", "out-export", "out-site", "out-sample", "out-deep", "out-deep/site"):
        mode = os.stat(harness.path(name)).st_mode & 0o777
        check(row, "for their owner", mode == 0o700, f"{name}: {mode:o}")
    return row


def forget(harness):
    row = Row("ids in encoded lines of quarantine")
    def b64(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    user = "7e0f1e0e-0000-4000-8000-00000000feed"
    inner = b64({"alg": "ES256"}) + "." + b64({"appAccountToken": user}) + ".c2ln"
    signed = b64({"alg": "ES256"}) + "." + b64({"notificationType": "NEW", "data": {"signedTransactionInfo": inner}}) + ".c2ln"
    pubsub = base64.b64encode(json.dumps({"who": user}).encode()).decode()
    lines = [json.dumps({"signedPayload": signed}), signed, json.dumps({"signedPayload": signed})[:-9],
             json.dumps({"message": {"data": pubsub}}), json.dumps({"x": base64.b64encode(json.dumps([{"id": user}], indent=1).encode()).decode()})]
    # Not found at first: blanks before the object, base64 in base64, the id alone, another alphabet, lines of a mail.
    blank = base64.b64encode(b"\n\t {\"who\": \"" + user.encode() + b"\"}").decode()
    lines += [json.dumps({"data": blank}), json.dumps({"data": base64.b64encode(blank.encode()).decode()}),
              json.dumps({"data": base64.b64encode(user.encode()).decode()}), "x=" + base64.urlsafe_b64encode(
                  json.dumps({"?>?>": user}).encode()).decode(), "data: " + blank.rstrip("=") + "; next"]
    # In other letters, and in addresses, messages and texts that are cut.
    lines += [json.dumps({"signedPayload": b64({"alg": "x"}) + "." + b64({"appAccountToken": user.upper()}) + ".c2ln"}),
              json.dumps({"url": "https://x/?data=" + urllib.parse.quote(pubsub)}), json.dumps({"url": f"https://x/?u={user}&n=1"}),
              "u=" + "".join(f"%{byte:02x}" for byte in user.encode()) + "&n=1", json.dumps({"error": f"no user {user.upper()}"}),
              '{"a":"' + "".join(f"\\u{byte:04x}" for byte in user.encode()) + '","b":']
    others = [json.dumps({"signedPayload": b64({"alg": "x"}) + "." + b64({"appAccountToken": user + "0"}) + ".c2ln"}), "eyJ",
              json.dumps({"data": base64.b64encode((user + "0").encode()).decode()}), json.dumps({"url": f"https://x/?u={user}0"}),
              f"u=%37{user}&n=1", json.dumps({"error": f"no user {user}-a, 100%"})]
    store = harness.path("forget.db")
    harness.run("ingest", "--store", store, write(harness.path("forget.jsonl"), event(1, user) + "\n".join(lines + others) + "\n"))
    done = harness.run("forget", "--store", store, "--user", user)
    receipt = json.loads(done.stdout)
    check(row, "erased and counted", receipt["quarantined_lines"] == len(lines), f"{done}")
    rest = harness.must("quarantine", "show", "--quiet", "--store", store).stdout.split("\n")
    check(row, "others stay", [line for line in rest if line] == others, rest)
    return row


class Serving:
    """A server on a free port."""

    def __init__(self, harness, *arguments, **options):
        self.process = subprocess.Popen([harness.program, *arguments, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE,
                                        text=True, cwd=harness.folder, **options)
        for line in self.process.stderr:
            found = re.match(r"listening on http://127\.0\.0\.1:(\d+),", line)
            if found:
                self.port = int(found[1])
                threading.Thread(target=self.process.stderr.read, daemon=True).start()
                return
        raise AssertionError(f"{arguments}: does not listen")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def connect(self, client="127.0.0.1"):
        """A connection from an address of this machine."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=30, source_address=(client, 0))

    def status(self, text, timeout=30, client="127.0.0.1"):
        """The status of an answer; 0 where the connection was closed."""
        with self.connect(client) as connection:
            connection.settimeout(timeout)
            try:
                connection.sendall(text if isinstance(text, bytes) else text.encode())
                return int((connection.recv(64) or b"x 0 ").split(b" ")[1])
            except ConnectionError:
                return 0

    def answers(self, text, timeout=6):
        """The status and the text of each answer, until the server closes or waits for more."""
        with self.connect() as connection:
            connection.settimeout(timeout)
            all = b""
            try:
                connection.sendall(text)
                connection.shutdown(socket.SHUT_WR)
                while part := connection.recv(1 << 16):
                    all += part
            except (ConnectionError, TimeoutError):
                pass
        found = []
        for head in re.finditer(rb"HTTP/1\.1 (\d+) [^\r]*\r\n(.*?)\r\n\r\n", all, re.DOTALL):
            length = re.search(rb"(?i)content-length: (\d+)", head[2])
            found.append((int(head[1]), all[head.end():head.end() + (int(length[1]) if length else 0)]))
        return found

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmRSS:"))


def get(path="/healthz", host="localhost", **headers):
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n"


def served(harness, *more):
    store = harness.path("served.db")
    if not os.path.exists(store):
        harness.must("ingest", "--store", store, "--quiet", write(harness.path("served.jsonl"), event(1)))
    return Serving(harness, "serve", "--store", store, *more)


def token(harness, mode=0o600):
    path = write(harness.path(f"token-{mode:o}"), "secret\n")
    os.chmod(path, mode)
    return path


def browsers(harness):
    row = Row("requests of other sites")
    navigate = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    with served(harness) as server:
        for what, text, wanted in (
                ("plain", get("/"), 200), ("a port", get("/", "127.0.0.1:80"), 200), ("IPv6", get("/", "[::1]:80"), 200),
                ("IPv6 without a port", get("/", "[::1]"), 200),
                ("a name elsewhere", get("/", "evil.example"), 421), ("behind brackets", get("/", "[::1].evil.example"), 421),
                ("behind brackets, with a port", get("/", "[::1].evil.example:80"), 421),
                ("behind an address", get("/", "127.0.0.1.evil.example"), 421), ("a user", get("/", "localhost@evil.example"), 421),
                ("a user and a port", get("/", "localhost:80@evil.example"), 421), ("no end", get("/", "[::1"), 421),
                ("behind a name", get("/", "localhost.evil.example"), 421), ("other letters", get("/", "LocalHost:1"), 200),
                ("no host", "GET / HTTP/1.1\r\n\r\n", 421), ("an old program", "GET / HTTP/1.0\r\n\r\n", 421),
                ("an empty host", get("/", ""), 421), ("a worker's script", get("/", **navigate | {"Sec_Fetch_Dest": "worker"}), 403),
                ("three hosts", get("/", "localhost\r\nHost: localhost\r\nHOST: localhost"), 400),
                ("two hosts", get("/", "localhost\r\nHost: evil.example"), 400),
                ("a site in other letters", get("/api/v1/funnel", Sec_Fetch_Site="Cross-Site", Sec_Fetch_Mode="no-cors"), 403),
                ("two sites", get("/api/v1/funnel", Sec_Fetch_Site="same-origin\r\nSec-Fetch-Site: cross-site"), 403),
                ("two hosts turned", get("/", "evil.example\r\nhost: localhost"), 400),
                ("a link", get("/", **navigate), 200), ("a script", get("/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors"), 403),
                ("a frame", get("/", **navigate | {"Sec_Fetch_Dest": "iframe"}), 403),
                ("a form", get("/", **navigate).replace("GET", "POST"), 403),
                ("its own", get("/", Sec_Fetch_Site="same-origin", Sec_Fetch_Mode="cors"), 200),
                ("an address of 8 kB", get("/?x=" + "y" * 8000), 400), ("of more", get("/?x=" + "y" * 9000), 414)):
            got = server.status(text)
            check(row, "as it should be", got == wanted, f"{what}: {got}, not {wanted}")
    return row


def smuggled(harness):
    """Requests whose end a proxy could see elsewhere: the second one in them is never answered, and never stored."""
    row = Row("requests inside of requests")
    receive = Serving(harness, "receive", "--output", harness.path("smuggled"), "--revenuecat-token-file", token(harness),
                      "--rotate-seconds", "0.2")
    second = "POST /revenuecat HTTP/1.1\r\nHost: localhost\r\nAuthorization: secret\r\nContent-Length: 2\r\n\r\n{}"
    with served(harness) as serve, receive:
        for lengths in ("Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
                        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer-Encoding: xchunked\r\nContent-Length: 5",
                        "Transfer-Encoding : chunked\r\nContent-Length: 5", "Transfer-Encoding:\tchunked\r\nContent-Length: 5",
                        "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5, 5", "Content-Length: +5", "Content-Length: -1",
                        "Content-Length: 0x5", "Content-Length: 99999999999999999999", "X: a\r\n b\r\nContent-Length: 5",
                        "X: a\0b\r\nContent-Length: 5", "X: a\nContent-Length: 5"):
            for server in (serve, receive):
                first = f"POST /revenuecat HTTP/1.1\r\nHost: localhost\r\nAuthorization: guess\r\n{lengths}\r\n\r\n0\r\n\r\n"
                with server.connect() as connection:
                    connection.sendall((first + second).encode())
                    answers = b""
                    while part := connection.recv(4096):
                        answers += part
                check(row, "refused whole", re.findall(rb"HTTP/1.1 (\d+)", answers) == [b"400"], f"{lengths!r}: {answers!r}")
    check(row, "nothing stored", not [name for _, _, files in os.walk(harness.path("smuggled")) for name in files
                                      if not name.startswith(".")])
    return row


def token_files(harness):
    row = Row("token files that others can read")
    served(harness).__exit__()
    for mode, is_refused in ((0o644, True), (0o604, True), (0o602, True), (0o640, True), (0o620, True), (0o601, True),
                             (0o600, False), (0o400, False)):
        for arguments in (["serve", "--store", harness.path("served.db"), "--token-file", token(harness, mode)],
                          ["receive", "--output", harness.path("inbox"), "--revenuecat-token-file", token(harness, mode)]):
            try:
                done = harness.run(*arguments, "--listen", "127.0.0.1:0", timeout=3)
                holds = is_refused and done.returncode == 2 and "chmod" in done.stderr
            except subprocess.TimeoutExpired:
                holds = not is_refused
            check(row, "refused" if is_refused else "taken", holds, f"{arguments[0]} {mode:o}")
    return row


def healthz(harness):
    row = Row("/healthz while all report workers are busy")
    with served(harness) as server:
        waiting = []
        for number in range(70):
            connection = server.connect()
            connection.sendall(get(f"/api/v1/funnel?format=csv&limit={number}").encode())
            waiting.append(connection)
        check(row, "answered", server.status(get(), timeout=5) == 200)
        for connection in waiting:
            connection.close()
    return row


def wrong_tokens(harness):
    row = Row("guessed tokens")
    with served(harness, "--token-file", token(harness)) as server:
        started = time.monotonic()
        check(row, "401", server.status(get("/", Authorization="Bearer guess")) == 401)
        check(row, "after a second", time.monotonic() - started >= 0.9)
        started = time.monotonic()
        check(row, "a right one at once", server.status(get("/", Authorization="Bearer secret")) == 200)
        check(row, "none is told at once", server.status(get("/")) == 401 and time.monotonic() - started < 2)
    # A flood: 100 clients guess without a pause, and the owner, at the same address, is answered meanwhile.
    for name in ("serve", "receive"):
        if name == "serve":
            server, path = served(harness, "--token-file", token(harness)), "/reports/funnel"
            right, guess = get(path, Authorization="Bearer secret"), get(path, Authorization="Bearer guess")
        else:
            server = Serving(harness, "receive", "--output", harness.path("inbox"), "--revenuecat-token-file", token(harness))
            right, guess = (f"POST /revenuecat HTTP/1.1\r\nHost: localhost\r\nAuthorization: {word}\r\nContent-Length: 2\r\n\r\n{{}}"
                            for word in ("secret", "guess"))
        with server:
            ends, answers = time.monotonic() + 6, []
            server.status(right)

            def flood():
                while time.monotonic() < ends:
                    try:
                        answers.append(server.status(guess, timeout=5))
                    except OSError:
                        answers.append(None)

            guessing = [threading.Thread(target=flood) for _ in range(100)]
            for thread in guessing:
                thread.start()
            while time.monotonic() < ends - 1:
                started = time.monotonic()
                got = server.status(right, timeout=10)
                check(row, "a right one in a flood", got == 200 and time.monotonic() - started < 3,
                      f"{name}: {got} after {time.monotonic() - started:.1f} s")
                time.sleep(0.1)
            for thread in guessing:
                thread.join()
            check(row, "none of a flood gets in", set(answers) <= {401, 429} and 401 in answers, f"{name}: {set(answers)}")
    return row


def slow_bodies(harness):
    row = Row("1,500 bodies that never end")
    more_files()
    head = ("POST /revenuecat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n{}\r\n{{")
    # Without a token, with one, and a head that never ends.
    for what, text in (("no token", head.format("")), ("a token", head.format("Authorization: secret\r\n")),
                       ("half a head", "GET / HTTP/1.1\r\nHost: local")):
        for name in ("receive", "serve"):
            if name == "serve":
                server = served(harness, "--token-file", token(harness))
                owner = get("/", Authorization="Bearer secret")
            else:
                server = Serving(harness, "receive", "--output", harness.path("inbox"), "--revenuecat-token-file", token(harness))
                owner = ("POST /revenuecat HTTP/1.1\r\nHost: localhost\r\nAuthorization: secret\r\nContent-Length: 2\r\n\r\n{}")
            with server:
                slow = []
                for _ in range(1500):
                    connection = server.connect()
                    try:
                        connection.sendall(text.encode())
                    except ConnectionError:
                        pass
                    slow.append(connection)
                for request, asked in ((get(), "/healthz"), (owner, "the owner")):
                    started = time.monotonic()
                    try:
                        got = server.status(request, timeout=10)
                    except OSError as error:
                        got = error
                    check(row, "answered", got == 200 and time.monotonic() - started < 5, f"{name}, {what}, {asked}: {got}")
                for connection in slow:
                    connection.close()
    # A body that goes on, a byte a second, is ended.
    with Serving(harness, "receive", "--output", harness.path("inbox"), "--revenuecat-token-file", token(harness)) as server:
        with server.connect() as connection:
            connection.sendall(head.format("Authorization: secret\r\n").encode())
            started = time.monotonic()
            try:
                while time.monotonic() - started < 60:
                    connection.sendall(b" ")
                    time.sleep(1)
            except ConnectionError:
                pass
            check(row, "ended after 30 s", 20 < time.monotonic() - started < 40, time.monotonic() - started)
    return row


def more_files():
    """As many connections as attacks need."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))


def other_clients(harness):
    """Slow bodies from many addresses; the connections of the owner, who has another, stay open."""
    row = Row("slow clients at many addresses")
    more_files()
    with served(harness, "--token-file", token(harness)) as server:
        owner = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20, source_address=("127.0.0.99", 0))

        def ask():
            owner.request("GET", "/healthz")
            answer = owner.getresponse()
            answer.read()
            return answer.status

        check(row, "the owner is let in", ask() == 200)
        kept = owner.sock
        slow = []
        # A body that never comes, and one that begins once the answer is there.
        head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
        for number in range(2400):
            connection = server.connect(f"127.0.0.{2 + number % 12}")
            slow.append(connection)
            try:
                connection.sendall(head.encode())
                if number % 2:
                    connection.recv(1)
                    connection.sendall(b"{" * 1000)
            except ConnectionError:
                pass
            if number % 300 == 299:
                check(row, "the owner's connection stays", ask() == 200 and owner.sock is kept)
                check(row, "a new one of the owner", server.status(get(), timeout=5, client="127.0.0.98") == 200)
        for connection in slow:
            connection.close()
    return row


def stranger(random, path, tokens):
    """A request that is odd in one or several ways, and what it is odd in."""
    method = random.choice(["GET", "GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE", "CONNECT", "get", "G" * 300, "GE T", "PRI", ""])
    target = random.choice([
        path, path, "/healthz", "http://localhost" + path, "http://evil.example" + path, "//evil.example" + path, "*", "localhost:80", path + "#x", path + "?a=%00%1b[31m",
        "/%68ealthz", "/healthz/../" + path[1:], "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "/\\..\\..\\x", path + "%", path + ";a=b", path.upper(), "/" * 3000,
        path + "?" + "&".join(f"x{n}=1" for n in range(500)), "/static/%c0%ae%c0%ae/x", path + "?token=secret", path + "\t", "/\u00e9\u202e"])
    version = random.choice(["HTTP/1.1"] * 5 + ["HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.1 x", "http/1.1", "HTTP/11", ""])
    hosts = random.choice([["localhost"]] * 5 + [[], ["localhost", "localhost"], ["evil.example"], ["localhost."], ["127.1"], ["[::1]"], ["localhost:99999"], ["localhost\t"], [" "]])
    odd = ["Origin: null", "Origin: https://evil.example", "Cookie: token=secret; Authorization=Bearer secret", "Cookie: " + "a=b; " * 1500,
           "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13",
           "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__", "Expect: 100-continue", "Expect: x", "X-Forwarded-For: 127.0.0.1\r\nX-Real-IP: 127.0.0.1",
           "X-HTTP-Method-Override: GET", "X-Original-URL: /", "Range: bytes=0-,0-,0-,0-", "Accept-Encoding: " + "gzip;q=0.1," * 300, "If-None-Match: *", "If-Modified-Since: x",
           "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors", "\r\n".join(f"X-{n}: y" for n in range(2000)), "X: " + "y" * 100_000, "X:\0", "X\u00e9: y", ": y", "X : y", " X: y",
           "Content-Length: 2\r\nContent-Length: 2", "Content-Length: 1e1", "Content-Length: 99999999999", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Trailer: Authorization",
           "Content-Encoding: gzip", "Content-Type: application/json; charset=utf-7", "Keep-Alive: timeout=99999", "Proxy-Authorization: Bearer secret", "TE: trailers"]
    body = random.choice([b""] * 4 + [b"{}", b"2;a=\"" + b"x" * 9000 + b"\"\r\n{}\r\n0\r\n\r\n", b"2\r\n{}\r\n0\r\nAuthorization: secret\r\n\r\n", b"-1\r\n", b"ffffffffffffffff\r\n{}", b"0x2\r\n{}\r\n0\r\n\r\n",
                          b"2\n{}\n0\n\n", b"\r\n\r\n\r\n", b"\0" * 1000, b"GET / HTTP/1.1\r\n"])
    lines = [f"{method} {target} {version}"] + [f"Host: {host}" for host in hosts] + random.sample(odd, random.choice([0, 1, 1, 2, 3]))
    lines += [f"Authorization: {word}" for word in random.choice(tokens)]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def strangers(harness):
    """Requests made up at random, whole and cut, without a right token: none is answered, and the owner is served between them; and with a token, where none ends in an error of the server."""
    row = Row("requests that are odd in several ways")
    wrong = [[], ["Bearer guess"], ["secretx"], ["Basic c2VjcmV0Og=="], ["Bearer"], ["Bearer secret\0"], ["bearer guess, Bearer secret"], ["Digest secret"]]
    inbox = harness.path("strangers")
    receive = Serving(harness, "receive", "--output", inbox, "--revenuecat-token-file", token(harness), "--rotate-seconds", "0.2")
    with served(harness, "--token-file", token(harness)) as serve, receive:
        for server, path, owner in (
                (serve, "/reports/funnel", get("/reports/funnel", Authorization="Bearer secret")),
                (receive, "/revenuecat", "POST /revenuecat HTTP/1.1\r\nHost: localhost\r\nAuthorization: secret\r\nContent-Length: 2\r\n\r\n{}")):
            before = server.memory()
            for number in range(600):
                tokens = wrong if number < 450 else [["Bearer secret"], ["secret"]]
                text = stranger(harness.random, path, tokens)
                if harness.random.random() < 0.2:
                    text = text[:harness.random.randrange(1, len(text))]
                got = server.answers(text)
                # /healthz is for everybody and tells nothing; after its answer to HEAD, the next answer is read as its body.
                told = tokens is wrong and any(status < 400 and body not in (b"", b"ok\n", b"HTT") for status, body in got)
                check(row, "not answered" if tokens is wrong else "no error",
                      not told and all(status < 500 or status in (501, 505) for status, _ in got), f"{path}: {got} to {text[:300]!r}")
                if number % 50 == 49:
                    check(row, "the owner is served", server.status(owner, timeout=10) == 200, path)
            check(row, "little memory", server.memory() - before < 150 << 20, f"{(server.memory() - before) >> 20} MiB more")
    return row


def idle(harness):
    """Thousands of connections that have had their answer and stay, and hundreds whose client takes a byte a second of a page."""
    row = Row("connections that stay")
    more_files()
    with served(harness, "--token-file", token(harness)) as server:
        owner = get("/", Authorization="Bearer secret")
        kept = []
        for number in range(2000):
            connection = server.connect(f"127.0.0.{2 + number % 3}")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            try:
                connection.sendall((get() if number % 2 else owner).encode())
                if number % 2:
                    connection.recv(1)
            except ConnectionError:
                pass
            kept.append(connection)
            if number % 400 == 399:
                for client in ("127.0.0.2", "127.0.0.9"):
                    started = time.monotonic()
                    try:
                        got = server.status(owner, timeout=20, client=client)
                    except OSError as error:
                        got = error
                    check(row, "the owner is served", got == 200 and time.monotonic() - started < 5, f"{client}: {got}")
        check(row, "little memory", server.memory() < 400 << 20, f"{server.memory() >> 20} MiB")
        for connection in kept:
            connection.close()
    return row


def unread_answers(harness):
    """Hundreds of requests at once whose answers nobody reads, from two addresses with 600 connections each; and few, as an
    honest program may send ahead."""
    row = Row("answers that are not taken")
    more_files()
    with served(harness, "--token-file", token(harness)) as server:
        connections = []
        for number in range(1200):
            connection = server.connect(f"127.0.0.{2 + number % 2}")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.setblocking(False)
            connections.append(connection)
        text = get().encode() * 500
        for _ in range(10):
            for connection in connections:
                try:
                    connection.send(text)
                except OSError:
                    pass
        for client in ("127.0.0.1", "127.0.0.2", "127.0.0.3"):
            for path, wanted in (("/healthz", 200), ("/", 401)):
                started = time.monotonic()
                try:
                    got = server.status(get(path), timeout=30, client=client)
                except OSError as error:
                    got = error
                check(row, "answered", got == wanted and time.monotonic() - started < 20, f"{client}: {got}")
        check(row, "little memory", server.memory() < 400 << 20, f"{server.memory() >> 20} MiB")
        for connection in connections:
            connection.close()
        with server.connect() as connection:
            connection.sendall(get().encode() * 16)
            text = b""
            while text.count(b"HTTP/1.1 200 OK") < 16:
                part = connection.recv(4096)
                if not part:
                    break
                text += part
            check(row, "few ahead are answered", text.count(b"HTTP/1.1 200 OK") == 16, text[-300:])
    return row


def many_apps(harness):
    """20,000 apps, as of a client that sends an install's id as its app: pages answer, and the server does afterwards."""
    row = Row("20,000 apps")
    store = harness.path("apps.db")
    data = write(harness.path("apps.jsonl"), "".join(
        event(n, app=f"a{n}", ts=1772323200000 + n * 60_000, entry_point="x",
              event="activity" if n % 2 else "paywall_impression")
        for n in range(20_000)))
    harness.must("ingest", "--store", store, "--quiet", data)
    with Serving(harness, "serve", "--store", store) as server:
        for path, text in (("/", "first 50 of 20,000 apps"), ("/?app=a19999", "a19999"), ("/reports/activity", ""),
                           ("/reports/funnel?by=week", "")):
            started = time.monotonic()
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            connection.request("GET", path)
            answer = connection.getresponse()
            page, seconds = answer.read().decode(), time.monotonic() - started
            check(row, "answered within 10 s", answer.status == 200 and text in page and seconds < 10,
                  f"{path}: {answer.status}, {seconds:.1f} s")
        check(row, "little memory", server.memory() < 400 << 20, f"{server.memory() >> 20} MiB")
    return row


# Texts of each pattern in the description, and some that it does not have.
TEXTS = {"currency": (["native", "usd", "EUR"], ["", "dollars", "12"]), "renewal": (["yearly=0.5", "monthly=1"], ["yearly", "x=0.5"]),
         "at": (["1", "30,90", "2-13,9999"], ["0", "x", "30-"]), "sort": ([], ["x:y"]), "reason": (["missing:ts"], []),
         "where": (["variant=a", "property:x=", "day=2026-03-01"], ["x=1", "=1"]),
         "last": (["28d", "4w", "3mo", "9999d"], ["0d", "x", "1y", "10000d"]),
         "as-of": (["2026-03-01", "2026-03-01T00:00:00.5+01:00"], ["2026-13-01", "now"]),
         "timezone": (["UTC", "Europe/Berlin", "Pacific/Kiritimati"], ["Mars", "../UTC"])}


def values(name, schema):
    """(allowed, refused) texts of a parameter."""
    if schema.get("type") == "array" and name != "by":
        return values(name, schema["items"])
    if name in TEXTS:
        return TEXTS[name]
    if "minimum" in schema:
        highest = schema["maximum"]
        step = schema.get("multipleOf", 1)
        return ([f"{n:.4f}".rstrip("0").rstrip(".") for n in (0, step, highest)],
                ["-1", "x", "1e0", *([str(highest + 1)] if name not in ("limit", "offset") else [str(1 << 63)])])
    if any(form.get("format") == "date" for form in schema.get("anyOf", [])):
        return (["0001-01-01", "2026-03-01", "9999-12-31", "yesterday", "monday", "28d", "last month", "this-quarter"],
                ["2026-02-30", "2026-3-1", "0", "tomorrow", "last"])
    if "enum" in schema:
        # Numbers have no other case.
        return schema["enum"], ["x", *{schema["enum"][0].upper()} - set(schema["enum"])]
    if schema.get("type") == "boolean":
        return ["true", "false"], ["yes", "TRUE"]
    if name == "by" and "anyOf" in schema.get("items", {}):
        plain = schema["items"]["anyOf"][0]["enum"]
        return [*plain, "property:x", "day,variant"], ["x", "variant,variant", "property:"]
    return [], []


def api(harness):
    """Each value that the description allows is answered, those at the ends of each range among them; others are refused with
    400."""
    row = Row("values that the API describes")
    store = harness.path("api.db")
    harness.must("ingest", "--store", store, "--quiet", harness.sample("api", 300))
    with Serving(harness, "serve", "--store", store) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

        def ask(path, **query):
            connection.request("GET", path + "?" + urllib.parse.urlencode(query))
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

        document = json.loads(ask("/api/v1/openapi.json")[1])
        experiments = json.loads(ask("/api/v1/experiments")[1])["rows"]
        for path, operation in document["paths"].items():
            needed = {"name": experiments[0]["experiment"], "app": experiments[0]["app"]} if path.split("/")[3] == "experiment" else {}
            if path.endswith("/reconcile"):
                needed = {"vendor": "adapty", "metric": "new_trials", "app": experiments[0]["app"]}
            for parameter in operation["get"]["parameters"]:
                name, schema = parameter["name"], parameter["schema"]
                if path.endswith("/explain") or name in needed:
                    continue
                allowed, refused = values(name, schema)
                for value in allowed:
                    status, text = ask(path, **needed | {name: value})
                    # A report may have no rows by some dimensions, an experiment no user on some days, a store no rates: 400 says why.
                    # Vendors' metrics of first days alone follow users for days, and parts of money need one currency.
                    holds = status == 200 or status == 400 and any(way in text for way in ("load exchange rates", "name one with column")) or name in ("by", "where", "from", "to", "last", "currency", "days") and status == 400 and (name in text or value in text)
                    check(row, "allowed and answered", holds, f"{path} {name}={value}: {status} {text[:200]}")
                for value in refused:
                    status, text = ask(path, **needed | {name: value})
                    check(row, "refused with 400", status == 400 or value == "", f"{path} {name}={value}: {status}")
            status, text = ask(path, **needed, x="1")
            check(row, "an unknown name", status == 400, f"{path}: {status}")
            check(row, "400 is described", "400" in operation["get"]["responses"])
    return row


def long_addresses(harness):
    row = Row("20,000 requests with long addresses")
    with served(harness) as server:
        for length, wanted in ((60_000, (414, 431, 400, 0)), (7_900, (400,))):
            before = server.memory()
            for number in range(20):
                got = server.status(get(f"/reports/funnel?x{number}=" + "y" * length))
                check(row, "refused", got in wanted, f"{length}: {got}")
            with server.connect() as connection:
                for number in range(20_000 if length < 8_000 else 0):
                    connection.sendall(get(f"/reports/funnel?x{number}=" + "y" * length).encode())
                    left = None
                    while left != 0:
                        part = connection.recv(1 << 16)
                        if left is None:
                            answer, _, part = part.partition(b"\r\n\r\n")
                            left = int(re.search(rb"(?i)content-length: (\d+)", answer)[1])
                        left -= len(part)
            grown = server.memory() - before
            check(row, "little memory", grown < 400 << 20, f"{length}: {grown >> 20} MiB more")
    return row
