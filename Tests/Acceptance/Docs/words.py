#!/usr/bin/env python3
"""Lists the strings of Sources that a person may read, and finds words in them that the product does not use.

    python3 words.py [FOLDER ...]     # every string, by file and line
    python3 words.py --check          # only those with a word of BANNED, and the guides' lines; status 1 if there are any

Strings without a space, SQL, styles and scripts are left out; interpolated code is shown as `\\(…)`.
"""
import argparse
import glob
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
# What each word should be instead.
BANNED = {
    r"\bpersons?\b": "user",
    r"\banew\b": "again",
    r"\bhas \w+ alone\b": "has only",
    r"\b(?<!there )(?:is|are|was) no (?!longer|difference|effect|events?|users?|data|other|need|limit|known|such|value|plan\b)\w+":
        "is not a",
    r"\bis none of\b": "is not one of",
    r"\bcame to pay\b|\bcome to pay\b": "converted, paid",
    r"\bdealt\b": "split at random",
    r"\bdoes not tell\b|\bis told\b|\bare told\b": "reported",
    r"\bbears? the reports?\b": "data-quality checks",
    r"\bbesides?\b(?= its| the store| readers)": "next to, in the background",
    r"\bwho(?:ever)? asks\b": "a reader",
}
# Identifiers keep their names: code, columns and checks of CSV, options, markup and SQL.
KEPT = re.compile(
    r"`[^`]*`|--persons|column persons|persons: users|\bAS (?:f\.)?person|f\.person|<[^>]*>"
    r"|persons with impressions and no later(?: identity)?|persons in two variants of an experiment"
    r"|subscription ids of two persons|persons of several ids|persons whose variants a join changed|persons crossed by a join")
# Words that `init` finds in other people's columns.
LEFT_OUT = "FieldSynonyms.swift"


def literals(text):
    """The string literals of Swift source: line number and text, interpolations as `\\(…)`."""
    position, line, end = 0, 1, len(text)

    def string(position, line):
        hashes = 0
        while text[position] == "#":
            hashes, position = hashes + 1, position + 1
        quote = '"""' if text.startswith('"""', position) else '"'
        position += len(quote)
        stop, escape, out = quote + "#" * hashes, "\\" + "#" * hashes, []
        while not text.startswith(stop, position):
            if text.startswith(escape + "(", position):
                position, line, depth = position + len(escape) + 1, line, 1
                while depth:
                    if text[position] == '"':
                        position, line, _ = string(position, line)
                        continue
                    depth += {"(": 1, ")": -1}.get(text[position], 0)
                    line += text[position] == "\n"
                    position += 1
                out.append("\\(…)")
            elif text.startswith(escape, position):
                following = text[position + len(escape)]
                out.append({"n": "\n", '"': '"', "\n": ""}.get(following, "\\" + following))
                line += following == "\n"
                position += len(escape) + 1
            else:
                line += text[position] == "\n"
                out.append(text[position])
                position += 1
        return position + len(stop), line, "".join(out)

    while position < end:
        if text.startswith("//", position):
            position = text.find("\n", position)
            if position < 0:
                return
        elif text.startswith("/*", position) and not text[:position].rstrip(" ")[-1:].strip():  # no regular expression
            closing = text.find("*/", position) + 2
            line += text.count("\n", position, closing)
            position = closing
        elif text[position] == '"' or re.match(r'#+"', text[position:position + 4]):
            first = line
            position, line, content = string(position, line)
            yield first, content
        else:
            line += text[position] == "\n"
            position += 1


def readable(content):
    """Whether a person may read the string."""
    words = re.sub(r"\\\(…\)", " ", content)
    if not re.search(r"[A-Za-z]{2,},? +[A-Za-z(]|[a-z]{3,}[.:;]$", words):
        return False
    return not re.search(
        r"\b(?:SELECT|INSERT|DELETE|UPDATE|CREATE|PRAGMA|VALUES|WHERE|GROUP BY|ORDER BY|CASE WHEN|LEFT JOIN|JOIN|EXPLODE"
        r"|SAVEPOINT|ATTACH|BEGIN|PRIMARY KEY|NOT NULL|ON CONFLICT|UNION ALL|TRANSFORM|AND|THEN|COALESCE|FROM)\b"
        r"|[;{] *\n? *[a-z-]+: *[^ ]+;|^\.[a-z]|=>|</?(?:svg|path|g|rect)\b|\bfunction\b|\bconst\b|\bdef |^import ", words)


def sources(folders):
    for folder in folders or [os.path.join(ROOT, "Sources")]:
        yield from [folder] if os.path.isfile(folder) else sorted(glob.glob(os.path.join(folder, "**", "*.swift"), recursive=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only strings and pages with a banned word")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    found = 0
    for path in sources(options.folders):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if path.endswith(LEFT_OUT):
            continue
        place = os.path.relpath(path, ROOT)
        for line, content in literals(text):
            if not readable(content):
                continue
            if not options.check:
                print(f"{place}:{line}: " + " ⏎ ".join(content.split("\n")))
                continue
            for banned, instead in BANNED.items():
                for match in re.finditer(banned, KEPT.sub("``", content), re.I):
                    found += 1
                    print(f"{place}:{line}: “{match.group(0)}”, say “{instead}”: {content.strip()[:160]}")
    if options.check:
        pages = [os.path.join(ROOT, "README.md"), *glob.glob(os.path.join(ROOT, "Sources", "*", "*.docc", "*.md"))]
        for path in sorted(pages):
            with open(path, encoding="utf-8") as file:
                prose = re.sub(r"^```.*?^```", lambda block: "\n" * block.group(0).count("\n"), file.read(), flags=re.S | re.M)
            for number, line in enumerate(prose.split("\n"), 1):
                for banned, instead in BANNED.items():
                    for match in re.finditer(banned, KEPT.sub("``", line), re.I):
                        found += 1
                        print(f"{os.path.relpath(path, ROOT)}:{number}: “{match.group(0)}”, say “{instead}”: {line.strip()[:160]}")
        print(f"{found} found")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
