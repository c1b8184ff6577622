#!/usr/bin/env python3
"""Slow, independent reference implementation of definitions 1-6, Events.md and the CSV of reports.

    python3 oracle.py REPORT --events PATH... [options]     REPORT: funnel trials savings cancellations
    python3 oracle.py ingest --events PATH...

Every function names the rule it implements.  A comment "A<n>" refers to the numbered reading in README.md.
"""
import argparse
import csv
import gzip
import io
import json
import math
import os
import re
import subprocess
import sys
import zlib
from datetime import datetime, timedelta, timezone
from decimal import Decimal, getcontext, ROUND_HALF_EVEN, InvalidOperation
from fractions import Fraction
from zoneinfo import ZoneInfo

getcontext().prec = 60
sys.setrecursionlimit(10000)
if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)

DAY = 86_400_000
INF = float("inf")
NONE = "(none)"
UNATTRIBUTED = "(unattributed)"

# ----------------------------------------------------------------------------------------------------------------
# Events.md
# ----------------------------------------------------------------------------------------------------------------

# The order of the table of kinds: rule 1.2.
KINDS = ["exposure", "paywall_impression", "paywall_dismissal", "purchase_started", "gate_hit", "trial_start",
         "trial_nudge", "conversion", "renewal", "payment", "plan_change", "restore", "offer_redemption", "cancellation",
         "reactivation", "billing_issue", "expiration", "refund", "activity", "identify"]
KIND_ORDER = {k: i for i, k in enumerate(KINDS)}
CHURN = {"cancellation", "reactivation", "billing_issue", "expiration", "refund"}
PLANS = ["weekly", "monthly", "two_month", "quarterly", "semiannual", "yearly", "lifetime"]
# Ids that stand for none; any number of zeros does, too.
PLACEHOLDERS = ["undefined", "null", "(null)", "<null>", "nil", "<nil>", "none", "nan", "unknown", "anonymous",
                "guest", "n/a", "#n/a", "(none)", "(not set)", "[object object]", "-1"]
REASONS = ["voluntary", "billing", "price_increase", "product_unavailable", "other"]

ID_FIELDS = {"event_id", "user_id", "subscription_id", "transaction_id", "product_id"}  # an integer is taken as its text
STRING_FIELDS = ["event_id", "event", "app", "user_id", "platform", "store", "country", "app_version", "environment",
                 "entry_point", "experiment", "variant", "paywall", "offering", "tier", "product_id", "plan", "currency",
                 "subscription_id", "transaction_id", "ownership", "offer_type", "offer_code", "limit_name",
                 "trial_kind", "previous_product_id", "reason", "previous_user_id"]
PRICE_FIELDS = ["price", "price_weekly", "price_monthly", "price_yearly", "price_lifetime", "price_usd"]
TIME_FIELDS = ["ts", "received_at", "expires_at", "trial_ends_at", "grace_ends_at", "subscription_started_at"]
SHARE_FIELDS = ["tax_percentage", "commission_percentage"]
NUMBER_FIELDS = ["limit", "used"]
KNOWN = set(STRING_FIELDS + PRICE_FIELDS + TIME_FIELDS + SHARE_FIELDS + NUMBER_FIELDS + ["trial_days", "properties"])
ENUMS = {"environment": ["production", "sandbox"], "tier": ["individual", "family"], "plan": PLANS,
         "ownership": ["purchased", "family_shared"],
         "offer_type": ["introductory", "promotional", "offer_code", "win_back"],
         "trial_kind": ["introductory", "app"]}
MAX_LINE = 1 << 20
# What RFC 3339 can write: all of its years have four digits.
YEAR_0 = -62_167_219_200_000
YEAR_10000 = 253_402_300_800_000
TS_MIN = int(datetime(2008, 1, 1, tzinfo=timezone.utc).timestamp()) * 1000
TS_MAX = int(datetime(2100, 1, 1, tzinfo=timezone.utc).timestamp()) * 1000


class Bad(Exception):
    """A line for the quarantine; the text is the reason."""


class Pairs(list):
    """A JSON object as its pairs, so that a field given twice can be seen."""


class Num(str):
    """A JSON number that is not written as an integer: its text."""


RFC3339 = re.compile(r"^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})$", re.ASCII)


def parse_rfc3339(text):
    """RFC 3339 with an offset, 0-9 fraction digits cut to ms; a leap second is an error."""
    m = RFC3339.match(text)
    if not m:
        raise ValueError(text)
    y, mo, d, h, mi, s = (int(m.group(i)) for i in range(1, 7))
    dt = datetime(y, mo, d, h, mi, s, tzinfo=timezone.utc)          # raises for 30 February, :60, 24:00
    ms = int(((m.group(7) or "") + "000")[:3])
    off = m.group(8)
    delta = 0
    if off not in "Zz":
        oh, om = int(off[1:3]), int(off[4:6])
        if oh > 23 or om > 59:
            raise ValueError(text)
        delta = (oh * 60 + om) * 60_000 * (1 if off[0] == "+" else -1)
    epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
    diff = dt - epoch
    return (diff.days * 86_400 + diff.seconds) * 1000 + ms - delta


def as_integer(value):
    """The integer that a JSON value is (`1.7e12` is one), or None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, Num):
        try:
            dec = Decimal(value)
        except InvalidOperation:
            return None
        if dec == dec.to_integral_value():
            return int(dec)
    return None


def parse_time(name, value, from_csv):
    number = as_integer(value)
    if number is None and isinstance(value, str) and not isinstance(value, Num):
        if from_csv and re.fullmatch(r"-?\d+", value):
            number = int(value)
        else:
            try:
                number = parse_rfc3339(value)
            except ValueError:
                raise Bad("invalid:" + name)
    if number is None:
        raise Bad("invalid:" + name)
    low, high = (TS_MIN, TS_MAX) if name in ("ts", "received_at") else (YEAR_0, YEAR_10000)          # A1
    if not low <= number < high:
        raise Bad("invalid:" + name)
    return number


DECIMAL = re.compile(r"^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$", re.ASCII)


def parse_price(name, value):
    """Exact integer micro-units; a seventh decimal rounds half to even; 0 <= price < 10^12."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise Bad("invalid:" + name)
    text = str(value)
    if not DECIMAL.match(text):
        raise Bad("invalid:" + name)
    dec = Decimal(text)
    if not 0 <= dec < Decimal(10) ** 12:
        raise Bad("invalid:" + name)
    return int((dec * 1_000_000).quantize(Decimal(1), rounding=ROUND_HALF_EVEN))


def no_nul(value):
    """A NUL anywhere in the decoded values is an error."""
    if isinstance(value, str):
        if "\0" in value:
            raise Bad("nul")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise Bad("invalid_utf8")
    elif isinstance(value, Pairs):
        for k, v in value:
            no_nul(k)
            no_nul(v)
    elif isinstance(value, list):
        for v in value:
            no_nul(v)


