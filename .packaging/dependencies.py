#!/usr/bin/env python3
"""Says what the program is made of: a bill of materials (CycloneDX 1.6), Debian's copyright file and the NOTICE of all.

The packages are those of Package.resolved; their licences are read from the checkouts, and one that is not known here
ends the program with an error. The system's libraries and the Swift runtime are those that the program was linked with.
"""

import argparse
import json
import re
import subprocess
import sys
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXCEPTION = "Runtime Library Exception"

# Debian's names and texts of what the packages are under.
DEBIAN = {
    "Apache-2.0": ("Apache-2.0", None),
    "Apache-2.0 WITH Swift-exception": ("Apache-2.0 with Swift exception", EXCEPTION),
    "MIT": ("Expat", "Permission is hereby granted"),
    "BSD-3-Clause": ("BSD-3-clause", "Redistribution and use in source"),
}

# Sources of others inside the packages: folder, name, licence, file with its text, and whose it is where no file says so.
VENDORED = [
    ("swift-crypto/Sources/CCryptoBoringSSL", "boringssl", "Apache-2.0", "crypto/crypto.cc", None),
    ("swift-nio-ssl/Sources/CNIOBoringSSL", "boringssl", "Apache-2.0", "crypto/crypto.cc", None),
    ("swift-nio/Sources/CNIOLLHTTP", "llhttp", "MIT", "LICENSE", None),
    ("swift-nio/Sources/CNIOSHA1", "sha1", "BSD-3-Clause", "c_nio_sha1.c", None),
    ("Yams/Sources/CYaml", "libyaml", "MIT", "../../LICENSE", ["2017-2020 Ingy döt Net", "2006-2016 Kirill Simonov"]),
]


class Failure(Exception):
    pass


def licence(text, where):
    """The SPDX expression of a licence's text."""
    if "Apache License" in text and "Version 2.0, January 2004" in text:
        return "Apache-2.0 WITH Swift-exception" if EXCEPTION in text else "Apache-2.0"
    if "Permission is hereby granted, free of charge" in text:
        return "MIT"
    raise Failure(f"{where}: a licence that is not known; add it to {Path(__file__).name}")


def one_of(folder, pattern):
    return sorted(path for path in folder.glob(pattern) if path.is_file())


def copyrights(folder, *files):
    """Whose it is, by the licence, the notice and the heads of its sources."""
    found = []
    for path in files:
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()[:400]:
            match = re.match(r"[\s/*#]*Copyright (?:\([cC]\) |© )?(.*\d{4}.*)", line)
            if match and match[1].strip() not in found:
                found.append(match[1].strip())
    if found:
        return found
    for path in one_of(folder, "Sources/**/*.swift")[:50]:
        head = path.read_text(encoding="utf-8", errors="replace")[:2000]
        if match := re.search(r"Copyright \(c\) (\d{4}.*)", head):
            return [match[1].strip()]
    return [f"the {folder.name} authors"]


class Part:
    """One of the things that the program is made of."""

    def __init__(self, name, version, licence, holders, purl, *, text=None, notice=None, properties=(), url=None, revision=None):
        self.name, self.version, self.licence, self.holders, self.purl = name, version, licence, holders, purl
        self.text, self.notice, self.properties, self.url, self.revision = text, notice, properties, url, revision

    @property
    def component(self):
        component = {"type": "library", "bom-ref": self.purl, "name": self.name}
        if self.version:
            component["version"] = self.version
        if self.licence:
            # An expression, as licences with an exception have no id.
            component["licenses"] = [{"expression": self.licence}]
        if self.holders:
            component["copyright"] = "; ".join(self.holders)
        component["purl"] = self.purl
        if self.url:
            reference = {"type": "vcs", "url": self.url}
            if self.revision:
                reference["comment"] = f"revision {self.revision}"
            component["externalReferences"] = [reference]
        if self.properties:
            component["properties"] = [{"name": f"tollgate:{name}", "value": value} for name, value in self.properties]
        return component


def packages(resolved, checkouts):
    pins = json.loads(resolved.read_text(encoding="utf-8"))["pins"]
    folders = {path.name.lower(): path for path in checkouts.iterdir()}
    parts = []
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        identity, url, state = pin["identity"], pin["location"].removesuffix(".git"), pin["state"]
        folder = folders.get(identity)
        if folder is None:
            raise Failure(f"{checkouts}: has no {identity}; run `swift package resolve`")
        texts = one_of(folder, "LICENSE*") + one_of(folder, "LICENCE*")
        if not texts:
            raise Failure(f"{folder}: has no licence")
        notices = one_of(folder, "NOTICE*")
        version = state.get("version") or state["revision"]
        place = url.split("://", 1)[-1]
        text = texts[0].read_text(encoding="utf-8")
        parts.append(Part(
            folder.name, version, licence(text, texts[0]), copyrights(folder, *texts, *notices, folder / "Package.swift"),
            f"pkg:swift/{place}@{version}", text=text, url=url, revision=state["revision"],
            notice="\n".join(path.read_text(encoding="utf-8").strip("\n") for path in notices) or None))
        for inner, name, spdx, file, holders in VENDORED:
            if not inner.startswith(f"{folder.name}/"):
                continue
            source = checkouts / inner / file
            if not source.exists():
                raise Failure(f"{source}: is not there; correct the list of what packages contain")
            text = source.read_text(encoding="utf-8", errors="replace")
            parts.append(Part(
                name, None, spdx, holders or copyrights(folder, source), f"pkg:generic/{name}?in={folder.name}", text=text,
                properties=[("inside", f"{folder.name} {version}")]))
    return parts


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def runtime():
    """Swift's standard library, Foundation with ICU, and Dispatch, which are linked into the program."""
    version = re.search(r"Swift version (\S+)", output("swift", "--version"))
    compiler = Path(output("sh", "-c", "command -v swiftc").strip()).resolve()
    text = (compiler.parent.parent / "share/swift/LICENSE.txt").read_text(encoding="utf-8")
    return Part(
        "swift-runtime", version[1], licence(text, "Swift"), ["Apple Inc. and the Swift project authors"],
        f"pkg:generic/swift-runtime@{version[1]}", text=text, properties=[("linking", "static")])


