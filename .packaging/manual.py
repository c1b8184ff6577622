#!/usr/bin/env python3
"""Writes manual pages, tollgate(1) and one a command, from what the program says of itself."""

import argparse
import json
import re
import subprocess
import time
from pathlib import Path

ENVIRONMENT = [
    ("TOLLGATE_STORE", "The store, where no --store is given."),
    ("NO_COLOR", "When it is not empty, tables on a terminal have no colours."),
]
FILES = [("tollgate.db", "The store, where neither --store nor TOLLGATE_STORE names another; readable by its owner only.")]
SPECIAL = {"\\": r"\e", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti", "-": r"\-"}


def escaped(text):
    """Text that reads the same in a page, so that what is copied from it works."""
    text = "".join(SPECIAL.get(character, character) for character in text)
    return re.sub(r"^\.", r"\\&.", text, flags=re.M)


def quoted(text):
    return '"' + escaped(text).replace('"', r"\(dq") + '"'


def prose(text):
    """Paragraphs; indented lines are examples and keep their shape."""
    lines = []
    for number, paragraph in enumerate(re.split(r"\n\s*\n", text.strip("\n"))):
        if number:
            lines.append(".PP")
        is_example = False
        for line in paragraph.split("\n"):
            if line.startswith(" ") != is_example:
                is_example = not is_example
                lines += [".RS 4", ".nf"] if is_example else [".fi", ".RE"]
            lines.append(escaped(line.strip() if not is_example else line[min(2, len(line) - len(line.lstrip())):]))
        if is_example:
            lines += [".fi", ".RE"]
    return lines


def sentence(text):
    """As it stands behind a page's name."""
    first = text.split(" ", 1)[0]
    text = text[0].lower() + text[1:] if first[1:] == first[1:].lower() else text
    return text.removesuffix(".")


def option_name(name):
    return {"long": "--", "short": "-"}.get(name["kind"], "-") + name["name"]


def spelled(argument):
    """An argument as it is typed: fixed words bold, values in italics."""
    value = argument.get("valueName", "")
    more = "..." if argument["isRepeating"] else ""
    if argument["kind"] == "positional":
        return f".I {quoted(f'<{value}>{more}')}"
    names = sorted(argument["names"], key=lambda name: name["kind"] != "short")
    text = ", ".join(option_name(name) for name in names)
    if argument["kind"] == "flag":
        return f".B {quoted(text)}"
    return f".BI {quoted(text + ' ')} {quoted(f'<{value}>')}"


def shown(command, key="arguments"):
    return [each for each in command.get(key, []) if each.get("shouldDisplay", True) and each.get("commandName") != "help"]


def meaning(argument):
    text = argument.get("abstract", "")
    values = [value for value in argument.get("allValues", []) if value not in text]
    if values and len(values) == len(argument["allValues"]):
        text += f" One of {', '.join(values)}."
    default = argument.get("defaultValue")
    if default and f"(default: {default}" not in text:
        text += f" (default: {default})"
    return text.strip()


def synopsis(command, path):
    arguments = shown(command)
    subcommands = shown(command, "subcommands")
    lines = [".HP", f".B {quoted(' '.join(path))}"]
    for argument in arguments:
        if argument["kind"] == "positional" or not argument["isOptional"]:
            lines.append(f"[{escaped(argument['valueName'])}]" if argument["isOptional"] else spelled(argument))
    if any(argument["isOptional"] and argument["kind"] != "positional" for argument in arguments):
        lines.append(r".RI [ options ]")
    if not subcommands:
        return lines
    own = lines if any(argument["kind"] == "positional" for argument in arguments) else []
    return own + [".HP", f".B {quoted(' '.join(path))}", ".I <command>", r".RI [ options ]"]


def described(arguments):
    """Arguments under their headings; those that every command takes come last."""
    sections = {}
    for argument in arguments:
        name = argument.get("sectionTitle") or ("Arguments" if argument["kind"] == "positional" else "Options")
        sections.setdefault(name, []).append(argument)
    lines = []
    for name in sorted(sections, key=lambda name: ({"Arguments": 0, "Options": 2}.get(name, 1), name)):
        lines.append(f".SH {quoted(name.upper())}")
        for argument in sections[name]:
            lines += [".TP", spelled(argument), *(prose(meaning(argument)) or [r"\&"])]
    return lines


def body(command, path, heading):
    lines = []
    if heading == ".SS":
        lines += prose(command["abstract"]) + synopsis(command, path)
        if command.get("discussion"):
            lines += [".PP"] + prose(command["discussion"])
        for argument in shown(command):
            lines += [".TP", spelled(argument), *(prose(meaning(argument)) or [r"\&"])]
        return lines
    lines += [".SH SYNOPSIS", *synopsis(command, path), ".SH DESCRIPTION", *prose(command["abstract"])]
    if command.get("discussion"):
        lines += [".PP"] + prose(command["discussion"])
    lines += described(shown(command))
    subcommands = shown(command, "subcommands")
    if subcommands:
        lines.append(".SH COMMANDS")
        for subcommand in subcommands:
            lines.append(f".SS {quoted(' '.join(path + [subcommand['commandName']]))}")
            lines += body(subcommand, path + [subcommand["commandName"]], ".SS")
    return lines


def page(name, abstract, lines, date, version):
    head = [
        r".\" Made by .packaging/manual.py from `tollgate --experimental-dump-help`.",
        f".TH {quoted(name.upper())} 1 {date} {quoted('tollgate ' + version)} \"User Commands\"",
        ".nh", ".ad l",
        ".SH NAME", f"{escaped(name)} \\- {escaped(sentence(abstract))}",
    ]
    return "\n".join(head + lines) + "\n"


def main_page(command, version, date):
    text, _, statuses = command["discussion"].partition("Exit status: ")
    lines = [".SH SYNOPSIS", ".HP", ".B tollgate", ".I <command>", r".RI [ options ]",
             ".SH DESCRIPTION", *prose(command["abstract"]), ".PP", *prose(text),
             ".SH COMMANDS"]
    commands = shown(command, "subcommands")
    for each in commands:
        lines += [".TP", f".BR {quoted('tollgate-' + each['commandName'])} (1)", *prose(each["abstract"])]
    lines += described(shown(command))
    lines.append(".SH ENVIRONMENT")
    for name, text in ENVIRONMENT:
        lines += [".TP", f".B {name}", *prose(text)]
    lines.append(".SH FILES")
    for name, text in FILES:
        lines += [".TP", f".I {name}", *prose(text)]
    lines.append(".SH \"EXIT STATUS\"")
    for status in re.split(r", (?=\d )", statuses.strip().removesuffix(".")):
        number, _, text = status.partition(" ")
        lines += [".TP", f".B {number}", *prose(text[0].upper() + text[1:] + ".")]
    lines += [".SH \"SEE ALSO\"", ".BR sqlite3 (1),", ".BR zstd (1)"]
    return page("tollgate", command["abstract"], lines, date, version)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path, help="where the pages go; it is made where it does not exist")
    parser.add_argument("--epoch", type=int, default=0, help="their date, in seconds since 1970")
    arguments = parser.parse_args()

    def said(*words):
        return subprocess.run([arguments.program.resolve(), *words], check=True, capture_output=True, text=True).stdout

    dump = json.loads(said("--experimental-dump-help"))
    if dump["serializationVersion"] != 0:
        parser.error(f"the description is of version {dump['serializationVersion']}, and this program reads 0")
    command, version = dump["command"], said("--version").strip()
    date = time.strftime("%Y-%m-%d", time.gmtime(arguments.epoch))
    arguments.folder.mkdir(parents=True, exist_ok=True)
    (arguments.folder / "tollgate.1").write_text(main_page(command, version, date), encoding="utf-8")
    for each in shown(command, "subcommands"):
        name = f"tollgate-{each['commandName']}"
        lines = body(each, ["tollgate", each["commandName"]], ".SH") + [".SH \"SEE ALSO\"", ".BR tollgate (1)"]
        (arguments.folder / f"{name}.1").write_text(page(name, each["abstract"], lines, date, version), encoding="utf-8")


if __name__ == "__main__":
    main()
