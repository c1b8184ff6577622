"""`payback --predict` by plain lists: random lives of subscribers, and the day on which a campaign pays back with the renewals
that its active subscriptions are still expected to make. Only the fit of renewals and its resamples are of doubles.

`payback.py` runs it. Payments are made when they are due or up to two days later, on days of the month that every month has, so
that a period is easy to tell. Rules: definitions 6.4, 7.6 and D6.9, and the page `Payback.md`.
"""
import datetime
import math
import random
from fractions import Fraction

from lifetime import boundary
from value import fitted_retention

DAY = 86_400
GRACE = 3 * DAY
START = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
END = 200 * DAY
LAST_AGE = 730
MONTHS = {"monthly": 1, "quarterly": 3, "yearly": 12}
RESAMPLES = 300


def later(second, plan, lengths):
    """The second that is some lengths of a plan later."""
    if plan == "weekly":
        return second + 7 * DAY * lengths
    moment = START + datetime.timedelta(seconds=second)
    months = moment.year * 12 + moment.month - 1 + MONTHS[plan] * lengths
    moved = moment.replace(year=months // 12, month=months % 12 + 1)
    return int((moved - START).total_seconds())


def day_of_month(second):
    return (START + datetime.timedelta(seconds=second)).day


class User:
    """A user: payments are [second, cents, [(second, cents) of refunds]], by spell."""

    def __init__(self, first, campaign, plan, spells):
        self.first, self.campaign, self.plan, self.spells = first, campaign, plan, spells
        self.aged = [((second - first) // DAY + 1, cents) for second, cents in self.flows()]
        self.active = active(self)

    def flows(self):
        found = []
        for second, cents, refunds in [payment for spell in self.spells for payment in spell]:
            found += [(second, cents)] + [(when, -back) for when, back in refunds]
        return [flow for flow in found if flow[0] < END]


def lives(seed):
    """Returns users, and spend rows (day, campaign, cents)."""
    numbers = random.Random(seed * 104_729 + 7)
    plans = numbers.choice((["monthly"], ["weekly", "monthly"], ["weekly", "monthly", "monthly", "quarterly"], ["monthly"] * 4 + ["yearly"]))
    chances = numbers.choice(((0.5, 0.9, 0.97), (0.3, 0.95), (0.85,), (0.4, 0.8, 0.95)))
    users = []
    for _ in range(numbers.randint(70, 260)):
        first = numbers.randrange(120 * DAY)
        campaign = numbers.choice(("a", "a", "b", "b", "b", None))
        plan, chance, spells = numbers.choice(plans), numbers.choice(chances), []
        if numbers.random() < 0.7:
            second, cents = first + numbers.randrange(8 * DAY), numbers.choice((499, 999, 1999))
            while day_of_month(second) > 25:
                second += DAY
            spell = []
            while second < END:
                refunds = []
                if numbers.random() < 0.08:
                    when = second + numbers.randrange(3 * DAY)
                    refunds = [(when, numbers.randrange(1, cents))] if when < END else []
                spell.append([second, cents, refunds])
                due = later(second, plan, 1)
                if numbers.random() < 0.1:
                    cents += 100
                if numbers.random() < chance:
                    second = due + (numbers.randrange(2 * DAY) if numbers.random() < 0.1 and day_of_month(due) < 25 else 0)
                elif numbers.random() < 0.2 and day_of_month(due + 20 * DAY) < 26:
                    spells.append(spell)
                    spell, second = [], due + 20 * DAY
                else:
                    break
            spells.append(spell)
        users.append(User(first, campaign or "(organic)", plan, [spell for spell in spells if spell]))
    spend = []
    for campaign in ("a", "b"):
        brought = sum(cents for user in users if user.campaign == campaign for _, cents in user.flows())
        total = int(max(100, brought) * numbers.choice((0.9, 1.6, 1.8, 2, 2.2, 2.6, 4)))
        spend += [(number, campaign, total // 120) for number in range(120)]
    return users, spend + [(5, "nobody", 4_000)]


def events(users):
    def instant(second):
        return (START + datetime.timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ")

    found = []
    for number, user in enumerate(users):
        def add(kind, second, **more):
            found.append({"event_id": f"e{len(found)}", "event": kind, "ts": instant(second), "app": "steps", "user_id": f"u{number}", **more})

        add("activity", user.first, **({} if user.campaign == "(organic)" else {"properties": {"campaign": user.campaign}}))
        is_first = True
        for second, cents, refunds in [payment for spell in user.spells for payment in spell]:
            terms = {"product_id": user.plan, "plan": user.plan, "currency": "USD"}
            add("conversion" if is_first else "renewal", second, price=f"{cents / 100:.2f}", **terms)
            is_first = False
            for when, back in refunds:
                add("refund", when, price=f"{back / 100:.2f}", currency="USD", product_id=user.plan)
    return found


# Renewals ----------------------------------------------------------------------------------------------------------

def known_renewals(users, plan):
    """[(stopped, went on)] at renewal 1, 2, ... of first spells, of those that were due a grace ago."""
    table = []
    for user in users:
        if user.plan != plan or not user.spells:
            continue
        spell = user.spells[0]
        for number, (second, _, _) in enumerate(spell):
            if later(second, plan, 1) + GRACE > END:
                break
            while len(table) <= number:
                table.append([0, 0])
            table[number][1 if number + 1 < len(spell) else 0] += 1
    return [tuple(row) for row in table]


def quick_fit(known):
    """`fitted_retention` with fewer rounds, for resamples."""
    lost, kept = sum(x for x, _ in known), sum(y for _, y in known)
    if sum(1 for x, y in known if x + y) < 2 or not lost or not kept:
        return None
    if all(x == 0 for x, _ in known[1:]) or boundary("", known):
        return fitted_retention(known)

    def worth(c, s):
        return sum(
            (x * math.log(c / (1 + t * s)) if x else 0) + (y * math.log((1 - c + t * s) / (1 + t * s)) if y else 0)
            for t, (x, y) in enumerate(known))

    def best(f, low, high, rounds):
        for _ in range(rounds):
            third = (high - low) / 3
            if f(low + third) < f(high - third):
                low += third
            else:
                high -= third
        return (low + high) / 2

    def churn(u):
        return best(lambda c: worth(c, math.exp(u)), 1e-6, 1 - 1e-6, 22)

    u = best(lambda u: worth(churn(u), math.exp(u)), -9, 5, 22)
    c, s = churn(u), math.exp(u)
    return lambda t: (1 - c + (t - 1) * s) / (1 + (t - 1) * s)


def shares(known, retention, count):
    """[(share that makes payment n, whether it is seen)] for n = 1, 2, ..., count or the last known."""
    found, seen = [(Fraction(1), True)], True
    while len(found) < count:
        renewal = len(found)
        stopped, went_on = known[renewal - 1] if renewal <= len(known) else (0, 0)
        seen = seen and stopped + went_on >= 10
        if not seen and retention is not None:
            found.append((float(found[-1][0]) * retention(renewal), False))
        elif stopped + went_on:
            found.append((found[-1][0] * Fraction(went_on, stopped + went_on), seen))
        else:
            break
    return found


class Plan:
    """The renewals of one plan for a row."""

    def __init__(self, plan, row, everybody):
        self.plan = plan
        own = known_renewals(row, plan)
        self.known = own if own and sum(own[0]) >= 30 else known_renewals(everybody, plan)
        self.count = sum(x + y for x, y in self.known)
        self.retention = fitted_retention(self.known)
        self.shares = shares(self.known, self.retention, 140)
        later_ones = [payment for user in everybody if user.plan == plan for spell in user.spells[:1] for payment in spell[1:]]
        paid = sum(cents for _, cents, _ in later_ones)
        back = sum(amount for _, _, refunds in later_ones for _, amount in refunds)
        self.left = 1 - Fraction(back, paid) if paid else Fraction(1)

    def drawn(self, numbers):
        """The shares with renewals drawn again; a share of 0 or 1 with Jeffreys' half."""
        drawn = []
        for stopped, went_on in self.known:
            all_ = stopped + went_on
            chance = (went_on + 0.5) / (all_ + 1) if not stopped or not went_on else went_on / all_
            kept = sum(numbers.random() < chance for _ in range(all_))
            drawn.append((all_ - kept, kept))
        return shares(drawn, quick_fit(drawn) or self.retention, 140)


def active(user):
    """(payments made, cents of the last, ages of the next ones) of a subscription that is active at the end; None for none."""
    if not user.spells:
        return None
    second, cents, _ = user.spells[-1][-1]
    due, ages, lengths = later(second, user.plan, 1), [], 0
    if due <= END:
        return None
    while later(due, user.plan, lengths) < user.first + LAST_AGE * DAY:
        ages.append((later(due, user.plan, lengths) - user.first) // DAY + 1)
        lengths += 1
    return len(user.spells[-1]), cents, ages


# The day ------------------------------------------------------------------------------------------------------------

def observed(users, spend):
    """The first age at which proceeds of users followed that long reach the spend, else None; and the age of the highest."""
    best, peak = None, 0
    for age in range(1, max((END - user.first) // DAY for user in users) + 1):
        followed = [user for user in users if user.first + age * DAY <= END]
        brought = sum(cents for user in followed for second, cents in user.flows() if second < user.first + age * DAY)
        if followed and Fraction(brought, len(followed)) * len(users) >= spend:
            return age, age
        if followed and (best is None or Fraction(brought, len(followed)) > best):
            best, peak = Fraction(brought, len(followed)), age
    return None, peak


def quickly_observed(users, spend):
    """Found by changes from age to age, for resamples: (age, cents) once a user, and what a user takes away who is no longer followed."""
    days = [(END - user.first) // DAY for user in users]
    change, leaving = [0] * (max(days) + 2), [0] * (max(days) + 2)
    for user, followed in zip(users, days):
        leaving[followed] += 1
        for age, cents in user.aged:
            if age <= followed:
                change[age] += cents
                change[followed + 1] -= cents
    left, brought, best, peak = len(users) - leaving[0], 0, None, 0
    for age in range(1, max(days) + 1):
        brought += change[age]
        if brought * len(users) >= spend * left:
            return age, age
        if best is None or brought * best[1] > best[0] * left:
            best, peak = (brought, left), age
        left -= leaving[age]
    return None, peak


def path(users, plans, curves):
    """Proceeds by age 0, 1, ... of all users so far, with the payments that are expected."""
    added = [0.0] * (LAST_AGE + 1)
    for user in users:
        for age, cents in user.aged:
            if age <= LAST_AGE:
                added[age] += cents
        if user.active is None:
            continue
        made, cents, ages = user.active
        curve = curves[user.plan]
        if made > len(curve) or not curve[made - 1][0]:
            continue
        for number, age in enumerate(ages):
            if made + number < len(curve):
                added[age] += cents * float(plans[user.plan].left) * float(curve[made + number][0]) / float(curve[made - 1][0])
    total, sums = 0.0, []
    for amount in added:
        total += amount
        sums.append(total)
    return sums


def first_age(sums, spend, peak):
    return next((age for age in range(max(1, peak), LAST_AGE + 1) if sums[age] >= spend), None)


class Prediction:
    def __init__(self, users, everybody, spend):
        self.users, self.spend = users, spend
        self.status, self.notes, self.sums = "not_yet", [], None
        self.unknown, self.limit = math.inf, math.inf
        day, self.peak = observed(users, spend)
        assert (day, self.peak) == quickly_observed(users, spend)
        if day is not None:
            self.status, self.day = "reached", day
            return
        self.day = None
        live = [(user, user.active) for user in users if user.active]
        if not live:
            self.notes = ["no subscription is active: no further payment is expected"]
            return
        if sum(1 for user in users if user.flows()) < 5:
            self.status, self.notes = "not_known", ["fewer than 5 buyers: no interval"]
            return
        self.plans = {plan: Plan(plan, users, everybody) for plan in sorted({user.plan for user, _ in live})}
        limits, missing = [], []
        for plan in ("weekly", "monthly", "quarterly", "yearly"):
            own = [found for user, found in live if user.plan == plan]
            if not own:
                continue
            it, matters = self.plans[plan], 5 * len(own) >= len(live)
            last = 1 if matters and it.count < 10 else len(it.shares)
            ages = [age for made, _, ages in own for number, age in enumerate(ages) if made + 1 + number > last]
            if ages:
                self.unknown = min(self.unknown, min(ages))
                if it.count < 10:
                    missing.append(
                        f"{plan} not known yet from day {min(ages)} on ({days_of_data(everybody)} days of data): it needs 10 renewals "
                        f"made or missed and has {it.count}")
                else:
                    missing.append(f"{plan} not estimable from day {min(ages)} on: ")
            ages = [
                age for made, _, ages in own for number, age in enumerate(ages)
                if made + 1 + number <= len(it.shares) and not it.shares[made + number][1]]
            if matters and ages and boundary(plan, it.known):
                self.limit = min(self.limit, min(ages))
                limits.append(boundary(plan, it.known))
        self.sums = path(users, self.plans, {plan: it.shares for plan, it in self.plans.items()})
        point = first_age(self.sums, spend, self.peak)
        if (point is None or point >= self.unknown) and self.unknown <= LAST_AGE:
            self.status, self.notes, self.sums = "not_known", missing, None
            return
        self.point = point
        self.day = point if point is not None and point < self.limit else None
        self.notes = limits if self.day is None and self.limit <= LAST_AGE else []
        if point is not None:
            self.status = "predicted"
        elif not self.notes:
            self.notes = ["not within 24 months of the first event"]

    def resampled(self, seed):
        """Days (infinite for none) and shares of the spend, sorted."""
        numbers, days, ends = random.Random(seed), [], []
        for _ in range(RESAMPLES):
            users = numbers.choices(self.users, k=len(self.users))
            curves = {plan: it.drawn(numbers) for plan, it in self.plans.items()}
            sums = path(users, self.plans, curves)
            day, peak = quickly_observed(users, self.spend)
            if day is None:
                day = first_age(sums, self.spend, peak)
                day = day if day is not None and day < self.unknown else None
            days.append(math.inf if day is None else day)
            ends.append(sums[LAST_AGE] / self.spend)
        return sorted(days), sorted(ends)


def days_of_data(users):
    return -(-(END - min(user.first for user in users) // DAY * DAY) // DAY)


def wrong(row, users, everybody, cents, seed, with_bounds):
    """(number of values compared, what differs) in a row of the program with spend and users."""
    it, faults, compared = Prediction(users, everybody, cents), [], 4
    name = "predicted_break_even_day"
    shown = {key: row[key] for key in row if key.startswith("predicted_")}
    if it.status == "reached":
        expected = [str(it.day), row["break_even_day_low"], row["break_even_day_high"], "reached", ""]
        if [shown[name], shown[name + "_low"], shown[name + "_high"], shown["predicted_status"], shown["predicted_note"]] != expected:
            faults.append(f"{shown}, expected {expected}")
        return compared, faults
    low, high = shown[name + "_low"], shown[name + "_high"]
    status = it.status
    if status == "not_yet" and it.limit <= LAST_AGE and low:
        status = "not_known"
    if shown["predicted_status"] != status:
        faults.append(f"status {shown['predicted_status']}, expected {status}")
    if not shown["predicted_note"].startswith("; ".join(it.notes)) or bool(it.notes) != bool(shown["predicted_note"]):
        faults.append(f"note {shown['predicted_note']!r}, expected {it.notes}")
    if (it.day is None) != (shown[name] == ""):
        faults.append(f"day {shown[name]!r}, expected {it.day}")
    elif it.day is not None:
        # The last digits of a fit may decide a day on which the spend is just reached.
        day, near = int(shown[name]), 1e-4 * cents
        if it.sums[day] < cents - near or (day > max(1, it.peak) and it.sums[day - 1] > cents + near):
            faults.append(f"day {day}, expected {it.day}")
    share = it.sums[LAST_AGE] / cents if it.sums and it.unknown > LAST_AGE and it.limit > LAST_AGE else None
    text = shown["predicted_regained"]
    if (share is None) != (text == "") or (text and abs(float(text) - share) > 1e-6 + 1e-4 * share):
        faults.append(f"share {text!r}, expected {share}")
    if it.sums is None:
        if it.status == "not_known" and (low or high):
            faults.append(f"bounds {low} and {high} of {it.status}")
        return compared, faults
    if with_bounds:
        days, ends = it.resampled(seed)
        if sum(days[RESAMPLES // 100:RESAMPLES // 20]) < math.inf or low:
            faults += outside("low", low, days, 0.001, 0.07)
        faults += outside("high", high, days, 0.93, 0.999)
        compared += 2
        if it.unknown > LAST_AGE:
            faults += outside("share, low", shown["predicted_regained_low"], ends, 0.001, 0.07)
            faults += outside("share, high", shown["predicted_regained_high"], ends, 0.93, 0.999)
            compared += 2
    return compared, faults


def outside(name, text, found, low, high):
    """A fault if a bound is outside its window: its level in RESAMPLES draws has a standard error of 1.5%, of which the window has three."""
    value = float(text) if text else math.inf
    ends = found[int(len(found) * low)], found[min(len(found) - 1, int(len(found) * high))]
    # The program's quantiles are of shares with six digits.
    return [] if ends[0] - 1e-6 <= value <= ends[1] + 1e-6 else [f"{name} {text!r}, expected {ends[0]} to {ends[1]}"]
