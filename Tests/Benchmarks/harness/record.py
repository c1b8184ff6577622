"""RESULTS.md: one marked section a part, which a later run replaces, and a table with the newest figure of each goal."""

import re

from harness.machine import sentence
from harness.summary import table
from parts import PARTS

GOALS = ["goal", "wanted", "measured", "reached", "date (UTC)", "load", "commit"]


def part_text(name, figures):
    return sentence(figures["machine"], figures["command"]) + "\n\n" + PARTS[name].markdown(figures["parts"][name])


def goal_rows(figures):
    machine = figures["machine"]
    return [[goal.name, goal.wanted, goal.measured, "yes" if goal.reached else "no", machine["date"],
             str(machine["load"][0]), machine["commit"]]
            for name, part in figures["parts"].items() for goal in PARTS[name].goals(part)]


def sections(figures):
    """All that a run has to say, for the terminal."""
    texts = [f"## {PARTS[name].TITLE}\n\n{part_text(name, figures)}" for name in figures["parts"]]
    rows = goal_rows(figures)
    return "\n\n".join(texts + (["## Goals\n\n" + table(GOALS[:4], [row[:4] for row in rows])] if rows else []))


def section(text, name):
    return re.search(rf"(<!-- bench:{name} -->\n)(.*?)(<!-- end of {name} -->)", text, re.DOTALL)


def replaced(text, name, body):
    found = section(text, name)
    if not found:
        raise SystemExit(f"RESULTS.md has no section <!-- bench:{name} -->")
    return text[:found.end(1)] + "\n" + body.strip() + "\n\n" + text[found.start(3):]


def parsed(text):
    """The rows of the Markdown table in `text`, as lists of texts."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def into(path, figures):
    """Puts the figures of a run into the file at `path`, and a link to the picture beside it."""
    text = replaced(path.read_text(), "picture", "![Cost against size](cost.svg)")
    for name in figures["parts"]:
        text = replaced(text, name, part_text(name, figures))
    newest = {row[0]: row for row in parsed(section(text, "goals").group(2)) + goal_rows(figures)}
    path.write_text(replaced(text, "goals", table(GOALS, newest.values())))