def to_json_text(value):
    """A nested value in `properties` is kept as its JSON text (A2)."""
    if isinstance(value, Pairs):
        return "{" + ",".join(json.dumps(k, ensure_ascii=False) + ":" + to_json_text(v) for k, v in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(to_json_text(v) for v in value) + "]"
    if isinstance(value, Num):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def property_value(value):
    """The text of a property (A2)."""
    if isinstance(value, Num):
        return str(value)
    if isinstance(value, str):
        return value
    return to_json_text(value)


def normalise(pairs, from_csv=False):
    """One line of input to one event (a dict), by "Fields", "Kinds" and "Values"; raises Bad(reason)."""
    no_nul(Pairs(pairs))
    seen = set()
    for name, _ in pairs:
        if name in KNOWN:
            if name in seen:
                raise Bad("field_twice:" + name)
            seen.add(name)
    # a null, an empty string and an empty cell are an absent field
    raw = {name: value for name, value in pairs if value is not None and value != ""}
    ev = {}
    for name in ["event_id", "event", "ts", "app", "user_id"]:
        if name not in raw:
            raise Bad("missing:" + name)
    properties = {}
    for name, value in raw.items():
        if name not in KNOWN:
            properties[name] = property_value(value)
            continue
        if name == "properties":
            if from_csv:
                try:
                    value = parse_json(value)
                except ValueError:
                    raise Bad("invalid:properties")
            if not isinstance(value, Pairs):
                raise Bad("invalid:properties")
            for k, v in value:
                if v is not None and v != "":
                    properties[k] = property_value(v)
        elif name in TIME_FIELDS:
            ev[name] = parse_time(name, value, from_csv)
        elif name in PRICE_FIELDS:
            ev[name] = parse_price(name, value)
        elif name == "trial_days":
            number = as_integer(value)
            if from_csv and isinstance(value, str) and DECIMAL.match(value):
                number = as_integer(Num(value))
            if number is None or (dict(pairs)["event"] == "trial_start" and not 1 <= number <= 366):
                raise Bad("invalid:trial_days")
            ev[name] = number
        elif name in SHARE_FIELDS or name in NUMBER_FIELDS:
            ok = (isinstance(value, (int, Num)) and not isinstance(value, bool)) or (from_csv and DECIMAL.match(value))
            if not ok or (name in SHARE_FIELDS and not 0 <= Decimal(str(value)) <= 1):
                raise Bad("invalid:" + name)
            ev[name] = str(Decimal(str(value)).normalize())
        else:
            if name in ID_FIELDS and not isinstance(value, str) and as_integer(value) is not None:
                value = str(as_integer(value))
            elif name in ID_FIELDS and isinstance(value, Num) and as_integer(value) is not None:
                value = str(as_integer(value))
            if not isinstance(value, str) or isinstance(value, Num):
                raise Bad("invalid:" + name)
            if len(value.encode("utf-8")) > 200:
                raise Bad("invalid:" + name)
            if name == "country":
                if not re.fullmatch(r"[A-Za-z]{2}", value):
                    raise Bad("invalid:country")
                value = value.upper()
            if name == "currency":
                if not re.fullmatch(r"[A-Za-z]{3}", value):
                    raise Bad("invalid:currency")
                value = value.upper()
            if name in ENUMS and value not in ENUMS[name]:
                raise Bad("invalid:" + name)
            ev[name] = value
    kind = ev["event"]
    if kind not in KIND_ORDER:
        raise Bad("unknown_kind")
    if kind in ("cancellation", "expiration") and ev.get("reason", "other") not in REASONS:
        raise Bad("invalid:reason")
    needs = {"exposure": ["experiment", "variant"], "paywall_impression": ["entry_point"], "gate_hit": ["entry_point"],
             "conversion": ["product_id", "plan", "price"], "renewal": ["product_id", "plan", "price"],
             "payment": ["product_id", "plan", "price"],
             "plan_change": ["product_id", "plan"], "offer_redemption": ["offer_code"], "identify": ["previous_user_id"]}
    for name in needs.get(kind, []):
        if name not in ev:
            raise Bad("missing:" + name)
    if kind == "trial_start":
        if "trial_days" not in ev and "trial_ends_at" not in ev:
            raise Bad("missing:trial_days")
        if "plan" not in ev and ev.get("trial_kind", "introductory") != "app":
            raise Bad("missing:plan")
    if kind == "trial_start" and "trial_ends_at" in ev and ev["trial_ends_at"] <= ev["ts"]:
        raise Bad("invalid:trial_ends_at")
    if "expires_at" in ev and ev["expires_at"] <= ev["ts"]:
        raise Bad("invalid:expires_at")
    if kind == "identify":
        for name in ("user_id", "previous_user_id"):
            if ev[name].strip(" ").strip("0-") == "" or ev[name].strip(" ").lower() in PLACEHOLDERS:
                raise Bad("placeholder:" + name)
    if ev.get("price", 0) > 0 and "currency" not in ev:
        raise Bad("price_without_currency")
    if properties:
        ev["properties"] = properties
    return ev


def parse_json(text):
    def refuse(name):
        raise ValueError(name)
    return json.loads(text, object_pairs_hook=Pairs, parse_float=Num, parse_constant=refuse)


def parse_line(line):
    """One NDJSON line (bytes) to an event."""
    if len(line) > MAX_LINE:
        raise Bad("line_too_long")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        raise Bad("invalid_utf8")
    if "\0" in text:
        raise Bad("nul")
    try:
        value = parse_json(text)
    except (ValueError, RecursionError):
        raise Bad("not_json_object")
    if not isinstance(value, Pairs):
        raise Bad("not_json_object")
    return normalise(value)


class Corrupt(Exception):
    pass


def decompress(data):
    """zstd, gzip or none, found from the first bytes; several frames or members are read to the end."""
    if data[:2] == b"\x1f\x8b":
        try:
            return gzip.decompress(data)
        except (OSError, EOFError, zlib.error, ValueError) as e:
            raise Corrupt(str(e))
    magic = int.from_bytes(data[:4], "little") if len(data) >= 4 else 0
    if magic == 0xFD2FB528 or (magic & 0xFFFFFFF0) == 0x184D2A50:
        r = subprocess.run(["zstd", "-dcq", "--memory=2048MB"], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if r.returncode != 0:
            raise Corrupt(r.stderr.decode("utf-8", "replace"))
        return r.stdout
    return data


def csv_delimiter(first_line):
    """The delimiter when the line is a CSV header naming our fields, else None."""
    if first_line.lstrip()[:1] in (b"{", b"["):
        return None
    try:
        text = first_line.decode("utf-8")
    except UnicodeDecodeError:
        return None
    for delim in ",;\t":
        try:
            cells = next(csv.reader([text], delimiter=delim), [])
        except csv.Error:
            continue
        if len({"event_id", "event", "ts", "app", "user_id"} & set(cells)) >= 3:
            return delim
    return None


def read_records(data):
    """Yields ('event', dict) or ('bad', reason) for the records of one decompressed file."""
    if data[:3] == b"\xef\xbb\xbf":
        data = data[3:]
    lines = data.split(b"\n")
    first = next((l for l in lines if l.strip()), b"").rstrip(b"\r")
    delim = csv_delimiter(first)
    if delim is None:
        for line in lines:
            if line.endswith(b"\r"):
                line = line[:-1]
            if not line.strip(b" \t\r"):
                continue
            try:
                yield "event", parse_line(line)
            except Bad as bad:
                yield "bad", str(bad)
        return
    text = data.decode("utf-8", "surrogateescape")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delim)
    header = None
    for row in rows:
        if not row or (len(row) == 1 and not row[0].strip()):
            continue
        if header is None:
            header = row
            continue
        try:
            joined = "".join(row)
            try:
                joined.encode("utf-8")
            except UnicodeEncodeError:
                raise Bad("invalid_utf8")
            if len(row) > len(header):
                raise Bad("not_json_object")
            yield "event", normalise(list(zip(header, row)), from_csv=True)
        except Bad as bad:
            yield "bad", str(bad)


def list_files(paths):
    """A directory is read recursively in byte order of relative paths; names that begin with `.` or `_` are
    skipped, links not followed."""
    out = []
    for path in paths:
        if os.path.isdir(path):
            found = []
            for root, dirs, names in os.walk(path, followlinks=False):
                dirs[:] = [d for d in dirs if not d.startswith((".", "_")) and not os.path.islink(os.path.join(root, d))]
                for name in names:
                    full = os.path.join(root, name)
                    if not name.startswith((".", "_")) and not os.path.islink(full) and os.path.isfile(full):
                        found.append((os.fsencode(os.path.relpath(full, path)), full))
            out += [full for _, full in sorted(found)]
        else:
            out.append(path)
    return out


def canonical(ev):
    """The normalised fields without received_at, as JSON in UTF-8 with sorted keys and no spaces; an absent field with a
    default is the same as that default (A3)."""
    content = {"environment": "production", "tier": "individual", "ownership": "purchased"}
    if ev["event"] == "trial_start":
        content["trial_kind"] = "introductory"
    if ev["event"] == "cancellation":
        content["reason"] = "voluntary"
    content.update({k: v for k, v in ev.items() if k != "received_at"})
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


class Store:
    """The set of events after "Bad input": duplicates once, one content for each app and event_id."""

    def __init__(self):
        self.files = self.files_skipped = self.files_failed = 0
        self.duplicates = self.conflicts = 0
        self.quarantined = {}
        self.events = []
        self.failed = []
        self.by_app = {}
        self.cache = {}
        self.rates = {}                             # (currency, day since 1970) -> dollars of one unit

    def summary(self):
        return {"files": self.files, "files_skipped": self.files_skipped, "files_failed": self.files_failed,
                "events": len(self.events), "duplicates": self.duplicates, "conflicts": self.conflicts,
                "quarantined": dict(sorted(self.quarantined.items()))}


def load(paths):
    store = Store()
    seen_files = set()
    contents = {}                                   # (app, event_id) -> {canonical: [lines, kept event]}
    for path in list_files(paths):
        with open(path, "rb") as f:
            stored = f.read()
        if stored in seen_files:                    # a file read before (same stored bytes): skipped, whatever its name
            store.files_skipped += 1
            continue
        try:
            records = list(read_records(decompress(stored)))
        except Corrupt:
            store.files_failed += 1
            store.failed.append(path)
            continue
        seen_files.add(stored)
        store.files += 1
        for what, value in records:
            if what == "bad":
                store.quarantined[value] = store.quarantined.get(value, 0) + 1
                continue
            copies = contents.setdefault((value["app"], value["event_id"]), {})
            entry = copies.setdefault(canonical(value), [0, value])
            entry[0] += 1
            # A4: of equal contents the copy with the earliest received_at (absent: ts) stays; of equals the one with a received_at
            if (received(value), "received_at" not in value) < (received(entry[1]), "received_at" not in entry[1]):
                entry[1] = value
    for key, copies in contents.items():
        lines = sum(entry[0] for entry in copies.values())
        store.duplicates += lines - len(copies)     # duplicates = lines - distinct contents
        store.conflicts += len(copies) - 1          # conflicts = distinct contents - 1
        kept = min(copies.items(), key=lambda item: (received(item[1][1]), item[0]))
        store.events.append(kept[1][1])
    if store.conflicts:
        store.quarantined["conflict"] = store.conflicts                    # A5
    for ev in store.events:
        store.by_app.setdefault(ev["app"], []).append(ev)
    return store


def received(ev):
    return ev.get("received_at", ev["ts"])


# ----------------------------------------------------------------------------------------------------------------
# 1. Ground
# ----------------------------------------------------------------------------------------------------------------

def production(ev):
    return ev.get("environment", "production") == "production"


def left_out(ev):
    """1.5: sandbox events, and events marked family_shared."""
    return not production(ev) or ev.get("ownership") == "family_shared"


def default_as_of(events):
    """1.1: one millisecond after the newest stored production event, clock-skewed ones aside; None without one."""
    newest_received = max((ev["received_at"] for ev in events if "received_at" in ev), default=None)   # A6
    best = None
    for ev in events:
        if not production(ev):
            continue                                # family_shared events still set T
        limit = ev.get("received_at", newest_received)
        if limit is not None and ev["ts"] > limit + DAY:
            continue
        best = ev["ts"] if best is None else max(best, ev["ts"])
    return None if best is None else best + 1


def order_key(ev):
    """1.2: ts, then kind in the order of the table, then event_id as bytes."""
    return (ev["ts"], KIND_ORDER[ev["event"]], ev["event_id"].encode("utf-8"))


def persons_of(events):
    """1.3: the ids that identify events known at T join; transitive."""
    parent = {}

    def find(x):
        parent.setdefault(x, x)
        while parent[x] != x:
            x = parent[x]
        return x

    for ev in events:
        find(ev["user_id"])
        if ev["event"] == "identify":
            a, b = find(ev["user_id"]), find(ev["previous_user_id"])
            if a != b:
                parent[a] = b
    groups = {}
    for ev in events:
        groups.setdefault(find(ev["user_id"]), []).append(ev)
    return [sorted(group, key=order_key) for group in groups.values()]


# ----------------------------------------------------------------------------------------------------------------
# 2. Facts
# ----------------------------------------------------------------------------------------------------------------

CONTEXT = ["experiment", "variant", "paywall", "entry_point"]


def own_context(ev):
    """2.1."""
    return tuple(ev.get(name, NONE) for name in CONTEXT)


def before(a, b):
    """a comes before b in the order of 1.2."""
    return order_key(a) < order_key(b)


class Trial:
    def __init__(self, ev, end, grace):
        self.ev = ev
        self.start = ev["ts"]
        self.end = end
        self.kind = ev.get("trial_kind", "introductory")
        self.grace = grace
        self.grace_ends = []                        # accepted grace_ends_at of 1.7
        self.conversion = None
        self.cancelled = False

    @property
    def deadline(self):
        """2.2: end + grace; 1.7: a later grace_ends_at is where the grace ends."""
        return max([self.end + self.grace] + self.grace_ends)

    def is_open(self, ts):
        """2.2: start <= ts < deadline, converted or not."""
        return self.start <= ts < self.deadline


class Payment:
    def __init__(self, ev, as_conversion):
        self.ev = ev
        self.ts = ev["ts"]
        self.is_conversion = as_conversion
        self.price = ev.get("price", 0)
        self.plan_end = None                        # end of the period just paid for
        self.cover_end = None                       # after 2.7
        self.refunds = []                           # (ts, micro-units, currency) of each, on its own day
        self.full_refund = None                     # ts of the refund that completes giving it all back
        self.cut_by_refund = False
        self.cut_by_expiration = False


class Spell:
    def __init__(self, sub, number):
        self.sub = sub
        self.number = number                        # 1 = first spell of the subscription
        self.payments = []
        self.next_payment = None
        self.end = None                             # E
        self.grace_end = None
        self.churned = False
        self.reason = None
        self.trial = None

    @property
    def start(self):
        return self.payments[0].ts

    @property
    def is_purchase(self):
        """2.9: the first payment of a first spell that is a conversion."""
        return self.number == 1 and self.payments[0].is_conversion


class Subscription:
    def __init__(self, key):
        self.key = key
        self.payments = []
        self.churn = []                             # its churn events, in order
        self.spells = []


def same_subscription(ev, trial_ev, otherwise):
    """2.2, 2.4: ids when both carry one, else products when both carry one, else `otherwise`."""
    if "subscription_id" in ev and "subscription_id" in trial_ev:
        return ev["subscription_id"] == trial_ev["subscription_id"]
    if "product_id" in ev and "product_id" in trial_ev:
        return ev["product_id"] == trial_ev["product_id"]
    return otherwise()


def add_months(ms, months):
    """2.6: months keep the day of the month, cut to the month's last day, and the time of day; UTC."""
    epoch = datetime(1970, 1, 1)
    days, rest = divmod(ms, DAY)
    date = epoch + timedelta(days=days)
    index = date.year * 12 + date.month - 1 + months
    year, month = divmod(index, 12)
    month += 1
    first_next = datetime(year + (month == 12), month % 12 + 1, 1)
    last = (first_next - datetime(year, month, 1)).days
    day = datetime(year, month, min(date.day, last))
    return (day - epoch).days * DAY + rest


PLAN_MONTHS = {"monthly": 1, "two_month": 2, "quarterly": 3, "semiannual": 6, "yearly": 12}


def period_end(ev):
    """2.6: [ts, expires_at); without it the plan's calendar length; lifetime never ends (A7)."""
    if ev["plan"] == "lifetime":
        return INF
    if "expires_at" in ev:
        return ev["expires_at"]
    if ev["plan"] == "weekly":
        return ev["ts"] + 7 * DAY
    return add_months(ev["ts"], PLAN_MONTHS[ev["plan"]])


def cover_so_far(payments):
    """2.8: the end of the last covered time; a payment that was given back at once covers none."""
    return max([p.cover_end for p in payments if p.cover_end > p.ts] or [p.cover_end for p in payments])


def is_grant(ev):
    """1.5: a conversion with price 0 and an offer_type."""
    return ev["event"] == "conversion" and ev["price"] == 0 and "offer_type" in ev


def is_paid(ev):
    """2.6: conversions (no grants), renewals, and payments and plan changes with a price above 0."""
    if ev["event"] in ("payment", "plan_change"):
        return ev.get("price", 0) > 0
    return ev["event"] == "renewal" or (ev["event"] == "conversion" and not is_grant(ev))


class Person:
    """One person's events (known at T, not left out, in the order of 1.2) folded into facts."""

    def __init__(self, events, T, G, first_payment=None):
        self.events = events
        self.first_payment = first_payment          # of the app: 2.12
        self.T = T
        self.G = G
        self.impressions = [ev for ev in events if ev["event"] == "paywall_impression"]
        self.resolve_subscriptions_by_id_and_product()
        self.place_payments()
        self.find_grants()
        self.fold_trials()
        self.assign_conversions()
        self.cancel_trials()
        self.fold_subscriptions()

    # 2.6 -------------------------------------------------------------------------------------------------------
    def resolve_subscriptions_by_id_and_product(self):
        """2.6: "the person's only subscription (among those with an id, as known at T) of its product_id" (A8)."""
        self.ids_of_product = {}
        for ev in self.events:
            if "subscription_id" in ev and "product_id" in ev:
                self.ids_of_product.setdefault(ev["product_id"], set()).add(ev["subscription_id"])

    def key_by_id_or_product(self, ev):
        if "subscription_id" in ev:
            return ("id", ev["subscription_id"])
        if "product_id" in ev:
            ids = self.ids_of_product.get(ev["product_id"], set())
            if len(ids) == 1:
                return ("id", next(iter(ids)))
            return ("product", ev["product_id"])
        return None

    # 2.12 ------------------------------------------------------------------------------------------------------
    def place_payments(self):
        """2.12: which `payment` is the first of its subscription."""
        self.first_payments = set()
        for ev in self.events:
            if ev["event"] == "payment" and is_paid(ev) and self.is_first(ev):
                self.first_payments.add(ev["event_id"])

    def is_first(self, ev):
        key = self.key_by_id_or_product(ev)
        own = [other for other in self.events if before(other, ev) and self.key_by_id_or_product(other) == key]
        if any(is_paid(other) for other in own):
            return False
        if ev["plan"] == "lifetime" or any(other["event"] == "trial_start" for other in own):
            return True
        if "subscription_started_at" in ev and ev["subscription_started_at"] > ev["ts"] - DAY:
            return True
        if self.first_payment is None:
            return False
        return ev["ts"] > period_end({"ts": self.first_payment, "plan": ev["plan"]}) + self.G

    # 1.5 -------------------------------------------------------------------------------------------------------
    def find_grants(self):
        """1.5: the first renewal or payment above 0 of the same subscription after a grant is read as its conversion (A9)."""
        self.grants = [ev for ev in self.events if is_grant(ev)]
        self.renewals_as_conversions = set()
        for grant in self.grants:
            key = self.key_by_id_or_product(grant)
            for ev in self.events:
                if (ev["event"] in ("renewal", "payment") and ev["price"] > 0 and before(grant, ev)
                        and self.key_by_id_or_product(ev) == key):
                    self.renewals_as_conversions.add(ev["event_id"])
                    break
        self.conversions = [ev for ev in self.events if self.reads_as_conversion(ev)]

    def reads_as_conversion(self, ev):
        if ev["event"] == "conversion":
            return not is_grant(ev)
        return ev["event_id"] in self.renewals_as_conversions or ev["event_id"] in self.first_payments

    # 2.2, 1.7 --------------------------------------------------------------------------------------------------
    def fold_trials(self):
        self.trials = []
        for ev in self.events:
            if ev["event"] == "trial_start":
                self.fold_trial_start(ev)
            elif ev["event"] == "billing_issue" and "grace_ends_at" in ev:
                # 1.7: after a trial's start and before the end of its grace, a later grace_ends_at (A10, A11)
                for trial in self.trials:
                    if (trial.kind == "introductory" and self.churn_event_of_trial(ev, trial)
                            and ev["ts"] < trial.deadline and ev["grace_ends_at"] > trial.deadline):
                        trial.grace_ends.append(ev["grace_ends_at"])

    def fold_trial_start(self, ev):
        """2.2."""
        end = ev["trial_ends_at"] if "trial_ends_at" in ev else ev["ts"] + ev["trial_days"] * DAY
        kind = ev.get("trial_kind", "introductory")
        for trial in reversed(self.trials):                              # A12: the newest that it can repeat
            if trial.is_open(ev["ts"]) and same_subscription(ev, trial.ev, lambda: kind == trial.kind):
                if "trial_ends_at" in ev and ev["trial_ends_at"] > trial.end:
                    trial.end = ev["trial_ends_at"]
                return
        self.trials.append(Trial(ev, end, self.G))

    def churn_event_of_trial(self, ev, trial):
        """2.4: ids equal when both carry one, else products equal when both carry one, else the newest trial (A13)."""
        if trial.kind != "introductory" or not before(trial.ev, ev):
            return False

        def is_newest():
            earlier = [t for t in self.trials if t.kind == "introductory" and before(t.ev, ev)]
            return earlier[-1] is trial
        return same_subscription(ev, trial.ev, is_newest)

    # 2.3 -------------------------------------------------------------------------------------------------------
    def assign_conversions(self):
        """2.3: three passes, each in order of time; equal subscription_id; then equal product_id; then any."""
        self.trial_of = {}                          # event_id of a conversion -> Trial

        def equal(name):
            return lambda ev, trial: name in ev and name in trial.ev and ev[name] == trial.ev[name]

        for test in (equal("subscription_id"), equal("product_id"), lambda ev, trial: True):
            for ev in self.conversions:
                if ev["event_id"] in self.trial_of:
                    continue
                left = [t for t in self.trials if t.conversion is None and t.is_open(ev["ts"]) and test(ev, t)]
                if left:
                    trial = left[-1]                # the newest trial left (A14: in every pass)
                    trial.conversion = ev
                    self.trial_of[ev["event_id"]] = trial

    # 2.4 -------------------------------------------------------------------------------------------------------
    def cancel_trials(self):
        """2.4: the last cancellation or reactivation of the trial in [start, end) and before its conversion."""
        for trial in self.trials:
            if trial.kind != "introductory":
                continue
            last = None
            for ev in self.events:
                if (ev["event"] in ("cancellation", "reactivation") and trial.start <= ev["ts"] < trial.end
                        and self.churn_event_of_trial(ev, trial)
                        and (trial.conversion is None or before(ev, trial.conversion))):
                    last = ev
            trial.cancelled = last is not None and last["event"] == "cancellation"

    # 2.6 - 2.9 -------------------------------------------------------------------------------------------------
    def fold_subscriptions(self):
        self.subscriptions = {}

        def sub(key):
            return self.subscriptions.setdefault(key, Subscription(key))

        payments = []                               # of the person, in order
        sub_of_payment = {}
        for ev in self.events:
            if is_paid(ev):
                payment = Payment(ev, self.reads_as_conversion(ev))
                payment.plan_end = period_end(ev)
                owner = sub(self.key_by_id_or_product(ev))
                owner.payments.append(payment)
                payments.append(payment)
                sub_of_payment[ev["event_id"]] = owner
        # 2.6: a churn event without id and product belongs to the subscription paid last before it
        for ev in self.events:
            if ev["event"] in CHURN:
                key = self.key_by_id_or_product(ev)
                if key is not None:
                    owner = sub(key)
                else:
                    earlier = [p for p in payments if before(p.ev, ev)]
                    owner = sub_of_payment[earlier[-1].ev["event_id"]] if earlier else None
                if owner is not None:
                    owner.churn.append(ev)
                if ev["event"] == "refund":
                    self.give_back(ev, owner, payments)
        for s in self.subscriptions.values():
            self.fold_spells(s)
        self.spells = [spell for s in self.subscriptions.values() for spell in s.spells]
        self.purchases = [spell for spell in self.spells if spell.is_purchase]

    def give_back(self, ev, owner, payments):
        """2.7: what a refund gives back."""
        earlier = [p for p in payments if before(p.ev, ev)]
        named = [p for p in payments if "transaction_id" in ev and p.ev.get("transaction_id") == ev["transaction_id"]]
        if named:
            # A15: of several the last one before the refund, else the first one after it
            named_before = [p for p in named if before(p.ev, ev)]
            payment = named_before[-1] if named_before else named[0]
        else:
            own = [p for p in earlier if owner is not None and p in owner.payments]
            if not own:
                return
            payment = own[-1]
        given = sum(amount for _, amount, currency in payment.refunds if currency == payment.ev.get("currency"))
        if ev.get("price", 0) > 0:
            payment.refunds.append((ev["ts"], ev["price"], ev.get("currency")))
        else:                                       # A27: without a price, what is left of the payment
            left = max(0, payment.price - given) if "price" not in ev else 0
            payment.refunds.append((ev["ts"], left, payment.ev.get("currency")))
        if payment.full_refund is not None:
            return
        if "price" not in ev:
            payment.full_refund = ev["ts"]          # absent price: all of it
            return
        if ev["price"] > 0 and ev.get("currency") != payment.ev.get("currency"):
            return                                  # another currency: partial
        payment.refunded = getattr(payment, "refunded", 0) + ev["price"]
        if payment.refunded >= payment.price:       # A16
            payment.full_refund = ev["ts"]

    def fold_spells(self, s):
        """2.7 and 2.8 for one subscription."""
        expirations = [ev for ev in s.churn if ev["event"] == "expiration"]
        for i, p in enumerate(s.payments):
            # 2.7
            end = p.plan_end
            other = [q.ts for q in s.payments[i + 1:] if q.ev["product_id"] != p.ev["product_id"]]
            if other:
                end = min(end, other[0])
            # A15: given back before it was made: it covers nothing
            given_back = None if p.full_refund is None else max(p.ts, p.full_refund)
            if given_back is not None:
                end = min(end, given_back)
            ended = [ev["ts"] for ev in expirations if ev["ts"] > p.ts]
            if ended:
                end = min(end, ended[0])
            p.cover_end = end
            p.cut_by_refund = given_back == end and end < p.plan_end              # A17
            p.cut_by_expiration = bool(ended) and ended[0] == end and end < p.plan_end
        # 2.8: spells
        for p in s.payments:
            spell = s.spells[-1] if s.spells else None
            if spell is not None:
                if p.ts <= self.grace_end(s, spell.payments):
                    spell.payments.append(p)
                    continue
                spell.next_payment = p
            spell = Spell(s, len(s.spells) + 1)
            spell.payments.append(p)
            s.spells.append(spell)
        for spell in s.spells:
            spell.end = cover_so_far(spell.payments)
            spell.grace_end = self.grace_end(s, spell.payments)
            spell.churned = spell.grace_end <= self.T
            if spell.churned:
                spell.reason = self.churn_reason(s, spell)
            spell.trial = self.trial_of.get(spell.payments[0].ev["event_id"])

    def grace_end(self, s, payments):
        """2.8 "the end of the cover so far plus grace", and 1.7 for a spell: a billing_issue after its last payment and
        before the end of its grace that carries a later grace_ends_at."""
        end = cover_so_far(payments) + self.G
        for ev in s.churn:
            if (ev["event"] == "billing_issue" and "grace_ends_at" in ev and before(payments[-1].ev, ev)
                    and ev["ts"] < end and ev["grace_ends_at"] > end):
                end = ev["grace_ends_at"]
        return end

    def churn_reason(self, s, spell):
        """2.8."""
        E = spell.end
        last = spell.payments[-1]
        enders = [p for p in spell.payments if p.cover_end == E]
        # `refund` if a refund ended it
        if any(p.cut_by_refund for p in enders):
            return "refund"
        # or if a full refund of its last payment comes within 1 d after the expiration that ended it
        if any(p.cut_by_expiration for p in enders) and last.full_refund is not None and E <= last.full_refund < E + DAY:
            return "refund"
        # the last cancellation or reactivation since its last payment and before E
        switch = None
        for ev in s.churn:
            if ev["event"] in ("cancellation", "reactivation") and before(last.ev, ev) and ev["ts"] < E:
                switch = ev
        if switch is not None and switch["event"] == "cancellation":
            return switch.get("reason", "voluntary")
        # `billing` if a billing_issue lies after the last payment and before E + grace
        for ev in s.churn:
            if ev["event"] == "billing_issue" and before(last.ev, ev) and ev["ts"] < spell.grace_end:
                return "billing"
        # the reason of the last expiration that states one, after its last payment, not after the next, before E + 60 d
        stated = None
        for ev in s.churn:
            if (ev["event"] == "expiration" and "reason" in ev and ev["ts"] > last.ts and ev["ts"] < E + 60 * DAY
                    and (spell.next_payment is None or ev["ts"] <= spell.next_payment.ts)):           # A18
                stated = ev
        return stated["reason"] if stated is not None else "other"

    # 2.10 ------------------------------------------------------------------------------------------------------
    def contexts_of_event(self, ev, mode):
        """2.10 for a trial, a direct purchase, the conversion of an app trial: a list of distinct contexts."""
        window = [i for i in self.impressions if ev["ts"] - 7 * DAY < i["ts"] <= ev["ts"]]
        if "entry_point" in ev:
            experiment, variant, paywall, entry_point = own_context(ev)
            same = [i for i in window if i["entry_point"] == ev["entry_point"]]
            if same:                                                      # A19: the last one in every mode
                fill = own_context(same[-1])
                if "experiment" not in ev and "variant" not in ev:        # together
                    experiment, variant = fill[0], fill[1]
                if "paywall" not in ev:
                    paywall = fill[2]
            return [(experiment, variant, paywall, entry_point)]
        if not window:
            return [(UNATTRIBUTED,) * 4]
        if mode == "first":
            return [own_context(window[0])]
        if mode == "last":
            return [own_context(window[-1])]
        distinct = []
        for i in window:
            if own_context(i) not in distinct:
                distinct.append(own_context(i))
        return distinct

    def contexts_of_trial(self, trial, mode):
        return self.contexts_of_event(trial.ev, mode)

    def contexts_of_conversion(self, ev, mode):
        trial = self.trial_of.get(ev["event_id"])
        if trial is not None and trial.kind == "introductory":
            return self.contexts_of_trial(trial, mode)      # the conversion of an introductory trial has the trial's
        return self.contexts_of_event(ev, mode)

    def contexts_of_spell(self, spell, mode):
        return self.contexts_of_conversion(spell.payments[0].ev, mode)

    def set_offerings(self, mode):
        """2.11: a unit's own event's, else that of the impression that it is attributed to; a conversion's, else its trial's."""
        for ev in self.events:
            ev.pop(OFFERING, None)
        for trial in self.trials:
            trial.ev[OFFERING] = self.offering_of(trial.ev, mode)
        for spell in self.spells:
            ev = spell.payments[0].ev
            trial = self.trial_of.get(ev["event_id"])
            if trial is not None and trial.kind == "introductory":
                ev[OFFERING] = ev.get("offering", trial.ev[OFFERING])
            else:
                ev[OFFERING] = self.offering_of(ev, mode)

    def offering_of(self, ev, mode):
        window = [i for i in self.impressions if ev["ts"] - 7 * DAY < i["ts"] <= ev["ts"]
                  and ("entry_point" not in ev or i["entry_point"] == ev["entry_point"])]
        if not window:
            return ev.get("offering", NONE)
        seen = window[0] if mode == "first" and "entry_point" not in ev else window[-1]
        return ev.get("offering", seen.get("offering", NONE))


# ----------------------------------------------------------------------------------------------------------------
# dimensions, filters, printing
# ----------------------------------------------------------------------------------------------------------------

ALL_DIMS = ["variant", "entry_point", "paywall", "experiment", "plan", "tier", "country", "platform", "store",
            "app_version", "trial_kind", "product", "offering", "offer_type", "offer_code", "day", "week", "month"]
OFFERING = "offering of the unit"
STAGE = "number of the payment"
RENEWING = "auto-renew of the spell"
TERMS = ["plan", "tier", "trial_kind", "product", "offering", "offer_type", "offer_code"]


def stage(spell, payment):
    """2.11: the payment's number in its subscription, over all its spells."""
    if not spell.sub.spells[0].is_purchase:
        return "?"
    number = 1 + [p for s in spell.sub.spells for p in s.payments].index(payment)
    return str(number) if number < 3 else "3-5" if number < 6 else "6-12" if number < 13 else "13+"


def local_date(ms, zone):
    """Calendar days in --timezone only group and filter."""
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=ms)
    return moment.astimezone(zone).date()


