"""Faults of every kind against the real program; the table of what was tried is RESULTS.md.

    python3 Tests/Acceptance/Faults/faults.py --program .build/release/tollgate
    python3 Tests/Acceptance/Faults/faults.py --program .build/release/tollgate --kills 500 --disk-full 50 --damage 200 \\
        --files 100000 --write

In each case nothing is lost and nothing is there twice, the message says what and where, and the status is that of the
documentation; else the case counts as wrong, and the run ends with 1.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import damage
import inputs
import kills
import others
import reads
import results
from harness import Harness, Row


def disk_full(harness, points):
    if subprocess.run(["unshare", "--mount", "mount", "--make-rprivate", "/"], capture_output=True).returncode != 0:
        row = Row("disk full")
        row.skipped = "no right to mount"
        return [row]
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "disk.py")
    done = subprocess.run(["unshare", "--mount", sys.executable, script, "--program", harness.program, "--points",
                           str(points)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"disk.py: {done.stderr}")
    rows = []
    for fields in json.loads(done.stdout):
        row = Row(fields["fault"])
        vars(row).update(fields)
        rows.append(row)
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--kills", type=int, default=30, help="kill -9 at so many instants, of all commands together")
    parser.add_argument("--commands", nargs="*", default=[], help="kill only these, such as ingest")
    parser.add_argument("--persons", type=int, default=6000, help="of the sample that the kills are tried on")
    parser.add_argument("--disk-full", type=int, default=6, help="a full disk at so many points")
    parser.add_argument("--damage", type=int, default=20, help="so many flipped bits, and torn pages")
    parser.add_argument("--reads", type=int, default=26, help="reports of stores with so many damages, of all kinds together")
    parser.add_argument("--files", type=int, default=5000, help="so many small files")
    parser.add_argument("--only", choices=["kills", "disk", "damage", "reads", "others", "inputs"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="put what was tried into RESULTS.md, after each part")
    arguments = parser.parse_args()
    parts = {
        "kills": lambda harness: kills.all_kills(
            harness, arguments.kills, arguments.commands, arguments.persons),
        "disk": lambda harness: disk_full(harness, arguments.disk_full),
        "damage": lambda harness: damage.all_damage(harness, arguments.damage),
        "reads": lambda harness: reads.all_reads(harness, arguments.reads),
        "others": others.all_others,
        "inputs": lambda harness: inputs.all_inputs(harness, arguments.files),
    }
    rows = []
    started = time.monotonic()
    for name, part in parts.items():
        if arguments.only not in (None, name):
            continue
        folder = tempfile.mkdtemp(prefix="tollgate-faults-")
        try:
            for row in part(Harness(arguments.program, folder, arguments.seed)):
                print("  ".join(row.cells()), flush=True)
                for wrong in row.wrong:
                    print(f"  wrong: {wrong}", file=sys.stderr, flush=True)
                rows.append(row)
        finally:
            shutil.rmtree(folder)
        if arguments.write:
            results.write(rows)
    wrong = sum(len(row.wrong) for row in rows)
    tried = sum(row.tried for row in rows)
    print(f"{tried} faults tried in {time.monotonic() - started:.0f} s, {wrong} wrong")
    if arguments.write and arguments.only is None:
        results.write(rows, whole=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
