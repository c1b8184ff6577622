"""One subscription of a made-up person: trial, payments, late payments, refunds, cancellations, a return."""

DAY = 86_400_000
PERIODS = {"weekly": 7 * DAY, "monthly": 30 * DAY, "yearly": 365 * DAY}
REASONS = ["voluntary"] * 8 + ["price_increase", "other"]


class Subscription:
    def __init__(self, person, plan):
        self.person, self.plan = person, plan
        self.random, self.within = person.rng.random, person.within
        self.product = (f'"product_id":"{person.app}.{plan}","plan":"{plan}",'
                        f'"subscription_id":"{2_000_000_000_000 + person.number}"{person.tier}')
        monthly, yearly = person.prices(person.ts)
        self.price = {"weekly": "1.99", "monthly": monthly, "yearly": yearly, "lifetime": "99.00"}[plan]

    def emit(self, family, ts, body):
        self.person.lines.emit(family, ts, self.person.fixed, f"{body},{self.product}")

    def begin_with_trial(self, days):
        start, end = self.person.ts, self.person.ts + days * DAY
        self.emit("trial-starts", start,
                  f'"event":"trial_start","trial_days":{days},"trial_kind":"introductory",'
                  f'{self.person.own_context()}"currency":"{self.person.currency}"')
        if self.random() < 0.5 and self.cancels(start, end, "voluntary"):
            self.emit("churn", end, '"event":"expiration","reason":"voluntary"')
            return
        paid = self.late(end)
        if paid is not None:
            self.pay("conversion", paid, "")

    def begin_directly(self):
        self.pay("conversion", self.person.ts, self.person.own_context())

    def cancels(self, start, end, reason):
        """Turns renewal off within (start, end); true when it is not turned on again."""
        off = self.within(start + 1, end - 2)
        self.emit("churn", off, f'"event":"cancellation","reason":"{reason}"')
        if self.random() >= 0.12:
            return True
        self.emit("churn", self.within(off + 1, end - 1), '"event":"reactivation"')
        return False

    def late(self, due):
        """When a payment due comes: then, up to three days later, or never (none)."""
        if self.random() >= 0.06:
            return due
        self.emit("churn", due + 1_000, '"event":"billing_issue"')
        if self.random() < 0.7:
            return due + self.within(3_600_000, 3 * DAY)
        self.emit("churn", due + 3 * DAY, '"event":"expiration","reason":"billing"')
        return None

    def pay(self, kind, ts, context):
        """All payments from one on; `context` are JSON fields of the first."""
        while ts is not None and ts < self.person.lines.end:
            transaction = self.person.rng.getrandbits(50)
            end = ts + PERIODS[self.plan] if self.plan in PERIODS else None
            cover = f',"expires_at":"{self.person.lines.stamp(end)}"' if end else ""
            self.emit("conversions", ts,
                      f'"event":"{kind}",{context}"price":{self.price},"currency":"{self.person.currency}",'
                      f'"transaction_id":"{transaction}"{cover}')
            if end is None:
                return
            kind, context, ts = self.following(ts, end, transaction)

    def following(self, ts, end, transaction):
        """(kind, context, instant or none) of the payment after the one at `ts` that covers until `end`."""
        chance = self.random()
        if chance < 0.03:
            back = self.within(ts + 1, end - 100_000)
            partial = chance < 0.006
            amount = f'"price":1.00,"currency":"{self.person.currency}",' if partial else ""
            self.emit("churn", back, f'"event":"refund",{amount}"transaction_id":"{transaction}"')
            if not partial:
                self.emit("churn", back + 60_000, '"event":"expiration"')
                return "", "", None
        elif chance < 0.23:
            reason = REASONS[int(self.random() * len(REASONS))]
            if self.cancels(ts, end, reason):
                self.emit("churn", end, '"event":"expiration"')
                if self.random() < 0.06:
                    return "conversion", self.person.own_context(), end + self.within(10 * DAY, 40 * DAY)
                return "", "", None
        return "renewal", "", self.late(end)
