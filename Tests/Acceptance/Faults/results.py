"""RESULTS.md: the table of what was tried."""

import os

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "RESULTS.md")
HEAD = ["fault", "tried", "struck", "what came of it", "wrong"]
#: What is written by hand begins here, and stays.
REMARKS = "\nWhat the faults found"
ABOUT = """# What was tried

Made by `make faults FAULTS="--kills 500 --disk-full 50 --damage 200 --files 100000 --write"`; with `--only PART` the rows
of that part are replaced. `struck`: the fault came while there was something to hit. `wrong`: an event lost, doubled or
changed, no clear message, or another exit status than documented. `at most`: the memory and the seconds of the processor
that one report took.
"""


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def kept():
    """The rows that are in the table, by their fault, and the remarks below it."""
    with open(PATH) as file:
        text, _, remarks = file.read().partition(REMARKS)
    lines = [cells_of(line) for line in text.splitlines() if line.startswith("|")][2:]
    return {cells[0]: cells for cells in lines if len(cells) == len(HEAD)}, REMARKS + remarks


def write(rows, whole=False):
    """Puts rows into the table; where they are all rows of a whole run, nothing else stays in it."""
    table, remarks = kept()
    new = {row.fault: row.cells() for row in rows}
    table = new if whole else {**table, **new}
    lines = ["| " + " | ".join(HEAD) + " |", "|---|---:|---:|---|---:|"]
    lines += ["| " + " | ".join(cells) + " |" for cells in table.values()]
    with open(PATH, "w") as file:
        file.write(ABOUT + "\n" + "\n".join(lines) + "\n" + remarks)
