"""Times this program beside the ones a user would pick instead, on the same data in the same run: `make bench`.

    python bench.py [--only ingest,reports,...] [--size 1.1M,5.6M] [--data plain,sample] [--pairs 5] [--large]

Figures go to out/bench/figures-*.json and, unless --no-record, to RESULTS.md beside this file.
"""

import argparse
import fcntl
import json
import subprocess
import sys
import time
from pathlib import Path

from harness import datasets, machine, record
from harness.setting import Setting
from parts import PARTS

HERE = Path(__file__).resolve().parent


def names(text):
    return [name for name in text.split(",") if name]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=names, default=list(PARTS), help=f"of {','.join(PARTS)}")
    parser.add_argument("--size", type=names, default=["1.1M", "5.6M"], help=f"of {','.join(datasets.SIZES)}")
    parser.add_argument("--data", type=names, default=["plain", "sample"], help="of plain,sample (ingest)")
    parser.add_argument("--pairs", type=int, default=5, help="rounds of ingest and of queries")
    parser.add_argument("--runs", type=int, default=20, help="runs of each report")
    parser.add_argument("--questions", type=names, default=["standard", "other", "fold"], help="kinds of reports")
    parser.add_argument("--limit", type=float, default=900, help="seconds after which a process is ended")
    parser.add_argument("--large", action="store_true", help="56 M events in the growth rows, 22 GB of disk")
    parser.add_argument("--large-duckdb", action="store_true", help="DuckDB there, too")
    parser.add_argument("--program", type=Path, default=Path(".build/release/tollgate"))
    parser.add_argument("--statistics-python", type=Path, default=Path(".venv/statistics/bin/python"))
    parser.add_argument("--work", type=Path, default=Path("out/bench"))
    parser.add_argument("--results", type=Path, default=HERE / "RESULTS.md")
    parser.add_argument("--no-record", action="store_true", help="print, and leave RESULTS.md as it is")
    given = parser.parse_args()
    for chosen, known in ((given.only, PARTS), (given.size, datasets.SIZES), (given.data, ("plain", "sample")),
                          (given.questions, ("standard", "other", "fold"))):
        unknown = [name for name in chosen if name not in known]
        if unknown:
            parser.error(f"{', '.join(unknown)} is none of {', '.join(known)}")
    if not given.results.exists():
        parser.error(f"{given.results} is not there")
    return given


def main():
    given = arguments()
    setting = Setting(given.program.resolve(), sys.executable, given.work.resolve(), given.size, given.data,
                      given.pairs, given.runs, given.questions, given.limit, given.large, given.large_duckdb,
                      given.statistics_python.absolute())
    setting.work.mkdir(parents=True, exist_ok=True)
    lock = open(setting.work / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit(f"another benchmark works in {setting.work}") from None
    figures = {"machine": machine.describe(setting), "command": command(sys.argv[1:]), "parts": {}}
    path = setting.work / f"figures-{time.strftime('%Y%m%d-%H%M%S')}.json"
    for name in given.only:
        print(f"{name} ...", file=sys.stderr, flush=True)
        figures["parts"][name] = PARTS[name].measure(setting)
        path.write_text(json.dumps(figures, indent=1))
    print(record.sections(figures))
    if not given.no_record:
        record.into(given.results, figures)
        subprocess.run([sys.executable, HERE / "picture.py", newest(setting.work / "latest.json", figures),
                        given.results.with_name("cost.svg")], check=True)
    print(f"figures: {path}", file=sys.stderr)


def command(given):
    """The command line without the paths of this machine."""
    kept = [word for word, before in zip(given, [None, *given])
            if not {word, before} & {"--program", "--statistics-python", "--work", "--results", "--no-record"}]
    return "make bench" + (f' BENCH="{" ".join(kept)}"' if kept else "")


def newest(path, figures):
    """Puts the figures over those of earlier runs in the file at `path`, part by part; the path."""
    known = json.loads(path.read_text()) if path.exists() else {"parts": {}}
    path.write_text(json.dumps({"parts": known["parts"] | figures["parts"]}))
    return path


if __name__ == "__main__":
    main()