def libraries(program):
    """The system's libraries, by the Debian packages that they come from; none where they come from no package."""
    parts = {}
    for line in output("ldd", str(program)).splitlines():
        match = re.search(r"=> (/\S+)", line)
        if not match:
            continue
        # Where /lib is a link to /usr/lib, the package may name either.
        for path in (match[1], f"/usr{match[1]}", str(Path(match[1]).resolve())):
            found = subprocess.run(["dpkg-query", "-S", path], capture_output=True, text=True)
            if found.returncode == 0:
                break
        else:
            continue
        name = found.stdout.split(":", 1)[0]
        version, source, architecture = output(
            "dpkg-query", "-W", "-f", "${Version}\t${source:Package}\t${Architecture}", f"{name}").split("\t")
        parts[name] = Part(
            name, version, None, None, f"pkg:deb/debian/{name}@{version}?arch={architecture}",
            properties=[("linking", "dynamic"), ("source", source)])
    return [parts[name] for name in sorted(parts)]


def graph(package, seen):
    """Which package needs which, by identity, from `swift package show-dependencies --format json`."""
    seen[package["identity"]] = sorted(each["identity"] for each in package["dependencies"])
    for each in package["dependencies"]:
        if each["identity"] not in seen:
            graph(each, seen)
    return seen


def bill(version, parts, needs, epoch):
    root = f"pkg:generic/tollgate@{version}"
    refs = {part.purl.rsplit("/", 1)[-1].split("@")[0].lower(): part.purl for part in parts if part.url}
    dependencies = []
    for identity, others in sorted(needs.items()):
        ref = refs.get(identity, root)
        below = [refs[other] for other in others]
        if ref == root:
            below += [part.purl for part in parts if not part.url and not part.purl.startswith("pkg:generic/") or
                      part.name == "swift-runtime"]
        below += [part.purl for part in parts if part.purl.lower().endswith(f"?in={identity}")]
        dependencies.append({"ref": ref, "dependsOn": sorted(below)})
    inner = {ref for each in dependencies for ref in each["dependsOn"]} - {each["ref"] for each in dependencies}
    dependencies += [{"ref": ref, "dependsOn": []} for ref in sorted(inner)]
    content = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
            "component": {
                "type": "application", "bom-ref": root, "name": "tollgate", "version": version, "purl": root,
                "licenses": [{"expression": "Apache-2.0"}],
            },
        },
        "components": [part.component for part in parts],
        "dependencies": dependencies,
    }
    # The same content has the same number.
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content, sort_keys=True))
    return {**content, "serialNumber": f"urn:uuid:{number}"}


def indented(text):
    return "".join(f" {line.rstrip() or '.'}\n" for line in text.strip().splitlines())


def debian_copyright(parts):
    lines = ["Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/", "Upstream-Name: tollgate",
             "Comment: Besides the sources of tollgate, the program contains those of the other stanzas.", "",
             "Files: *", "Copyright: the tollgate authors", "License: Apache-2.0"]
    texts = {"Apache-2.0": ""}
    for part in parts:
        if not part.licence:
            continue
        name, start = DEBIAN[part.licence]
        if name in ("Expat", "BSD-3-clause"):
            # Their texts differ in the names, so each part has its own.
            name = f"{name}-{part.name}"
        lines += ["", f"Files: {part.name}/*", "Copyright: " + "\n ".join(part.holders), f"License: {name}"]
        if start is None or name in texts:
            continue
        text = part.text[part.text.index(start):]
        texts[name] = re.sub(r"^\s*\* ?|\*/.*", "", text.split("*/")[0], flags=re.M) if name.startswith("BSD") else text
    for name, text in sorted(texts.items()):
        common = "On Debian systems the licence is in /usr/share/common-licenses/Apache-2.0.\n"
        lines += ["", f"License: {name}",
                  indented((common + "\n" + text) if name.startswith("Apache") else text).rstrip("\n")]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path, help="gets tollgate.cdx.json, copyright and NOTICE")
    parser.add_argument("--epoch", type=int, default=0, help="the bill's date, in seconds since 1970")
    parser.add_argument("--resolved", type=Path, default=ROOT / "Package.resolved")
    parser.add_argument("--checkouts", type=Path, default=ROOT / ".build/checkouts")
    arguments = parser.parse_args()
    version = output(str(arguments.program.resolve()), "--version").strip()
    needs = graph(json.loads(output(
        "swift", "package", "--package-path", str(ROOT), "show-dependencies", "--format", "json")), {})
    parts = packages(arguments.resolved, arguments.checkouts)
    parts += [runtime(), *libraries(arguments.program.resolve())]
    arguments.folder.mkdir(parents=True, exist_ok=True)

    def write(name, text):
        (arguments.folder / name).write_text(text, encoding="utf-8")

    write("tollgate.cdx.json", json.dumps(bill(version, parts, needs, arguments.epoch), indent=2) + "\n")
    write("copyright", debian_copyright(parts))
    write("NOTICE", "\n\n".join(f"== {part.name} {part.version} ==\n\n{part.notice}" for part in parts if part.notice) + "\n")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"dependencies.py: {failure}")
