"""What is asked of a report, as arguments of the command line and as pieces of SQL for the peers."""

from dataclasses import dataclass

CONTEXT = ("experiment", "variant", "paywall", "entry_point")


@dataclass(frozen=True)
class Question:
    """A report with its options: `where` is one `(dimension, value)`, `as_of` a UTC day."""

    report: str
    by: tuple = ("variant", "entry_point")
    where: tuple | None = None
    as_of: str | None = None
    grace: int = 3

    @property
    def name(self):
        return " ".join([self.report, *self.options])

    @property
    def standard_by(self):
        return ("variant", "entry_point", "plan") if self.report == "cancellations" else ("variant", "entry_point")

    @property
    def options(self):
        """The options of tollgate's command line."""
        found = [] if self.by == self.standard_by else ["--by", ",".join(self.by)]
        if self.where:
            found += ["--where", "=".join(self.where)]
        if self.as_of:
            found += ["--as-of", f"{self.as_of}T00:00:00Z"]
        return found + ([] if self.grace == 3 else ["--grace", str(self.grace)])


def parsed(fields):
    """A question from what `json` made of its fields."""
    return Question(fields["report"], tuple(fields["by"]), tuple(fields["where"]) if fields["where"] else None,
                    fields["as_of"], fields["grace"])
