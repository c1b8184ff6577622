#!/usr/bin/env python3
"""Checks every link of the documentation, and builds the articles of all catalogues as one site with docc.

    python3 site.py [--output out/docs]

Links between pages are relative paths, which also work where the repository is browsed; for the site they become
`doc:` links, and links to other files become the path as code. Symbol pages become plain articles. docc takes nothing
but links in the lists of topics, names images without their folder, and spells anchors with the heading's capitals.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
LANDING = "tollgate"


def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def prose(content):
    """The text without fenced blocks and code, in which nothing is a link."""
    content = re.sub(r"^```.*?^```", "", content, flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", "code", content)


def anchors(content):
    """The anchors of a page's headings, as repositories' browsers and docc spell them, in small letters."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", content, flags=re.M):
        plain = re.sub(r"[`*]", "", heading).strip().lower()
        found |= {re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"), re.sub(r"[^\w]+", "-", plain).strip("-")}
    return found


def heading_anchor(path, anchor):
    """The anchor as docc spells it, of the heading of the page that it leads to."""
    headings = re.findall(r"^#+ (.*)$", text(path), flags=re.M)
    plain = next(h for h in headings if anchor.lower() in anchors(f"# {h}"))
    return re.sub(r"[^\w]+", "-", plain).strip("-")


def broken(path):
    """The links of a page that lead nowhere."""
    content = text(path)
    for _, _, target in LINK.findall(prose(content)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        other = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if not os.path.exists(other):
            yield target, "no such file"
        elif anchor and anchor.lower() not in anchors(text(other)):
            yield target, "no such heading"


def rewritten(path, articles):
    """The page as an article of the site."""
    lines, fenced, topics = [], False, False
    for line in text(path).split("\n"):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced:
            topics = topics or line == "## Topics"
            line = re.sub(r"^(- \[.*?\]\(\S*\)):.*", r"\1", line) if topics else line
            line = LINK.sub(lambda match: link(match, path, articles), re.sub(r"^# ``(.*)``$", r"# \1", line))
        lines.append(line)
    name = os.path.splitext(os.path.basename(path))[0]
    if name == LANDING:
        lines.insert(1, "\n@Metadata {\n  @TechnologyRoot\n}\n")
    return "\n".join(lines)


def link(match, path, articles):
    image, label, target = match.groups()
    file, _, anchor = target.partition("#")
    other = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
    if image:
        return f"![{label}]({os.path.basename(target)})"
    if re.match(r"[a-z]+:", target):
        return match.group(0)
    if other in articles:
        name = os.path.splitext(os.path.basename(other))[0]
        return f"[{label}](doc:{name}{'#' + heading_anchor(other, anchor) if anchor else ''})"
    return f"{label} (`{os.path.relpath(other, ROOT)}`)"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", help="build the site in this folder (default: check links only)")
    options = parser.parse_args()
    articles = sorted(glob.glob(os.path.join(ROOT, "Sources", "*", "*.docc", "*.md")))
    others = [os.path.join(ROOT, name) for name in subprocess.run(
        ["git", "ls-files", "*.md", ":!*/Golden/*"], cwd=ROOT, capture_output=True, text=True).stdout.split()]
    passed = failed = 0
    for path in sorted(set(articles + others)):
        faults = list(broken(path))
        for target, reason in faults:
            print(f"{os.path.relpath(path, ROOT)}: {target}: {reason}")
        failed += len(faults)
        passed += not faults
    print(f"{passed} passed, {failed} failed")
    if failed:
        sys.exit(1)
    if not options.output:
        return
    if not shutil.which("docc"):
        sys.exit("docs: docc is not on the PATH; it comes with the Swift toolchain")
    with tempfile.TemporaryDirectory() as scratch:
        catalogue = os.path.join(scratch, "tollgate.docc")
        os.mkdir(catalogue)
        for path in articles:
            with open(os.path.join(catalogue, os.path.basename(path)), "w", encoding="utf-8") as file:
                file.write(rewritten(path, set(articles)))
        for folder in glob.glob(os.path.join(ROOT, "Sources", "*", "*.docc", "Resources")):
            shutil.copytree(folder, os.path.join(catalogue, "Resources"), dirs_exist_ok=True)
        shutil.rmtree(options.output, ignore_errors=True)
        os.makedirs(os.path.dirname(os.path.abspath(options.output)), exist_ok=True)
        done = subprocess.run(
            ["docc", "convert", catalogue, "--output-path", options.output, "--fallback-display-name", "tollgate",
             "--fallback-bundle-identifier", "tollgate", "--transform-for-static-hosting", "--warnings-as-errors"])
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
