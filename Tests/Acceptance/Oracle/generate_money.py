"""Subscriptions with planted causes for drivers_money.py: who pays, refunds, and what changes on 2 March 2026.

The shop stands still: subscriptions begin on all days of sixteen months alike, and end by chance, so that without a cause each
four weeks bring equally much. A cause touches the payments from `CHANGE` on, and nothing else.
"""
import random
from datetime import datetime, timedelta, timezone

from oracle import DAY, PLAN_MONTHS, add_months

HOUR = DAY // 24


def instant(day):
    return round(datetime.fromisoformat(day).replace(tzinfo=timezone.utc).timestamp()) * 1000


CHANGE, END = instant("2026-03-02"), instant("2026-04-06")
FIRST, KEPT = instant("2024-12-01"), instant("2026-01-19")
# Cents; the chance that a payment is followed by another; lifetime is rare and dear.
PLANS = {"weekly": (299, 0.8), "monthly": (999, 0.7), "yearly": (5999, 0.15), "lifetime": (9999, 0)}
CAUSES = ["price", "plan", "variant", "renewals", "two", "everywhere", "nothing"]


def text(ts):
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=ts)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (ts % 1000)


def due(ts, plan):
    return ts + 7 * DAY if plan == "weekly" else add_months(ts, PLAN_MONTHS[plan])


def price_of(dice, user, plan, ts, cause):
    """Cents of one payment. Alike everywhere is an equal share off each: 10.5 compares by what factor means change."""
    cents = PLANS[plan][0]
    if user["country"] == "IN":
        cents = cents * 6 // 10
    if user["tier"] == "family":
        cents += 500
    cents -= dice.choice([0, 0, 0, 10])
    if ts >= CHANGE:
        if cause in ("price", "two") and user["country"] == "DE" and plan == "yearly":
            cents -= 2400
        if cause == "variant" and user["variant"] == "B" and plan == "yearly":
            cents -= 2400
        if cause == "everywhere":
            cents = cents * 4 // 5
    return cents


def changed(dice, user, plan, ts, cause):
    """The plan of a new subscription at `ts`, or None where it is not sold."""
    if ts < CHANGE:
        return plan
    if cause == "plan" and user["country"] == "FR" and plan == "yearly" and dice.random() < 0.95:
        return "monthly"
    if cause == "variant" and user["variant"] == "B" and plan == "yearly" and dice.random() < 0.3:
        return None
    return plan


def events(seed, cause, per_day=8):
    dice = random.Random(seed)
    number = 0
    for day in range(FIRST, END, DAY):
        for _ in range(per_day):
            number += 1
            yield from subscription(random.Random(dice.random()), number, day + dice.randrange(DAY), cause)
    yield {"event_id": "end", "event": "activity", "ts": text(END - HOUR), "app": "shop", "user_id": "end"}


def subscription(dice, number, start, cause):
    platform = dice.choices(["ios", "android", "web"], [4, 4, 1])[0]
    store = {"ios": "app_store", "android": "play_store", "web": "stripe"}[platform]
    variant = dice.choices(["A", "B", "C", None], [3, 3, 1, 2])[0]
    user = {"country": dice.choices(["US", "DE", "FR", "IN"], [4, 4, 4, 2])[0], "variant": variant,
            "tier": "family" if dice.random() < 0.12 else "individual"}
    plan = dice.choices(list(PLANS), [2, 6, 6, 0.2])[0]
    plan = changed(dice, user, plan, start, cause)
    if plan is None:
        return
    common = {"app": "shop", "user_id": f"u{number}", "country": user["country"], "platform": platform, "store": store,
              "app_version": dice.choice(["7.0", "7.1"])}
    if dice.random() < 0.02:
        del common["country"]
    context = {"entry_point": dice.choices(["onboarding", "settings", "widget"], [3, 2, 1])[0]}
    if variant is not None:
        context.update(variant=variant, experiment="prices", paywall="pw_" + variant)
    product = {"product_id": f"{plan}_{user['tier']}", "plan": plan, "tier": user["tier"], "subscription_id": f"s{number}"}
    found = []

    def add(kind, ts, **fields):
        if ts < END - HOUR:
            found.append({"event_id": f"{number}.{len(found)}", "event": kind, "ts": text(ts), **common, **fields})

    # Its context comes from an impression, from the conversion itself, from a trial, or from nowhere (2.10).
    way = dice.choices(["impression", "own", "trial", "nowhere"], [6, 2, 2, 0.5])[0]
    own = {}
    if way == "impression":
        add("paywall_impression", start - 300_000, **context)
    elif way == "trial" and plan != "lifetime":
        add("trial_start", start - 7 * DAY, trial_days=7, **product, **context)
    elif way == "own":
        own = context
    offer = {"offer_type": "promotional"} if plan != "lifetime" and dice.random() < 0.1 else {}
    truncated = plan != "lifetime" and dice.random() < 0.06
    if dice.random() < 0.02:
        add("conversion", start - 3 * HOUR, price="0", offer_type="win_back", **product)       # a grant: no payment (1.5)
    stops = cause == "everywhere" and dice.random() < 0.3          # pays nothing from the change on
    ts, stage = start, 0
    while ts < (CHANGE if stops else END):
        stage += 1
        cents = price_of(dice, user, plan, ts, cause)
        if stage == 1 and offer:
            cents -= cents // 4
        if dice.random() < 0.01:
            cents = 0 if stage > 1 else cents
        payment = {"price": "%d.%02d" % divmod(cents, 100), "currency": "USD", "transaction_id": f"t{number}.{stage}"}
        if dice.random() < 0.7 and plan != "lifetime":
            payment["expires_at"] = text(due(ts, plan))
        for name, share in (("environment", 0.01), ("ownership", 0.01)):
            if dice.random() < share:
                payment[name] = {"environment": "sandbox", "ownership": "family_shared"}[name]
        if not (truncated and stage == 1):
            extra = {**own, **offer} if stage == 1 else {}
            add("conversion" if stage == 1 else "renewal", ts, **product, **payment, **extra)
        if dice.random() < 0.05:
            refund(dice, add, ts, cents, payment, product)
        if dice.random() >= PLANS[plan][1]:
            break
        ts = due(ts, plan) + dice.choice([0, HOUR, 2 * DAY, -HOUR])
        if dice.random() < 0.05:
            ts += dice.randrange(5, 30) * DAY                   # behind its grace: the next spell, of a person who moved
            common["country"] = dice.choice(["US", "DE", "FR", "IN"])
            user["country"] = common["country"]
        common["app_version"] = dice.choice(["7.0", "7.1"])     # of a renewal: counts only where it begins a spell
        if cause in ("renewals", "two") and ts >= CHANGE and platform == "android" and dice.random() < 0.9:
            break
    if any(ts_of(event) >= KEPT for event in found):
        yield from found


def refund(dice, add, ts, cents, payment, product):
    """Some are of a part, some name their payment, some state no price and give back what is left."""
    fields = {"subscription_id": product["subscription_id"], "product_id": product["product_id"]}
    if dice.random() < 0.6:
        fields["transaction_id"] = payment["transaction_id"]
    at = ts + HOUR + dice.randrange(6 * DAY)
    if cents > 1 and dice.random() < 0.4:
        add("refund", at, price="%d.%02d" % divmod(cents // 2, 100), currency="USD", **fields)
        if dice.random() < 0.3:
            add("refund", at + HOUR, **fields)
    else:
        add("refund", at, **fields)


def ts_of(event):
    moment = datetime.fromisoformat(event["ts"].replace("Z", "+00:00"))
    return round(moment.timestamp() * 1000)
