"""Amounts in one currency (definitions 1.4), by exact fractions; rates.csv as `rates import` reads it.

A37: the day of a payment is its UTC day, whatever the zone. "The newest earlier one within 7 days": of the day itself or
of one of the 7 before. A payment of 0 needs no rate. Nothing is rounded before it is printed.

D6.2: after the imported rate comes the payment's own price_usd / price, then the median of these over all payments above 0
with both of that currency and day, then that of the nearest day within 7, the earlier of two. A refund takes its payment's
rate; one in another currency that currency's of the payment's day. Without --currency: US dollars where nothing is missing,
else each amount in its own.
"""
import random
import statistics
from datetime import date as Date, timedelta
from fractions import Fraction

DAY = 86_400_000
EPOCH = Date(1970, 1, 1)


class Missing(Exception):
    """A report that lacks rates: (currency, day) of each."""


def own_rate(ev):
    """What a payment itself says."""
    return Fraction(ev["price_usd"], ev["price"]) if ev.get("price", 0) > 0 and ev.get("price_usd", 0) > 0 else None


def derived_rates(events, end):
    """(currency, day) -> median of what payments say, of all apps; and the (currency, day, rate) that are left out: more than
    25 % off the median of the 15 days around them (onboarding 6.4)."""
    found = {}
    for ev in events:
        paid = (ev["event"] in ("renewal", "payment", "plan_change")
                or ev["event"] == "conversion") and ev.get("environment") != "sandbox"
        rate = own_rate(ev)
        if paid and rate is not None and ev.get("ownership") != "family_shared" and (end is None or ev["ts"] < end):
            found.setdefault((ev["currency"], ev["ts"] // DAY), []).append(rate)
    left_out, kept = set(), {}
    for (currency, day), rates in found.items():
        near = [rate for d in range(day - 7, day + 8) for rate in found.get((currency, d), [])]
        middle = statistics.median(near)
        left_out |= {(currency, day, rate) for rate in rates if abs(rate - middle) > middle / 4}
        good = [rate for rate in rates if (currency, day, rate) not in left_out]
        if good:
            kept[currency, day] = statistics.median(good)
    return kept, left_out


class Converter:
    def __init__(self, store, opts):
        self.rates = store.rates                    # (currency, day since 1970) -> dollars of one unit
        self.target = opts.currency
        self.derived, self.left_out = derived_rates(store.events, opts.as_of) if self.target else ({}, set())
        self.missing = set()

    def rate(self, currency, day, ev=None):
        if currency == "USD":
            return Fraction(1)
        for before in range(8):
            if (currency, day - before) in self.rates:
                return self.rates[currency, day - before]
        if ev is not None and own_rate(ev) is not None and (currency, day, own_rate(ev)) not in self.left_out:
            return own_rate(ev)
        for distance in range(8):
            for near in (day - distance, day + distance):
                if (currency, near) in self.derived:
                    return self.derived[currency, near]
        self.missing.add((currency, day))
        return None

    def convert(self, micro, currency, payment):
        """(amount, currency) in which a report shows a payment or what of it was given back."""
        if self.target is None:
            return Fraction(micro), currency
        if micro == 0 or currency == self.target:
            return Fraction(micro), self.target
        ev = payment.ev if payment.ev.get("currency") == currency else None
        own, wanted = self.rate(currency, payment.ts // DAY, ev), self.rate(self.target, payment.ts // DAY)
        if own is None or wanted is None:
            return Fraction(0), self.target
        return micro * own / wanted, self.target

    def check(self):
        if self.missing:
            raise Missing(sorted(self.missing))


def random_rates(seed, events):
    """Rates for nearly all days on which the events have money: {(currency, day): text}."""
    rng = random.Random(seed * 31 + 11)
    gaps = rng.choice([0, 0, 0.02, 0.6, 1])
    currencies = sorted({ev["currency"].upper() for ev in events if ev.get("currency")} | {"EUR"})
    days = sorted({ev["ts"] // DAY for ev in events if ev["event"] in ("conversion", "renewal", "payment", "plan_change", "refund")})
    rates = {}
    for currency in currencies:
        if currency == "USD":
            continue
        for day in days:
            if rng.random() < gaps:
                continue
            value = rng.uniform(0.8, 1.3) * (0.007 if currency == "JPY" else 3 if currency == "KWD" else 1)
            text = rng.choice(["%.4f" % value, "%.12f" % value, "%.2e" % value, "%.6f" % value])
            rates[currency, day - rng.choice([0, 0, 0, 1, 3, 7])] = text
    return rates


def write(rates, path, seed):
    lines = ["%s,%s,%s" % ((EPOCH + timedelta(days=day)).isoformat(), currency, text)
             for (currency, day), text in sorted(rates.items())]
    random.Random(seed).shuffle(lines)
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(["date,currency,usd_per_unit"] + lines) + "\n")
