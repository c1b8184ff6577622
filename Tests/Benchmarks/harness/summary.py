"""Medians of repeated runs, and how they print."""

import math
import statistics


def median(values):
    return statistics.median(values)


def percentile(values, share):
    """The least value that `share` of the values do not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def spread(values, digits=2):
    """`median (least–most)`."""
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    return f"{median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def pair_ratio(theirs, ours):
    """The median of theirs ÷ ours over the rounds that both ran in."""
    return median([their / our for their, our in zip(theirs, ours)])


def table(header, rows):
    """A Markdown table; the cells are texts."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])
