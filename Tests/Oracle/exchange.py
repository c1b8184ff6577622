"""Amounts in one currency (definitions 1.4), by exact fractions; rates.csv as `rates import` reads it.

A37: the day of a payment or refund is its UTC day, whatever the zone. "The newest earlier one within 7 days": of the day
itself or of one of the 7 before. A payment of 0 needs no rate. Nothing is rounded before it is printed.
"""
import random
from datetime import date as Date, timedelta
from fractions import Fraction

DAY = 86_400_000
EPOCH = Date(1970, 1, 1)


class Missing(Exception):
    """A report that lacks rates: (currency, day) of each."""


class Converter:
    def __init__(self, rates, target):
        self.rates = rates                          # (currency, day since 1970) -> dollars of one unit
        self.target = target
        self.missing = set()

    def rate(self, currency, day):
        if currency == "USD":
            return Fraction(1)
        for before in range(8):
            if (currency, day - before) in self.rates:
                return self.rates[currency, day - before]
        self.missing.add((currency, day))
        return None

    def convert(self, micro, currency, ts):
        """(amount, currency) in which a report shows it."""
        if self.target is None:
            return Fraction(micro), currency
        if micro == 0 or currency == self.target:
            return Fraction(micro), self.target
        own, wanted = self.rate(currency, ts // DAY), self.rate(self.target, ts // DAY)
        if own is None or wanted is None:
            return Fraction(0), self.target
        return micro * own / wanted, self.target

    def check(self):
        if self.missing:
            raise Missing(sorted(self.missing))


def random_rates(seed, events):
    """Rates for nearly all days on which the events have money: {(currency, day): text}."""
    rng = random.Random(seed * 31 + 11)
    gaps = rng.choice([0, 0, 0.02])
    currencies = sorted({ev["currency"].upper() for ev in events if ev.get("currency")} | {"EUR"})
    days = sorted({ev["ts"] // DAY for ev in events if ev["event"] in ("conversion", "renewal", "plan_change", "refund")})
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
