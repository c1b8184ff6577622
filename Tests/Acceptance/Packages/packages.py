#!/usr/bin/env python3
"""What a user gets: `make install` into an empty folder, and the Debian package in a clean chroot.

Says what it cannot try on this machine; anything that is wrong ends it with status 1.
"""

import argparse
import functools
import gzip
import hashlib
import json
import os
import re
import shutil
import stat
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


def skip(what):
    print(f"skipped: {what}", flush=True)


@functools.cache
def has(tool):
    """Whether a tool is here; says once that it is not."""
    found = shutil.which(tool) is not None
    if not found:
        skip(f"{tool} is not installed")
    return found


def run(*command, **options):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(str(each) for each in command)}: status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def modes(folder):
    """Path and mode of everything below a folder."""
    return {
        str(path.relative_to(folder)): stat.S_IMODE(path.lstat().st_mode) for path in sorted(folder.rglob("*"))
    }


def commands(dump, path=()):
    for command in dump.get("subcommands", []):
        if command["commandName"] != "help":
            yield (*path, command["commandName"]), command
            yield from commands(command, (*path, command["commandName"]))


def check_manual(program, folder):
    """Every command and option is in the pages, and groff and mandoc have nothing to say about them."""
    dump = json.loads(run(program, "--experimental-dump-help"))["command"]
    pages = {path.name.removesuffix(".1"): path.read_text(encoding="utf-8") for path in folder.glob("tollgate*.1")}
    tops = [path[0] for path, _ in commands(dump) if len(path) == 1]
    expect(set(pages) == {"tollgate", *(f"tollgate-{name}" for name in tops)}, f"pages are {sorted(pages)}")
    for path, command in commands(dump):
        text = pages.get(f"tollgate-{path[0]}", "").replace(r"\-", "-")
        expect(" ".join(("tollgate", *path)) in text, f"no {' '.join(path)} in the manual")
        for argument in command["arguments"]:
            for name in argument.get("names", []):
                if name["kind"] == "long":
                    expect(f"--{name['name']}" in text, f"no --{name['name']} of {' '.join(path)} in the manual")
    for number in "012345":
        expect(f".TP\n.B {number}\n" in pages["tollgate"], f"no exit status {number} in tollgate(1)")
    for path in sorted(folder.glob("tollgate*.1")):
        if has("groff"):
            said = subprocess.run(["groff", "-ww", "-man", "-Tutf8", "-Kutf8", "-z", path], capture_output=True, text=True)
            expect(not said.stderr, f"groff: {said.stderr}")
        if has("mandoc"):
            said = subprocess.run(["mandoc", "-Tlint", "-Wwarning", path], capture_output=True, text=True)
            expect(not said.stdout, f"mandoc: {said.stdout}")
    print(f"manual: {len(pages)} pages of {len(list(commands(dump)))} commands")


def check_install(program, folder):
    """Under the strictest umask, as an administrator may have it."""
    install = ["make", "--silent", "--no-print-directory", f"TOLLGATE={program}", f"DESTDIR={folder}", "PREFIX=/usr"]
    run("sh", "-c", 'umask 077; exec "$@"', "sh", *install, "install", cwd=ROOT)
    found = modes(folder)
    for path, mode in found.items():
        wanted = 0o755 if (folder / path).is_dir() or path == "usr/bin/tollgate" else 0o644
        expect(mode == wanted, f"{path} has mode {mode:o}, not {wanted:o}")
    for path in (
        "usr/share/bash-completion/completions/tollgate", "usr/share/zsh/site-functions/_tollgate",
        "usr/share/fish/vendor_completions.d/tollgate.fish", "usr/share/doc/tollgate/LICENSE",
    ):
        expect((folder / path).stat().st_size > 1000, f"{path} is all but empty")
    expect(run(folder / "usr/bin/tollgate", "--version") == run(program, "--version"), "another version is installed")
    check_manual(program, folder / "usr/share/man/man1")
    for shell, path in (("zsh", "usr/share/zsh/site-functions/_tollgate"),
                        ("fish", "usr/share/fish/vendor_completions.d/tollgate.fish"),
                        ("bash", "usr/share/bash-completion/completions/tollgate")):
        if has(shell):
            said = subprocess.run([shell, "-n", folder / path], capture_output=True, text=True)
            expect(said.returncode == 0 and not said.stderr, f"{shell} -n: {said.stderr}")
    run(*install, "uninstall", cwd=ROOT)
    left = [path for path in modes(folder) if not (folder / path).is_dir()]
    expect(not left, f"uninstall leaves {left}")
    print(f"install: {len(found)} files and folders; uninstall leaves none")


