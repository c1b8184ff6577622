"""RESULTS.md: one marked section a part, replaced by a later run, and a table of occasions that only grows."""

import re

from harness.machine import sentence
from harness.summary import table
from parts import PARTS

OCCASIONS = ["date (UTC)", "load", "commit", "goal", "wanted", "measured", "reached"]


def part_text(name, figures):
    return sentence(figures["machine"], figures["command"]) + "\n\n" + PARTS[name].markdown(figures["parts"][name])


def occasion_rows(figures):
    machine = figures["machine"]
    return [[machine["date"], str(machine["load"][0]), machine["commit"], goal.name, goal.wanted, goal.measured,
             "yes" if goal.reached else "no"]
            for name, part in figures["parts"].items() for goal in PARTS[name].goals(part)]


def sections(figures):
    """All that a run has to say, for the terminal."""
    texts = [f"## {PARTS[name].TITLE}\n\n{part_text(name, figures)}" for name in figures["parts"]]
    rows = occasion_rows(figures)
    return "\n\n".join(texts + (["## Goals\n\n" + table(OCCASIONS[3:], [row[3:] for row in rows])] if rows else []))


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


def goals_table(occasions):
    """The newest line of each goal, and what the occasions before it measured."""
    newest = {}
    for row in occasions:
        newest.setdefault(row[3], []).append(row)
    rows = [[name, lines[-1][4], lines[-1][5], "; ".join(line[5] for line in lines[-4:-1]) or "–", lines[-1][6]]
            for name, lines in newest.items()]
    return table(["goal", "wanted", "measured last", "occasions before", "reached"], rows)


def into(path, figures):
    """Puts the figures of a run into the file at `path`, and a link to the picture beside it."""
    text = replaced(path.read_text(), "picture", "![Cost against size](cost.svg)")
    for name in figures["parts"]:
        text = replaced(text, name, part_text(name, figures))
    rows = parsed(section(text, "occasions").group(2)) + occasion_rows(figures)
    if rows:
        text = replaced(text, "occasions", table(OCCASIONS, rows))
        text = replaced(text, "goals", goals_table(rows))
    path.write_text(text)
