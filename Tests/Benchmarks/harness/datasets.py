"""The events that are read: made once, kept under out/bench."""

import hashlib
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
DAYS = 120
SIZES = {"0.1M": 100_000, "1.1M": 1_100_000, "5.6M": 5_600_000, "56M": 56_000_000}


@dataclass
class Dataset:
    """`days` is the folder to read, `night` that of the day after it (plain data only); `bytes` are uncompressed."""

    name: str
    folder: Path
    events: int
    files: int
    bytes: int
    compressed: int

    @property
    def days(self):
        return self.folder / "days"

    @property
    def night(self):
        return self.folder / "night"

    def describe(self):
        return (f"{self.name}: {self.events:,} events in {self.files} zstd files, {self.bytes / 1e6:,.0f} MB "
                f"({self.bytes / self.events:.0f} bytes a line), {self.compressed / 1e6:,.0f} MB compressed")


def count(folder):
    """(events, files, bytes, compressed bytes) of the zstd files of `folder`."""
    paths = sorted(folder.iterdir())
    lines = size = 0
    text = subprocess.Popen(["zstd", "-q", "-dc", *paths], stdout=subprocess.PIPE)
    while block := text.stdout.read(1 << 20):
        lines += block.count(b"\n")
        size += len(block)
    if text.wait() != 0:
        raise SystemExit(f"{folder}: not all files could be read")
    return lines, len(paths), size, sum(path.stat().st_size for path in paths)


def make(kind, size, work, program):
    """The data set `kind` ("plain" or "sample") of `size` ("1.1M", ...), made unless it is there."""
    folder = work / f"{kind}-{size}"
    facts = folder / "facts.json"
    known = json.loads(facts.read_text()) if facts.exists() else {}
    if known.get("maker") != maker(kind):
        print(f"making {folder.name} ...", file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        for store in (work / "stores").glob(f"*-{folder.name}*"):
            shutil.rmtree(store) if store.is_dir() else store.unlink()
        folder.mkdir(parents=True)
        events = SIZES[size]
        if kind == "plain":
            command = [sys.executable, HERE / "generate_events.py", "--events", str(events), "--days", str(DAYS),
                       "--out", folder]
        else:
            command = [program, "sample", "--quiet", "--events", str(events), "--days", str(DAYS), "--output",
                       folder / "days"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        known = {"maker": maker(kind), "counts": count(folder / "days")}
        facts.write_text(json.dumps(known))
    return Dataset(f"{kind}-{size}", folder, *known["counts"])


def maker(kind):
    """What the plain data was made by, so that a changed generator makes it anew; `sample` says "sample"."""
    if kind == "sample":
        return kind
    sources = [HERE / "generate_events.py", *sorted((HERE / "plain").glob("*.py"))]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


def subset(data, lines):
    """A plain NDJSON file of whole days from the middle of `data`, at least `lines` lines; and their number."""
    path, facts = data.folder / "subset.jsonl", data.folder / "subset.json"
    if not facts.exists():
        by_day = {}
        for file in sorted(data.days.iterdir()):
            by_day.setdefault(file.name.split(".")[0][-10:], []).append(file)
        days = sorted(by_day)
        written = 0
        with open(path, "wb") as out:
            for day in days[len(days) // 2:]:
                if written >= lines:
                    break
                for file in by_day[day]:
                    text = subprocess.run(["zstd", "-q", "-dc", file], stdout=subprocess.PIPE, check=True).stdout
                    out.write(text)
                    written += text.count(b"\n")
        facts.write_text(json.dumps(written))
    return path, json.loads(facts.read_text())