def check_bill(text, notice):
    bill = json.loads(text)
    expect((bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6"), "the bill is no CycloneDX 1.6")
    pins = json.loads((ROOT / "Package.resolved").read_text())["pins"]
    components = {each["bom-ref"]: each for each in bill["components"]}
    expect(len(components) == len(bill["components"]), "two components have one reference")
    for pin in pins:
        found = [each for each in components.values() if each["purl"].startswith("pkg:swift/")
                 and each["name"].lower() == pin["identity"] and each["version"] == pin["state"]["version"]
                 and pin["state"]["revision"] in each["externalReferences"][0]["comment"]]
        expect(len(found) == 1 and found[0]["licenses"], f"{pin['identity']} is not in the bill once, with a licence")
    root = bill["metadata"]["component"]["bom-ref"]
    reached, ways = set(), {each["ref"]: each["dependsOn"] for each in bill["dependencies"]}
    waiting = [root]
    while waiting:
        reference = waiting.pop()
        if reference not in reached:
            reached.add(reference)
            waiting += ways[reference]
    expect(reached == {root, *components}, f"nothing needs {sorted(set(components) - reached)}")
    for name in ("SwiftNIO", "Hummingbird", "SwiftCrypto"):
        expect(name in notice, f"no notice of {name}")
    print(f"bill of materials: {len(components)} components, {len(pins)} of Package.resolved")


def make_package(program, folder):
    said = run("make", "--silent", "--no-print-directory", f"TOLLGATE={program}", f"OUT={folder}", "deb", cwd=ROOT)
    return Path(said.strip().splitlines()[-1])


def check_package(program, folder):
    """Twice, under other umasks and in other folders: the same bytes."""
    package = make_package(program, folder / "1")
    mask = os.umask(0o077)
    again = make_package(program, folder / "2")
    os.umask(mask)
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (package, again)]
    expect(digests[0] == digests[1], f"two packages of one program differ: {digests}")
    fields = dict(re.findall(r"^ ?([A-Z][\w-]+): (.*)$", run("dpkg-deb", "--info", package), flags=re.M))
    version = run(program, "--version").strip()
    expect(fields["Version"] == f"{version}-1", f"the package's version is {fields['Version']}")
    for name in ("libc6", "libsqlite3-0", "libzstd1", "zlib1g", "tzdata"):
        expect(name in fields["Depends"], f"the package does not depend on {name}: {fields['Depends']}")
    expect("swift" not in fields["Depends"].lower(), "the package needs a Swift that Debian does not have")
    content = folder / "content"
    run("dpkg-deb", "--raw-extract", package, content)
    documentation = content / "usr/share/doc/tollgate"
    check_bill((documentation / "tollgate.cdx.json").read_text(), (documentation / "NOTICE").read_text())
    copyright = (documentation / "copyright").read_text()
    for name in ("Gwendal Roué", "Fedor Indutny", "Apache-2.0 with Swift exception", "Expat-libyaml"):
        expect(name in copyright, f"no {name} in the copyright file")
    changelog = gzip.decompress((documentation / "changelog.Debian.gz").read_bytes()).decode()
    expect(changelog.startswith(f"tollgate ({version}-1) "), "the Debian changelog names another version")
    if has("lintian"):
        said = subprocess.run(["lintian", "--tag-display-limit", "0", package], capture_output=True, text=True).stdout
        errors = [line for line in said.splitlines() if line.startswith("E:") and "bogus-mail-host" not in line]
        expect(not errors, "lintian: " + "; ".join(errors))
    print(f"package: {package.name}, {package.stat().st_size / 1e6:.1f} MB, {digests[0][:16]}; depends on {fields['Depends']}")
    return package


SOURCES = ("/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list")

# In the chroot, where nothing but the package's own dependencies is installed.
TRY = """
set -e
cd /tmp
umask 000
tollgate sample --seed 7 --persons 300 --days 60 --output events > /dev/null
tollgate ingest --store chroot.db events > /dev/null
for report in funnel trials savings cancellations revenue retention; do
  tollgate $report --store chroot.db --format csv --timezone America/New_York --output $report.csv
done
tollgate health --store chroot.db > /dev/null
stat --format '%a %n' chroot.db funnel.csv
zcat /usr/share/man/man1/tollgate-funnel.1.gz | grep --count -- timezone
dpkg --verify tollgate
"""


def make_chroot(folder, depends):
    """A chroot of the essential packages and those named; says why not, where there is none."""
    release = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    suite = release.get("VERSION_CODENAME", "").strip('"')
    source = next((path for path in SOURCES if Path(path).exists() and "debian" in Path(path).read_text()), None)
    if os.geteuid() != 0:
        return "the chroot needs root"
    if not shutil.which("mmdebstrap"):
        return "the chroot needs mmdebstrap: apt-get install mmdebstrap"
    if release.get("ID") != "debian" or not source:
        return "the chroot needs a Debian with its own package sources"
    said = subprocess.run(
        ["mmdebstrap", "--quiet", "--mode=root", "--variant=essential", f"--include={','.join(depends)}", suite, folder, source],
        capture_output=True, text=True)
    if said.returncode:
        return f"no chroot could be made: {said.stderr.strip().splitlines()[-1] if said.stderr.strip() else said.returncode}"
    return None


def check_chroot(program, package, folder):
    chroot = folder / "chroot"
    # What is not among the dependencies is not there; dpkg says what is missing.
    depends = [each.split()[0] for each in run("dpkg-deb", "--field", package, "Depends").split(",")]
    if reason := make_chroot(chroot, depends):
        return skip(reason)
    # Every machine has it, and the program is told its arguments there.
    mounted = subprocess.run(["mount", "-t", "proc", "proc", chroot / "proc"], capture_output=True, text=True)
    if mounted.returncode:
        return skip(f"the chroot has no /proc: {mounted.stderr.strip()}")
    try:
        try_package(program, package, folder, chroot)
    finally:
        subprocess.run(["umount", chroot / "proc"], check=True)


def try_package(program, package, folder, chroot):
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"}

    def inside(script):
        return run("chroot", chroot, "/bin/sh", "-c", script, env=environment)

    for name in ("swift", "sqlite3", "python3", "tollgate"):
        expect(not any((chroot / path / name).exists() for path in ("usr/bin", "usr/local/bin")), f"{name} is in the chroot")
    shutil.copy(package, chroot / "tmp")
    inside(f"dpkg --install /tmp/{package.name}")
    said = inside(TRY).splitlines()
    expect(said[:2] == ["600 chroot.db", "600 funnel.csv"], f"files of the store's owner are {said[:2]}")
    expect(int(said[2]) > 0 and len(said) == 3, f"manual or dpkg --verify: {said[2:]}")
    # The program that was built, on this machine, says the same.
    store = folder / "here.db"
    run(program, "ingest", "--store", store, chroot / "tmp/events")
    for name in ("funnel", "trials", "savings", "cancellations", "revenue", "retention"):
        here = run(program, name, "--store", store, "--format", "csv", "--timezone", "America/New_York")
        expect(here == (chroot / f"tmp/{name}.csv").read_text() and here.count("\n") > 2, f"{name} differs in the chroot")
    inside("dpkg --purge tollgate")
    left = [str(path) for path in chroot.rglob("*tollgate*") if "/tmp/" not in str(path) and "/proc/" not in str(path)
            and "/var/log/" not in str(path)]
    expect(not left, f"purge leaves {left}")
    print("chroot: installed, six reports the same as here, store and outputs 0600, purged without a rest")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / ".build/release/tollgate")
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    os.umask(0o022)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        check_install(program, folder / "install")
        if shutil.which("dpkg-shlibdeps"):
            check_chroot(program, check_package(program, folder), folder)
        else:
            skip("the package needs dpkg-dev: apt-get install dpkg-dev")
    if FAILURES:
        sys.exit(f"{len(FAILURES)} things are wrong")
    print("everything that was tried is right")


if __name__ == "__main__":
    main()
