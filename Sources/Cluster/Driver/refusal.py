"""What the user is told when nothing can be done."""

import re


class Refusal(Exception):
    """What the user has to know, in one line."""


def one_line(error):
    """What went wrong, from the depth of Spark's messages."""
    if isinstance(error, Refusal):
        return str(error)
    text = str(error)
    found = re.search(r"Subprocess exited with status (\d+)\. Error: ?(.*)", text)
    # Spark ends what the worker said with a point.
    said = found.group(2).strip().removesuffix(".").strip() if found else ""
    if said:
        return said
    if found:
        return f"a worker ended with status {found.group(1)} and said nothing; see the log of its executor"
    if "Stream closed" in text or "Broken pipe" in text:
        return "a worker ended before it had read its input; the log of its executor says why"
    for pattern in (r"Caused by: (?:[\w.$]+: )?(.+)", r"^([^\n]+)"):
        lines = re.findall(pattern, text, re.M)
        if lines:
            return lines[-1 if pattern.startswith("Caused") else 0].strip()
    return type(error).__name__
