#!/usr/bin/env python3
"""Runs the commands of README and the guides and compares their output; see README.md in this folder."""
import argparse
import difflib
import glob
import json
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
CUT = "…"
# Times, speeds and sizes of stores differ from run to run.
VOLATILE = re.compile(r"\d+\.\d+ s( \([\d,]+ events/s\))?|[\d,]+ bytes|[\d.]+ MB")


def pages(names):
    """README and the articles of all catalogues, or the pages that are named."""
    if names:
        return [os.path.abspath(name) for name in names]
    return [os.path.join(ROOT, "README.md")] + sorted(glob.glob(os.path.join(ROOT, "Sources", "*", "*.docc", "*.md")))


class Block:
    """A fenced block: its first and last inner line, its language, and its commands with the lines that they print."""

    def __init__(self, first, lines, language):
        self.first, self.last, self.language, self.lines, self.commands = first, first + len(lines), language, lines, []
        if language != "console":
            return
        going_on = False
        for line in lines:
            if going_on or line.startswith("$ "):
                if going_on:
                    self.commands[-1][0].append(line)
                else:
                    self.commands.append(([line], []))
                going_on = line.endswith("\\")
            else:
                self.commands[-1][1].append(line)


def blocks(lines):
    """The blocks that can be run: `console`, `sh` and `python`."""
    start = None
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start = number + 1
        else:
            language = lines[start - 1][3:].strip()
            if language in ("console", "sh", "python"):
                yield Block(start, lines[start:number], language)
            start = None


def same(shown, printed):
    """Whether the page's lines are what was printed, any number of lines where the page has a cut."""
    pattern = ""
    for line in shown:
        if line.strip() == CUT:
            pattern += r"(?:[^\n]*\n)*"
        else:
            pattern += re.escape(VOLATILE.sub("TIME", line.rstrip())) + r"\n"
    text = "".join(VOLATILE.sub("TIME", line.rstrip()) + "\n" for line in printed)
    return re.fullmatch(pattern, text) is not None


def shortened(shown, printed):
    """Returns what was printed, cut as the page cuts it, or None if the first line after a cut was not printed."""
    printed = [line.rstrip() for line in printed]
    if same(shown, printed):
        return shown
    cuts = [number for number, line in enumerate(shown) if line.strip() == CUT]
    if not cuts:
        return printed
    kept, place = [], 0
    parts = [list(lines) for is_cut, lines in itertools.groupby(shown, lambda line: line.strip() == CUT) if not is_cut]
    for number, part in enumerate(parts):
        first = 0 if number == 0 and cuts[0] > 0 else next(
            (at for at in range(place, len(printed)) if printed[at] == part[0].rstrip()), None)
        if first is None:
            return None
        kept += [CUT] if first > place else []
        kept += printed[first:first + len(part)]
        place = first + len(part)
    return kept + ([CUT] if place < len(printed) else [])


