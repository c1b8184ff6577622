#!/usr/bin/env python3
"""The Python wheel as a user meets it: installed into fresh environments, used, and removed.

    python3 wheel.py --wheels out [--chroot FOLDER]

With --chroot FOLDER, the wheel is also installed and used in that Debian chroot, which needs Python, its venv and /proc (as root).
Says what it cannot try; anything that is wrong ends it with status 1.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FAILURES = []


def expect(condition, what):
    if not condition:
        FAILURES.append(what)
        print(f"wrong: {what}", flush=True)


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}: {done.stderr.strip()}\n{done.stdout[-500:]}")
    return done.stdout


# In a folder with spaces, with neither pandas nor the project's folder in reach.
PLAIN = """
import importlib.util, subprocess, tollgate
assert tollgate.__version__ == subprocess.run([tollgate.PROGRAM, "--version"], capture_output=True, text=True).stdout.strip()
db = tollgate.open("my store.db")
said = db.ingest("events")
assert "events" in said, said
rows = db.report("funnel", by="variant", as_="list")
assert rows and isinstance(rows[0]["users"], int), rows[:1]
assert importlib.util.find_spec("pandas") or rows == db.report("funnel", by="variant")
payments = db.view("payments", where="price > 0", as_="list")
assert payments and payments[0]["paid_at"].tzinfo is not None, payments[:1]
assert db.sql("SELECT COUNT(*) AS n FROM events", as_="list")[0]["n"] > 1000
assert "rows" in db.json("trials", by="plan", timezone="Europe/Berlin")
for call in (lambda: db.report("funnel", by="colour"), lambda: db.report("funnel", no_such_option=1)):
    try:
        call()
    except tollgate.Error as error:
        assert error.status != 0 and str(error), error
    else:
        raise SystemExit("a wrong option is no error")
print(sum(row["users"] for row in rows))
"""

FRAMES = """
import tollgate, pandas
db = tollgate.open("my store.db")
frame = db.report("funnel", by="variant")
assert isinstance(frame, pandas.DataFrame) and frame["users"].dtype == "int64" and frame["paid_rate"].dtype == "float64", frame.dtypes
try:
    db.view("trails")
    raise AssertionError("a view that does not exist is read")
except ValueError as error:
    assert "did you mean trials?" in str(error), error
view = db.view("payments")
assert str(view["paid_at"].dtype).endswith("UTC]"), view.dtypes
print(frame["users"].sum())
"""

ARROW = """
import tollgate
table = tollgate.open("my store.db").view("payments", as_="arrow")
assert table.schema.field("price").type is not None and table.num_rows > 0
print(table.num_rows)
"""


def use(folder, wheels, extra, scripts):
    """Makes an environment, installs the wheel, runs the scripts; returns what each printed."""
    environment = folder / f"venv {extra or 'plain'}"
    run(sys.executable, "-m", "venv", environment)
    pip = [environment / "bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet"]
    if extra:
        run(*pip, "install", extra)
    before = set(run(*pip, "freeze").split())
    run(*pip, "install", "--no-index", "--find-links", wheels, "tollgate")
    expect(len(set(run(*pip, "freeze").split()) - before) == 1, "the wheel brings other packages along")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TOLLGATE"))}
    said = [run(environment / "bin/python", "-c", script, cwd=folder, env=variables).strip() for script in scripts]
    version = run(environment / "bin/tollgate", "--version", env=variables).strip()
    expect(version and version in next(wheels.glob("tollgate-*.whl")).name, f"the command says version {version}")
    wrong = subprocess.run([environment / "bin/tollgate", "funnel", "--no-such-option"], capture_output=True, env=variables)
    expect(wrong.returncode != 0 and wrong.stderr, "a wrong option of the command is no error")
    run(*pip, "uninstall", "--yes", "tollgate")
    left = [path for path in environment.rglob("*tollgate*") if path.name != "__pycache__"]
    expect(not left, f"uninstall leaves {left}")
    return said


def in_chroot(root, wheels, folder):
    """Installs and uses the wheel in a Debian that has neither Swift nor the libraries' packages."""
    work = root / "tmp/wheel"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(wheels, work / "wheels", ignore=lambda _, names: [name for name in names if not name.endswith(".whl")])
    shutil.copytree(folder / "events", work / "events")
    (work / "plain.py").write_text(PLAIN)
    said = run("chroot", root, "/bin/sh", "-ec", """
        cd /tmp/wheel
        python3 -m venv --without-pip venv 2>/dev/null || python3 -m venv venv
        [ -x venv/bin/pip ] || python3 -m venv --upgrade --upgrade-deps venv >/dev/null 2>&1 || true
        if [ -x venv/bin/pip ]; then venv/bin/pip install --quiet --no-index --find-links wheels tollgate
        else python3 -m zipfile -e wheels/*.whl venv/lib/python3*/site-packages
          chmod +x venv/lib/python3*/site-packages/tollgate/bin/tollgate; fi
        venv/bin/python plain.py
        venv/bin/python -m tollgate --version
        . /etc/os-release; echo "$PRETTY_NAME"
    """).split("\n")
    shutil.rmtree(work)
    print(f"chroot: {' · '.join(line for line in said if line)}")
    return said[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheels", type=Path, default=ROOT / "out")
    parser.add_argument("--chroot", type=Path, action="append", default=[])
    given = parser.parse_args()
    wheels = given.wheels.resolve()
    wheel = next(wheels.glob("tollgate-*.whl"))
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "a folder with spaces"
        folder.mkdir()
        content = Path(work) / "content"
        run(sys.executable, "-m", "zipfile", "-e", wheel, content)
        for path in content.rglob("*"):
            if path.is_file() and path.suffix in (".py", ".json", "") and str(ROOT).encode() in path.read_bytes():
                expect(False, f"{path.name} has the folder that it was built in")
        program = content / "tollgate/bin/tollgate"
        program.chmod(0o755)
        shutil.copytree(ROOT / "SampleData/events", folder / "events")
        (said,) = use(folder, wheels, None, [PLAIN])
        if os.geteuid() == 0 and shutil.which("runuser"):
            os.chmod(work, 0o755)
            for path in content.rglob("*"):
                path.chmod(0o755 if path.is_dir() or path == program else 0o644)
            content.chmod(0o755)
            run("runuser", "-u", "nobody", "--", program, "--version", cwd="/")
        else:
            print("skipped: another user, as this one is not root")
        for extra, scripts in (("pandas", [PLAIN, FRAMES]), ("pyarrow", [ARROW])):
            found = use(folder, wheels, extra, scripts)
            expect(extra != "pandas" or found[1] == said, f"with pandas the funnel has {found} users, without {said}")
        for root in given.chroot:
            expect(in_chroot(root.resolve(), wheels, folder) == said, f"{root}: another number of users")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {said} users in the funnel of the sample")
    sys.exit(1 if FAILURES else 0)


if __name__ == "__main__":
    main()
