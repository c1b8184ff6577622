"""A question as SQL for DuckDB over its raw events, by definitions 1 to 6 as far as the plain data goes.

The texts in peers/sql/ have these places: {known} the events before the as-of, {asof} an instant `t` for each app,
{grace} an interval, {keys} the names of the key columns k0, k1, ..., {columns} those and the filter's; {own} their
values in an event's own fields, {attributed} by its context (2.10), {only} the condition on the unit.
"""

from pathlib import Path

from question import CONTEXT

FOLDER = Path(__file__).resolve().parent / "sql"

# The columns of 6.2, for each age in days.
AGES = {
    "cancelled_at": " ".join(
        f"max(e.ts) FILTER (e.event = '{event}' AND e.ts < s.start + INTERVAL {age} DAY) AS {name}_{age},"
        for age in (35, 95, 370) for event, name in (("cancellation", "off"), ("reactivation", "on"))),
    "paid_at": ", ".join(f"max(b.ts) FILTER (b.ts < s.start + INTERVAL {age} DAY) AS paid_{age}"
                         for age in (35, 95, 370)),
    "ages": " ".join(
        f"count(*) FILTER (start + INTERVAL {age} DAY <= t) AS at_risk_{age}, "
        f"count(*) FILTER (start + INTERVAL {age} DAY <= t AND off_{age} > greatest(on_{age}, paid_{age})) "
        f"AS cancelled_{age}, "
        f"count(*) FILTER (start + INTERVAL {age} DAY + {{grace}} <= t) AS followed_{age}, "
        f"count(*) FILTER (start + INTERVAL {age} DAY + {{grace}} <= t AND churned "
        f"AND ended < start + INTERVAL {age} DAY) AS ended_{age}," for age in (35, 95, 370)),
}


def column(dimension, table=""):
    """The value of a dimension in a row of events; absent: (none) (2.11)."""
    dot = table + "." if table else ""
    if dimension.startswith("property:"):
        return f"coalesce({dot}properties ->> '$.{dimension[9:]}', '(none)')"
    if dimension == "tier":
        return f"coalesce({dot}tier, 'individual')"
    if dimension == "trial_kind":
        return f"coalesce({dot}trial_kind, 'introductory')"
    return f"coalesce({dot}{dimension}, '(none)')"


def attributed(dimension):
    """The value of a dimension of unit `u`: of its own context, else of its last impression `i`, if any (2.10)."""
    if dimension not in CONTEXT:
        return column(dimension, "u")
    return (f"CASE WHEN u.entry_point IS NOT NULL THEN {column(dimension, 'u')} "
            f"ELSE coalesce(i.{dimension}, '(unattributed)') END")


def last_shown(dimensions):
    """What the attribution takes from the last impression of a unit."""
    return "".join(f", arg_max({column(one, 'i')}, i.ts) AS {one}" for one in dimensions if one in CONTEXT)


def places(question):
    known = f"(SELECT * FROM events WHERE ts < TIMESTAMP '{question.as_of}')" if question.as_of else "events"
    asof = (f"SELECT DISTINCT app, TIMESTAMP '{question.as_of}' AS t FROM events" if question.as_of else
            "SELECT app, max(ts) + INTERVAL 1 MILLISECOND AS t FROM events "
            "WHERE ts <= received_at + INTERVAL 1 DAY GROUP BY app")
    asked = list(question.by) + ([question.where[0]] if question.where else [])
    names = [f"k{index}" for index in range(len(question.by))]
    # The condition is one more column of the units.
    columns = names + (["filter"] if question.where else [])
    sold_as = [attributed("variant"), "sold_as"]
    return {
        "known": known, "asof": asof, "grace": f"INTERVAL {question.grace} DAY",
        "keys": ", ".join(names), "columns": ", ".join(columns),
        "own": listing([column(one) for one in asked], columns),
        "attributed": listing([attributed(one) for one in asked] + sold_as[:1], columns + sold_as[1:]),
        "of_spell": listing([f"coalesce(c.{name}, d.{name})" if one in CONTEXT else column(one, "p")
                             for one, name in zip(asked, columns)] + ["coalesce(c.sold_as, d.sold_as)"],
                            columns + sold_as[1:]),
        "shown": last_shown(dict.fromkeys(asked + ["variant"])),
        "only": f"WHERE filter = '{question.where[1]}'" if question.where else "",
        "renamed": listing(names, [f'"{one}"' for one in question.by]),
    } | {place: part.format(grace=f"INTERVAL {question.grace} DAY") for place, part in AGES.items()}


def listing(expressions, names):
    return ", ".join(f"{expression} AS {name}" for expression, name in zip(expressions, names))


def text(name, values):
    """The text of sql/NAME.sql with its places filled; `{{trials}}` and the like are texts, too."""
    template = (FOLDER / f"{name}.sql").read_text()
    for part in ("trial_units", "spell_units"):
        if "{" + part + "}" in template:
            template = template.replace("{" + part + "}", text(part, values))
    return template.format(**values)


def query(question):
    return text(question.report, places(question))
