"""Whether a peer's query gives the numbers of tollgate's CSV, cell by cell."""

import csv
import io

from harness.process import Failed

# Estimates as printed to 6 decimals, and one amount of money to 2.
TOLERANCE = {"monthly_value_365d": 0.00501}
DEFAULT_TOLERANCE = 2e-6


def same(ours, theirs, column):
    if ours == theirs:
        return True
    try:
        return abs(float(ours) - float(theirs)) <= TOLERANCE.get(column, DEFAULT_TOLERANCE)
    except ValueError:
        return False


def check(question, output, answer, peer):
    """The number of cells that agree; raises with the first cells that differ.

    `output` is the CSV, whose columns that the peer does not have (rates and intervals that follow from the counts) are
    passed over.
    """
    keys = ["app", *question.by] + (["tier", "currency"] if question.report == "savings" else [])
    keys = list(dict.fromkeys(keys))
    ours = {tuple(row[key] for key in keys): row for row in csv.DictReader(io.StringIO(output.decode()))}
    theirs = {tuple(row[key] for key in keys): row
              for row in (dict(zip(answer["columns"], values)) for values in answer["rows"])}
    differing, equal = [], 0
    for key in sorted(ours.keys() | theirs.keys()):
        if key not in ours or key not in theirs:
            differing.append(f"{key}: only in {'tollgate' if key in ours else peer}")
            continue
        for column in answer["columns"]:
            own, other = ours[key][column], theirs[key][column] or ""
            if same(own, other, column):
                equal += 1
            else:
                differing.append(f"{key} {column}: tollgate {own or 'empty'}, {peer} {other or 'empty'}")
    if differing or not ours:
        raise Failed(f"{question.name}: {peer} and tollgate differ in {len(differing)} cells of {len(ours)} rows\n  "
                     + "\n  ".join(differing[:20]))
    return equal