def dimension(name, ev, context, opts, trial_kind=None):
    """2.11."""
    if name in CONTEXT:
        return context[CONTEXT.index(name)]
    if name == "day":
        return local_date(ev["ts"], opts.zone).isoformat()
    if name == "week":
        date = local_date(ev["ts"], opts.zone)
        return (date - timedelta(days=date.weekday())).isoformat()
    if name == "month":
        return local_date(ev["ts"], opts.zone).isoformat()[:7]
    if name == "trial_kind" and trial_kind is not None:
        return trial_kind
    if name == "tier":
        return ev.get("tier", "individual")
    if name == "offering":
        return ev.get(OFFERING, ev.get("offering", NONE))
    if name == "stage":
        return ev[STAGE]
    if name == "renewing":
        return ev[RENEWING]
    if name == "product":
        return ev.get("product_id", NONE)
    if name.startswith("property:"):
        return ev.get("properties", {}).get(name[len("property:"):], NONE)
    return ev.get(name, NONE)


def passes(ev, context, opts, trial_kind=None, only=None):
    for name, values in opts.where:
        if only is not None and name not in only:
            continue
        if dimension(name, ev, context, opts, trial_kind) not in values:
            return False
    return True


def in_days(ts, opts):
    """--from DAY --to DAY, --to exclusive, in --timezone."""
    day = local_date(ts, opts.zone).isoformat()
    return (opts.from_ is None or opts.from_ <= day) and (opts.to is None or day < opts.to)


