#!/usr/bin/env python3
"""Makes a Python wheel of the program that is built, with the package of Notebooks/tollgate: wheel.py PROGRAM FOLDER

Called by `make wheel`. The system's libraries that a manylinux system need not have (SQLite and zstd) are taken along by
auditwheel. The same program and commit give the same bytes.
"""

import argparse
import base64
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLATFORM = "manylinux_2_35_x86_64"

METADATA = """\
Metadata-Version: 2.4
Name: tollgate
Version: {version}
Summary: Subscription analytics and paywall experiments, offline
License-Expression: {licence}
License-File: LICENSE
Requires-Python: >=3.9
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
Provides-Extra: arrow
Requires-Dist: pyarrow; extra == "arrow"
Provides-Extra: duckdb
Requires-Dist: duckdb; extra == "duckdb"
Requires-Dist: pandas; extra == "duckdb"
Description-Content-Type: text/markdown

"""

WHEEL = """\
Wheel-Version: 1.0
Generator: tollgate
Root-Is-Purelib: false
Tag: py3-none-linux_x86_64
"""

ENTRY_POINTS = """\
[console_scripts]
tollgate = tollgate._program:main
"""


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def pack(files, path, epoch):
    """Writes a wheel: path in it, content and mode of each file; the record comes last."""
    info = next(name for name in files if name.endswith("/WHEEL")).rsplit("/", 1)[0]
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}\n"
        for name, (content, _) in files.items())
    files = {**files, f"{info}/RECORD": ((record + f"{info}/RECORD,,\n").encode(), 0o644)}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (content, mode) in files.items():
            entry = zipfile.ZipInfo(name, time.gmtime(max(epoch, 315_532_800))[:6])
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--epoch", type=int, default=int(os.environ.get("SOURCE_DATE_EPOCH", 0)))
    parser.add_argument("--strip", default="strip --strip-all", help="the command that strips the program")
    given = parser.parse_args()
    version = run(given.program, "--version").strip()
    given.folder.mkdir(parents=True, exist_ok=True)
    for old in given.folder.glob("tollgate-*.whl"):
        old.unlink()
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        program = work / "tollgate"
        shutil.copy(given.program, program)
        run(*shlex.split(given.strip), program)
        run(sys.executable, ROOT / ".packaging/dependencies.py", given.program, work / "bill", "--epoch", given.epoch)
        licence = "Apache-2.0" if "Apache License" in (ROOT / "LICENSE").read_text() else "MIT"
        info = f"tollgate-{version}.dist-info"
        files = {
            f"tollgate/{path.name}": (path.read_bytes(), 0o644)
            for path in sorted((ROOT / "Notebooks/tollgate").glob("*.py"))
        }
        files["tollgate/bin/tollgate"] = (program.read_bytes(), 0o755)
        metadata = METADATA.format(version=version, licence=licence) + (ROOT / "Notebooks/tollgate/README.md").read_text()
        files[f"{info}/METADATA"] = (metadata.encode(), 0o644)
        files[f"{info}/WHEEL"] = (WHEEL.encode(), 0o644)
        files[f"{info}/entry_points.txt"] = (ENTRY_POINTS.encode(), 0o644)
        files[f"{info}/licenses/LICENSE"] = ((ROOT / "LICENSE").read_bytes(), 0o644)
        files[f"{info}/licenses/NOTICE"] = ((work / "bill/NOTICE").read_bytes(), 0o644)
        files[f"{info}/sboms/tollgate.cdx.json"] = ((work / "bill/tollgate.cdx.json").read_bytes(), 0o644)
        plain = work / f"tollgate-{version}-py3-none-linux_x86_64.whl"
        pack(files, plain, given.epoch)
        tools = Path(sys.executable).parent
        variables = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "SOURCE_DATE_EPOCH": str(given.epoch)}
        run(tools / "auditwheel", "repair", "--plat", PLATFORM, "--only-plat", "--wheel-dir", work / "repaired", plain,
            env=variables)
        repaired = next((work / "repaired").glob("*.whl"))
        shutil.move(repaired, given.folder / repaired.name)
    print(given.folder / repaired.name)


if __name__ == "__main__":
    main()