class Page:
    """Runs the commands of one page in a scratch folder."""

    def __init__(self, path, program, demo):
        self.folder = tempfile.mkdtemp(prefix="tollgate-docs-")
        os.symlink(os.path.join(ROOT, "SampleData"), os.path.join(self.folder, "SampleData"))
        os.mkdir(os.path.join(self.folder, "out"))
        os.mkdir(os.path.join(self.folder, "bin"))
        os.symlink(program, os.path.join(self.folder, "bin", "tollgate"))
        shutil.copy(demo, os.path.join(self.folder, "out", "demo.db"))
        self.environment = dict(os.environ, COLUMNS="80", TZ="UTC", LC_ALL="C.UTF-8", NO_COLOR="1", PAGER="cat",
                                TOLLGATE_STORE="out/demo.db",
                                PATH=os.path.join(self.folder, "bin") + os.pathsep + os.environ["PATH"])
        self.environment["PYTHONPATH"] = os.path.join(ROOT, "Notebooks")
        self.environment["TOLLGATE_PROGRAM"] = program
        self.running = []
        own = os.path.join(ROOT, ".venv", "notebooks", "bin", "python")
        self.python = next((python for python in (own, sys.executable) if os.path.exists(python) and not subprocess.run(
            [python, "-c", "import duckdb, pandas"], stderr=subprocess.DEVNULL).returncode), None)

    def run(self, command):
        """The lines that the command prints, and its status."""
        if command.endswith("&"):
            process = subprocess.Popen(
                ["bash", "-c", "exec " + command[:-1]], cwd=self.folder, env=self.environment, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
            self.running.append(process)
            return [process.stdout.readline().rstrip("\n")], 0
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, text=True, timeout=300,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout.splitlines(), done.returncode

    def script(self, block):
        """What is wrong when the block runs as a script: a status other than 0, or other lines than its comments say.

        In Python each line that begins with `# ` is printed by the lines before it; of a shell block the output is free.
        """
        text = "\n".join(block.lines)
        if block.language == "sh":
            words = ["bash", "-euc", text]
        else:
            words = [self.python, "-c", text]
        done = subprocess.run(words, cwd=self.folder, env=self.environment, text=True, timeout=600,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        printed = [line.rstrip() for line in done.stdout.splitlines()]
        if done.returncode:
            return [f"status {done.returncode}", *printed[-20:]]
        said = [line[2:].rstrip() for line in block.lines if line.startswith("# ")]
        if block.language == "python" and said and said != printed:
            return list(difflib.unified_diff(said, printed, "page", "printed", lineterm="", n=1))
        return []

    def lacks(self, block):
        """What a script needs and this machine does not have."""
        if block.language == "python":
            return None if self.python else "pandas or DuckDB (make notebooks)"
        if "cluster" in "\n".join(block.lines) and not os.environ.get("SPARK_HOME"):
            return "SPARK_HOME (make cluster-tools)"
        return None

    def close(self):
        for process in self.running:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
        shutil.rmtree(self.folder)


def missing(command):
    """A program of the command that is not installed; such a command is skipped."""
    first = re.split(r"[ |;]", command)[0]
    return None if first == "tollgate" or shutil.which(first) or "=" in first else first


def undocumented(program):
    """The commands and options that no page names; those of `worker` are for executors alone."""
    text = ""
    for path in pages([]):
        with open(path, encoding="utf-8") as file:
            text += file.read()

    def walk(command, words):
        words = words + [command["commandName"]]
        if words[1:] and words[1] in ("worker", "help"):
            return
        name = " ".join(words[1:])
        if name and name not in text:
            yield name
        for argument in command.get("arguments", []):
            for option in argument.get("names") or []:
                if argument.get("shouldDisplay", True) and option["kind"] == "long" and "--" + option["name"] not in text:
                    yield f"{name} --{option['name']}"
        for subcommand in command.get("subcommands", []):
            yield from walk(subcommand, words)

    dump = subprocess.run([program, "--experimental-dump-help"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return sorted(set(walk(json.loads(dump)["command"], [])))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--write", action="store_true", help="record the outputs in the pages")
    parser.add_argument("pages", nargs="*", help="(default: README and all articles)")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    scratch = tempfile.mkdtemp(prefix="tollgate-docs-")
    demo = os.path.join(scratch, "demo.db")
    for words in (["ingest", "SampleData/events"], ["rates", "import", "SampleData/rates.csv"]):
        subprocess.run([program, *words, "--store", demo], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    passed = failed = 0
    if not options.pages:
        for name in undocumented(program):
            failed += 1
            print(f"{name} is on no page")
    for path in pages(options.pages):
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        found = list(blocks(lines))
        if not found:
            continue
        page = Page(path, program, demo)
        recorded = []
        for block in found:
            if block.language != "console":
                place = f"{os.path.relpath(path, ROOT)}:{block.first}"
                lacks = page.lacks(block)
                wrong = [] if lacks else page.script(block)
                if lacks:
                    print(f"{place}: skipped, there is no {lacks}")
                elif wrong:
                    failed += 1
                    print(f"{place}: {block.language}:", *wrong, sep="\n")
                else:
                    passed += 1
                continue
            again = []
            for words, shown in block.commands:
                again += words
                command = " ".join(word.rstrip("\\").strip() if len(words) > 1 else word for word in words)[2:]
                absent = missing(command)
                if absent:
                    print(f"{os.path.relpath(path, ROOT)}:{block.first}: skipped, {absent} is not installed")
                    again += shown
                    continue
                # An empty line that ends the output parts it from the next command.
                gap = shown and not shown[-1] and (words, shown) is not block.commands[-1]
                body = shown[:-1] if gap else shown
                printed, status = page.run(command)
                while printed and not printed[-1].strip():
                    printed.pop()
                cut = shortened(body, printed)
                again += (body if cut is None else cut) + ([""] if gap else [])
                is_written = options.write and cut is not None
                if (same(body, printed) or is_written) and not (status and "status" not in command):
                    passed += 1
                else:
                    failed += 1
                    print(f"{os.path.relpath(path, ROOT)}:{block.first}: {command}: status {status}")
                    print("\n".join(difflib.unified_diff(body, [line.rstrip() for line in printed], "page", "printed",
                                                         lineterm="", n=1)))
            recorded.append((block, again))
        page.close()
        if options.write:
            for block, again in reversed(recorded):
                lines[block.first:block.last] = again
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(lines))
    shutil.rmtree(scratch)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