def normal_quantile_975():
    """z in full: Newton on the error function series in decimals."""
    pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")

    def cdf(x):
        term = total = x
        n = 0
        while abs(term) > Decimal(10) ** -58:
            n += 1
            term = term * x * x / (2 * n + 1)
            total += term
        return Decimal("0.5") + (-(x * x) / 2).exp() / (2 * pi).sqrt() * total

    x = Decimal("1.96")
    for _ in range(8):
        x -= (cdf(x) - Decimal("0.975")) / ((-(x * x) / 2).exp() / (2 * pi).sqrt())
    return x


Z = normal_quantile_975()


def dec(value):
    value = Fraction(value)
    return Decimal(value.numerator) / Decimal(value.denominator)


def f6(value):
    """1.8: 6 decimals, rounded as C's printf rounds the nearest double."""
    return "%.6f" % float(value)


def rate(x, n):
    return "" if n == 0 else f6(Fraction(x) / Fraction(n))


def wilson(x, n):
    """Wilson: [x + z^2/2 -+ z sqrt(x(1 - x/n) + z^2/4)] / (n + z^2); 0 at x = 0, 1 at x = n."""
    if n == 0:
        return ["", ""]
    X, N = dec(x), dec(n)
    root = Z * (X * (1 - X / N) + Z * Z / 4).sqrt()
    low = Decimal(0) if x == 0 else (X + Z * Z / 2 - root) / (N + Z * Z)
    high = Decimal(1) if x == n else (X + Z * Z / 2 + root) / (N + Z * Z)
    return [f6(low), f6(high)]


def rate_wilson(x, n):
    return [rate(x, n)] + wilson(x, n)


CURRENCY_DECIMALS = {"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3, "CLF": 4, "UYW": 4}


def money(micro, currency):
    """1.8: exactly, half to even; 2 decimals, or the currency's own number when that is more."""
    if micro is None:
        return ""
    places = CURRENCY_DECIMALS.get(currency, 2)
    units = round(Fraction(micro) * 10 ** places / 1_000_000)      # Fraction rounds half to even
    sign = "-" if units < 0 else ""
    whole, part = divmod(abs(units), 10 ** places)
    return "%s%d.%0*d" % (sign, whole, places, part)


def csv_text(rows):
    def cell(value):
        value = str(value)
        if any(c in value for c in ',"\r\n'):
            return '"' + value.replace('"', '""') + '"'
        return value
    return "".join(",".join(cell(c) for c in row) + "\n" for row in rows)


# ----------------------------------------------------------------------------------------------------------------
# reports
# ----------------------------------------------------------------------------------------------------------------

class Options:
    def __init__(self, args):
        self.apps = args.app
        self.zone = ZoneInfo(args.timezone)
        self.from_ = args.from_
        self.to = args.to
        self.as_of = None if args.as_of is None else parse_instant(args.as_of)
        self.unit = args.unit
        self.attribution = args.attribution
        self.path = args.path
        self.to_step = args.to_step
        self.grace = days_to_ms(args.grace)
        self.mode = args.mode
        self.store_fee = Fraction(args.store_fee)
        self.movement = args.movement
        self.currency = None if args.currency == "native" else args.currency.upper()
        self.by_period = args.by_period
        self.at = None if args.at is None else [int(n) for n in args.at.split(",")]
        self.date = args.date
        self.grace_whatif = None if args.grace_whatif is None else days_to_ms(args.grace_whatif)
        self.cancel_screens = [] if args.cancel_screens is None else args.cancel_screens.split(",")
        self.vendor, self.metric, self.days, self.vendor_value = args.vendor, args.metric, args.days, args.vendor_value
        self.horizon = None if args.horizon is None else days_to_ms(args.horizon)
        by = args.by
        if by is None:
            by = DEFAULT_BY[args.report]
        self.by = [] if by == "none" else by.split(",")
        self.where = []
        self.cohorts = []       # the names, and whether their members are left out
        for text in args.where:
            if text.startswith("cohort:"):
                name = text[len("cohort:"):]
                self.cohorts.append((name.lstrip("!"), name.startswith("!")))
                continue
            name, _, values = text.partition("=")
            self.where.append((name, values.split(",")))
        for name in self.by + [n for n, _ in self.where]:
            if name not in ALL_DIMS + ["stage", "renewing"] and not name.startswith("property:"):
                raise SystemExit("unknown dimension " + name)


# Rows unless --by names others.
DEFAULT_BY = {
    "funnel": "variant", "trials": "variant", "savings": "variant", "cancellations": "variant", "value": "variant",
    "retention": "variant", "revenue": "month", "mrr": "month", "subscriptions": "month", "refunds": "month", "ltv": "none", "recovery": "store",
    "paths": "variant", "cadence": "none", "gates": "none", "nudges": "none", "activity": "week", "reconcile": "month",
    "saves": "plan", "winback": "none",
}


def days_to_ms(text):
    return math.floor(Fraction(text) * DAY)


def parse_instant(text):
    return int(text) if re.fullmatch(r"-?\d+", text) else parse_rfc3339(text)


def people(store, app, opts):
    """T of the app (1.1) and its persons (1.3) folded."""
    events = store.by_app[app]
    T = opts.as_of if opts.as_of is not None else default_as_of(events)
    if T is None:
        return None, []
    key = (app, T, opts.grace)
    if key not in store.cache:
        known = [ev for ev in events if ev["ts"] < T and not left_out(ev)]     # 1.1, 1.5
        first = min((ev["ts"] for ev in known if is_paid(ev)), default=None)
        store.cache[key] = [Person(group, T, opts.grace, first) for group in persons_of(known)]
        if len(store.cache) > 12:
            store.cache.pop(next(iter(store.cache)))
    for person in store.cache[key]:
        person.set_offerings(opts.attribution)
    if getattr(opts, "cohorts", None):
        import cohorts
        return T, Members(cohorts.selected(store.cache[key], opts), store.cache[key])
    return T, store.cache[key]


class Members(list):
    """The persons of cohorts, of all persons of their app."""

    def __init__(self, members, everyone):
        super().__init__(members)
        self.everyone = everyone


def apps_of(store, opts):
    for name in opts.apps:
        if name not in store.by_app:
            raise SystemExit("unknown app " + name)
    return [a for a in store.by_app if not opts.apps or a in opts.apps]


def sort_rows(rows, keys):
    return sorted(rows, key=lambda row: [c.encode("utf-8") for c in row[:keys]])


def rows_of(ev, contexts, opts, by, trial_kind=None):
    """The rows that a unit is credited to: once a row, each credited context that passes --where."""
    out = []
    for context in contexts:
        if passes(ev, context, opts, trial_kind):
            row = tuple(dimension(name, ev, context, opts, trial_kind) for name in by)
            if row not in out:
                out.append(row)
    return out


# 3. Funnel ------------------------------------------------------------------------------------------------------

def trial_length(persons):
    """3.3: the least length that 99 % of the introductory trials do not exceed; 0 without any."""
    lengths = sorted(t.end - t.start for p in getattr(persons, "everyone", persons) for t in p.trials if t.kind == "introductory")
    return next((length for i, length in enumerate(lengths) if 100 * (i + 1) >= 99 * len(lengths)), 0)


def horizon(persons, opts):
    """3.3: H = 7 d + L + grace."""
    if opts.horizon is not None:
        return opts.horizon
    return 7 * DAY + trial_length(persons) + opts.grace


def funnel(store, opts):
    header = ["app"] + opts.by + ["users", "trial_users", "trial_paid_users", "direct_paid_users", "paid_users"]
    for name in ["trial_rate", "trial_to_paid_rate", "direct_rate", "paid_rate"]:
        header += [name, name + "_low", name + "_high"]
    header += ["paid_later_users", "immature"]
    cells = {}
    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        if T is None:
            continue
        H = horizon(persons, opts)
        for person in persons:
            for row, entry, credited in entries(person, opts):
                if not in_days(entry["ts"], opts):                    # 3.1: --from/--to filter entry days only
                    continue
                cell = cells.setdefault((app,) + row, dict(users=0, trial=0, trial_paid=0, direct=0, paid=0, later=0, immature=0))
                start = entry["ts"]
                if not start + H <= T:                                # 3.3
                    cell["immature"] += 1
                    continue
                # 3.2
                window = lambda ts: start <= ts < start + 7 * DAY
                trials = [t for t in person.trials if t.kind == "introductory" and window(t.start)
                          and credited(person.contexts_of_trial(t, opts.attribution))]
                direct = []
                for ev in person.conversions:
                    trial = person.trial_of.get(ev["event_id"])
                    if (window(ev["ts"]) and (trial is None or trial.kind == "app" or trial.start < start)
                            and credited(person.contexts_of_conversion(ev, opts.attribution))):
                        direct.append(ev)
                trial_paid = any(t.conversion is not None for t in trials)
                paid = bool(direct) or trial_paid
                later = not paid and any(s.start >= start and credited(person.contexts_of_spell(s, opts.attribution))
                                         for s in person.purchases)   # 3.4
                cell["users"] += 1
                cell["trial"] += bool(trials)
                cell["trial_paid"] += trial_paid
                cell["direct"] += bool(direct)
                cell["paid"] += paid
                cell["later"] += later
    rows = []
    for key, c in cells.items():
        rows.append(list(key) + [c["users"], c["trial"], c["trial_paid"], c["direct"], c["paid"]]
                    + rate_wilson(c["trial"], c["users"]) + rate_wilson(c["trial_paid"], c["trial"])
                    + rate_wilson(c["direct"], c["users"]) + rate_wilson(c["paid"], c["users"])
                    + [c["later"], c["immature"]])
    return [header] + sort_rows(rows, 1 + len(opts.by))


def entries(person, opts):
    """3.1: (row, entry impression, which attributed contexts are credited to it)."""
    if opts.unit == "user":
        if person.impressions:
            entry = person.impressions[0]
            context = own_context(entry)
            if passes(entry, context, opts):
                row = tuple(dimension(name, entry, context, opts) for name in opts.by)
                yield row, entry, lambda contexts: True
        return
    first = {}
    for ev in person.impressions:
        context = own_context(ev)
        if passes(ev, context, opts):                                 # A20
            row = tuple(dimension(name, ev, context, opts) for name in opts.by)
            first.setdefault(row, ev)
    for row, entry in first.items():
        wanted = [(CONTEXT.index(name), value) for name, value in zip(opts.by, row) if name in CONTEXT]

        def credited(contexts, wanted=wanted, entry=entry):
            return any(all(context[i] == value for i, value in wanted)
                       and passes(entry, context, opts, only=CONTEXT)               # A21
                       for context in contexts)
        yield row, entry, credited


# 4. Trial to paid -----------------------------------------------------------------------------------------------

def trials_report(store, opts):
    header = ["app"] + opts.by + ["trials", "converted", "lapsed", "pending_renewing", "pending_cancelled", "matured",
                                  "matured_converted", "trial_to_paid_rate", "trial_to_paid_rate_low",
                                  "trial_to_paid_rate_high", "floor_rate", "ceiling_rate", "cancelled", "cancel_rate",
                                  "cancel_rate_low", "cancel_rate_high", "cumulative_incidence",
                                  "cumulative_incidence_low", "cumulative_incidence_high"]
    cells = {}
    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        for person in persons:
            for trial in person.trials:
                if in_days(trial.start, opts):
                    contexts = person.contexts_of_trial(trial, opts.attribution)
                    for row in rows_of(trial.ev, contexts, opts, opts.by, trial.kind):
                        cells.setdefault((app,) + row, (T, []))[1].append(trial)
    rows = []
    for key, (T, trials) in cells.items():
        # 2.5, 4.2
        converted = [t for t in trials if t.conversion is not None]
        lapsed = [t for t in trials if t.conversion is None and t.deadline <= T]
        pending = [t for t in trials if t.conversion is None and T < t.deadline]
        p_cancelled = [t for t in pending if t.cancelled]
        matured = [t for t in trials if t.deadline <= T]
        m_converted = [t for t in matured if t.conversion is not None]
        intro = [t for t in matured if t.kind == "introductory"]
        cancelled = [t for t in intro if t.cancelled]
        rows.append(list(key) + [len(trials), len(converted), len(lapsed), len(pending) - len(p_cancelled),
                                 len(p_cancelled), len(matured), len(m_converted)]
                    + rate_wilson(len(m_converted), len(matured))                                       # 4.3
                    + [rate(len(converted), len(trials)), rate(len(converted) + len(pending), len(trials))]   # 4.4
                    + [len(cancelled)] + rate_wilson(len(cancelled), len(intro))                        # 4.5
                    + incidence(trials, T))
    return [header] + sort_rows(rows, 1 + len(opts.by))


def aalen_johansen(data):
    """Methods 2.10: (F, variance) after the last time; data = [(time, status)], 1 = conversion, 2 = lapse, 0 = censored.
    Censored at t stay at risk at t. Greenwood type variance (the delta method)."""
    F, S = Fraction(0), Fraction(1)
    steps = []
    for u in sorted({t for t, status in data if status}):
        n = sum(1 for t, _ in data if t >= u)
        a1 = Fraction(sum(1 for t, status in data if t == u and status == 1), n)
        a2 = Fraction(sum(1 for t, status in data if t == u and status == 2), n)
        S_before = S
        F += S * a1
        S *= 1 - a1 - a2
        steps.append((n, a1, a2, S_before, F, S))
    variance = Fraction(0)
    for n, a1, a2, S_before, F_u, S_u in steps:
        A = (F - F_u) / S_u if S_u else Fraction(0)
        variance += S_before ** 2 / n * (a1 * (1 - A) ** 2 + a2 * A ** 2 - (a1 * (1 - A) - a2 * A) ** 2)
    return F, variance


def trial_ends(trials, T):
    """4.6: of each trial the time from its start, and 1 for converted, 2 for lapsed, 0 for still open."""
    ends = []
    for t in trials:
        if t.conversion is not None:
            ends.append((t.conversion["ts"] - t.start, 1))
        elif t.deadline <= T:
            ends.append((t.deadline - t.start, 2))
        else:
            ends.append((T - t.start, 0))
    return ends


def incidence(trials, T):
    """4.6."""
    matured = sum(1 for t in trials if t.deadline <= T)
    if matured == 0:
        return ["", "", ""]
    F, variance = aalen_johansen(trial_ends(trials, T))
    n = Fraction(matured) if F in (0, 1) else F * (1 - F) / variance
    return [f6(F)] + wilson(n * F, n)


# 5. Yearly-plan savings -----------------------------------------------------------------------------------------

def savings(store, opts):
    by = [name for name in opts.by if name != "tier"]
    header = ["app"] + by + ["tier", "currency", "price_source", "price_pairs", "monthly_price", "yearly_price",
                             "shown_saving", "badge_percent", "break_even_months", "weekly_purchases",
                             "monthly_purchases", "yearly_purchases", "lifetime_purchases", "other_purchases",
                             "yearly_share", "realised_saving", "monthly_value_365d", "yearly_advantage"]
    rows = []
    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        cells = {}
        all_purchases = []
        for person in persons:
            for ev in person.impressions:
                # 5.1: both prices on one impression
                if "price_monthly" in ev and "price_yearly" in ev and in_days(ev["ts"], opts):
                    for row in rows_of(ev, [own_context(ev)], opts, by):
                        key = row + (ev.get("tier", "individual"), ev.get("currency", NONE))
                        cells.setdefault(key, ([], []))[0].append(ev)
            for spell in person.purchases:
                if not in_days(spell.start, opts):
                    continue
                all_purchases.append(spell)
                ev = spell.payments[0].ev
                kind = spell.trial.kind if spell.trial is not None else NONE
                contexts = [c for c in person.contexts_of_spell(spell, opts.attribution) if passes(ev, c, opts, kind)]
                for row in rows_of(ev, contexts, opts, by, kind):
                    key = row + (ev.get("tier", "individual"), ev.get("currency", NONE))
                    variants = {c[1] for c in contexts
                                if tuple(dimension(name, ev, c, opts, kind) for name in by) == row}
                    cells.setdefault(key, ([], []))[1].append((spell, variants))
        for key, (impressions, purchases) in cells.items():
            rows.append([app] + list(key) + savings_cells(key[-2], key[-1], impressions, purchases, all_purchases))
    return [header] + sort_rows(rows, 3 + len(by))


def newest_key(ev):
    return (ev["ts"], ev["event_id"].encode("utf-8"))


def most_often(pairs):
    """The value given most often; ties: the newest (A22). pairs = [(value, event)]."""
    tally = {}
    for value, ev in pairs:
        count, newest = tally.get(value, (0, None))
        tally[value] = (count + 1, newest_key(ev) if newest is None else max(newest, newest_key(ev)))
    return max(tally, key=lambda value: tally[value]) if tally else None


def savings_cells(tier, currency, impressions, purchases, all_purchases):
    # 5.1
    pairs = [((ev["price_monthly"], ev["price_yearly"]), ev) for ev in impressions]
    monthly = yearly = None
    if pairs:
        source = "shown"
        monthly, yearly = most_often(pairs)
    else:
        # 5.2
        def counts(spell, plan=None):
            ev = spell.payments[0].ev
            return (ev["price"] > 0 and "offer_type" not in ev
                    and (ev["plan"] == plan if plan else ev["plan"] in ("monthly", "yearly")))      # A23

        def price(spells, plan):
            return most_often([(s.payments[0].ev["price"], s.payments[0].ev) for s in spells if counts(s, plan)])

        source = "paid"
        by_variant = {}
        for spell, variants in purchases:
            if counts(spell):
                for variant in variants:                                                            # A24
                    by_variant.setdefault(variant, []).append(spell)
        there = []
        if by_variant:
            there = by_variant[min(by_variant, key=lambda v: (-len(by_variant[v]), v.encode("utf-8")))]
        if any(sum(1 for s in there if counts(s, plan)) < 5 for plan in ("monthly", "yearly")):
            source = "paid_app"
            there = [s for s in all_purchases if s.payments[0].ev.get("tier", "individual") == tier
                     and s.payments[0].ev.get("currency", NONE) == currency]                        # A25
        monthly, yearly = price(there, "monthly"), price(there, "yearly")
        if monthly is None and yearly is None:
            source = NONE
    # 5.3
    saving = badge = months = ""
    if monthly is not None and yearly is not None and monthly > 0:
        value = 1 - Fraction(yearly, 12 * monthly)
        saving = f6(value)
        badge = str(math.floor(100 * value)) if 100 * value >= 1 else ""
        months = f6(Fraction(yearly, monthly))
    # 5.4
    plans = {"weekly": 0, "monthly": 0, "yearly": 0, "lifetime": 0, "other": 0}
    for spell, _ in purchases:
        plan = spell.payments[0].ev["plan"]
        plans[plan if plan in plans else "other"] += 1
    # 5.5
    realised = None
    if monthly is not None:
        realised = sum(12 * monthly - s.payments[0].price for s, _ in purchases
                       if s.payments[0].ev["plan"] == "yearly" and s.payments[0].price > 0)
    # 5.6
    value = None
    expected = expected_payments([s for s, _ in purchases if s.payments[0].ev["plan"] == "monthly"])
    if monthly is not None and expected is not None:
        value = monthly * expected
    advantage = yearly - value if yearly is not None and value is not None else None
    return ([source, len({p for p, _ in pairs}), money(monthly, currency), money(yearly, currency), saving, badge, months]
            + [plans[p] for p in ("weekly", "monthly", "yearly", "lifetime", "other")]
            + [rate(plans["yearly"], len(purchases)), money(realised, currency), money(value, currency),
               money(advantage, currency)])


def expected_payments(spells):
    """5.6: S(1) + ... + S(12); None when it is not known."""
    S = Fraction(1)
    total = S
    for n in range(2, 13):
        if S > 0:
            made = [s for s in spells if len(s.payments) >= n - 1]
            went_on = sum(1 for s in made if len(s.payments) >= n)
            stopped = sum(1 for s in made if len(s.payments) == n - 1 and s.churned)
            if went_on + stopped == 0:
                return None
            S *= 1 - Fraction(stopped, stopped + went_on)
        total += S
    return total


# 6. Cancellation ------------------------------------------------------------------------------------------------

AGES = [35, 95, 370]


def cancellations(store, opts):
    header = ["app"] + opts.by + ["trials", "trial_cancelled", "trial_cancel_rate", "trial_cancel_rate_low",
                                  "trial_cancel_rate_high", "subscriptions"]
    for a in AGES:
        header += ["at_risk_%d" % a, "cancelled_%d" % a, "cancelled_%d_rate" % a, "cancelled_%d_rate_low" % a,
                   "cancelled_%d_rate_high" % a, "followed_%d" % a, "ended_%d" % a, "ended_%d_rate" % a,
                   "ended_%d_rate_low" % a, "ended_%d_rate_high" % a]
    header += ["churned", "churned_voluntary", "churned_billing", "churned_price_increase", "churned_refund",
               "churned_other", "refund_at_risk", "refunded", "refund_rate", "refund_rate_low", "refund_rate_high",
               "median_days_to_cancel"]
    cells = {}
    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        for person in persons:
            for trial in person.trials:
                # 6.1: trial side: matured introductory trials
                if trial.kind == "introductory" and trial.deadline <= T and in_days(trial.start, opts):
                    contexts = person.contexts_of_trial(trial, opts.attribution)
                    for row in rows_of(trial.ev, contexts, opts, opts.by, trial.kind):
                        cells.setdefault((app,) + row, (T, [], []))[1].append(trial)
            for spell in person.purchases:
                # 6.2: first spells that are purchases, not lifetime
                ev = spell.payments[0].ev
                if ev["plan"] == "lifetime" or not in_days(spell.start, opts):
                    continue
                kind = spell.trial.kind if spell.trial is not None else NONE
                contexts = person.contexts_of_spell(spell, opts.attribution)
                for row in rows_of(ev, contexts, opts, opts.by, kind):
                    cells.setdefault((app,) + row, (T, [], []))[2].append(spell)
    rows = []
    for key, (T, trials, spells) in cells.items():
        cancelled = sum(1 for t in trials if t.cancelled)
        row = list(key) + [len(trials), cancelled] + rate_wilson(cancelled, len(trials)) + [len(spells)]
        for a in AGES:
            at_risk = [s for s in spells if s.start + a * DAY <= T]
            off = sum(1 for s in at_risk if off_at(s, s.start + a * DAY))
            followed = [s for s in spells if s.start + a * DAY + opts.grace <= T]
            ended = sum(1 for s in followed if s.churned and s.end < s.start + a * DAY)
            row += [len(at_risk), off] + rate_wilson(off, len(at_risk))
            row += [len(followed), ended] + rate_wilson(ended, len(followed))
        # 6.3
        reasons = {"voluntary": 0, "billing": 0, "price_increase": 0, "refund": 0, "other": 0}
        churned = [s for s in spells if s.churned]
        for s in churned:
            reasons[s.reason if s.reason in reasons else "other"] += 1
        row += [len(churned)] + [reasons[r] for r in ("voluntary", "billing", "price_increase", "refund", "other")]
        at_risk = [s for s in spells if s.start + 30 * DAY <= T]
        refunded = sum(1 for s in at_risk if s.payments[0].full_refund is not None
                       and s.payments[0].full_refund < s.start + 30 * DAY)
        row += [len(at_risk), refunded] + rate_wilson(refunded, len(at_risk))
        row.append(median_days_to_cancel(spells, T))
        rows.append(row)
    return [header] + sort_rows(rows, 1 + len(opts.by))


def switches(spell):
    """6.2: the spell's cancellations and reactivations: those of its subscription after its first payment and before
    the first payment of the next spell (A26)."""
    return [ev for ev in spell.sub.churn if ev["event"] in ("cancellation", "reactivation")
            and before(spell.payments[0].ev, ev)
            and (spell.next_payment is None or before(ev, spell.next_payment.ev))]


def off_at(spell, end):
    """6.2: the last of the spell's cancellations, reactivations and payments in [start, end) is a cancellation."""
    events = sorted(switches(spell) + [p.ev for p in spell.payments], key=order_key)
    events = [ev for ev in events if spell.start <= ev["ts"] < end]
    return events[-1]["event"] == "cancellation"


def median_days_to_cancel(spells, T):
    """6.5."""
    data = []
    for s in spells:
        first = next((ev for ev in switches(s) if ev["event"] == "cancellation" and ev["ts"] < s.end), None)
        if first is not None:
            data.append((first["ts"] - s.start, 1))
        else:
            data.append(((s.end if s.churned else T) - s.start, 0))
    S = Fraction(1)
    for u in sorted({t for t, status in data if status}):
        n = sum(1 for t, _ in data if t >= u)
        d = sum(1 for t, status in data if t == u and status)
        S *= 1 - Fraction(d, n)
        if S <= Fraction(1, 2):
            return f6(Fraction(u, DAY))
    return ""


REPORTS = {"funnel": funnel, "trials": trials_report, "savings": savings, "cancellations": cancellations}


# ----------------------------------------------------------------------------------------------------------------

def parser():
    p = argparse.ArgumentParser()
    p.add_argument("report", choices=list(REPORTS) + ["ingest", "revenue", "mrr", "subscriptions", "retention", "ltv", "refunds",
                                                         "cadence", "gates", "nudges", "activity", "value", "paths", "recovery", "reconcile",
                                                         "saves", "winback"])
    p.add_argument("--events", nargs="+", required=True)
    p.add_argument("--app", action="append", default=[])
    p.add_argument("--from", dest="from_")
    p.add_argument("--to")
    p.add_argument("--timezone", default="UTC")
    p.add_argument("--as-of")
    p.add_argument("--unit", choices=["user", "view"], default="user")
    p.add_argument("--attribution", choices=["last", "first", "all"], default="last")
    p.add_argument("--horizon")
    p.add_argument("--mode", choices=["gross", "net", "proceeds"], default="net")
    p.add_argument("--store-fee", default="0")
    p.add_argument("--movement", action="store_true")
    p.add_argument("--currency", default="native")
    p.add_argument("--by-period", action="store_true")
    p.add_argument("--at")
    p.add_argument("--date", choices=["payment", "refund"], default="payment")
    p.add_argument("--grace", default="3")
    p.add_argument("--path", default="checkout")
    p.add_argument("--paths")
    p.add_argument("--to-step")
    p.add_argument("--cancel-screens")
    p.add_argument("--grace-whatif")
    p.add_argument("--vendor")
    p.add_argument("--metric")
    p.add_argument("--days", type=int, default=30)
    p.add_argument("--vendor-value")
    p.add_argument("--by")
    p.add_argument("--where", action="append", default=[])
    return p


def run(store, report, argv):
    """The CSV text of one report (used by run_fixtures.py and compare.py)."""
    args = parser().parse_args([report, "--events", "-"] + argv)
    return csv_text(REPORTS[report](store, Options(args)))


def main():
    args = parser().parse_args()
    store = load(args.events)
    if args.report == "ingest":
        print(json.dumps(store.summary(), indent=1))
        return
    sys.stdout.buffer.write(csv_text(REPORTS[args.report](store, Options(args))).encode("utf-8"))


if __name__ == "__main__":
    main()
