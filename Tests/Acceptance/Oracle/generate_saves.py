"""Persons who cancel, change their mind, are won back and leave again, on the edges of `saves` and `winback`, among generated events."""

DAY = 86_400_000
HOUR = 3_600_000
OFFERS = [None, None, "introductory", "promotional", "offer_code", "win_back"]


class Person:
    def __init__(self, events, added, rng, number):
        self.added, self.rng, self.number = added, rng, number
        self.base = rng.choice(events)
        self.entry_points = sorted({ev["entry_point"] for ev in events if ev["event"] == "paywall_impression"}) or ["widgets"]
        self.plan, days = rng.choice([("weekly", 7), ("weekly", 7), ("monthly", 30), ("monthly", 30), ("quarterly", 90), ("lifetime", 30)]
                                     if rng.random() < 0.3 else [("weekly", 7), ("monthly", 30)])
        self.length = days * DAY
        self.product = self.plan
        self.has_ids = rng.random()
        self.grace = rng.choice([3, 3, 3, 0, 16]) * DAY
        self.sub = "k%d" % number
        self.currency = rng.choice(["USD", "USD", "EUR"])
        self.payments = 0

    def put(self, kind, ts, **fields):
        ev = {name: self.base[name] for name in ("app", "country", "platform", "store", "app_version", "properties", "campaign") if name in self.base}
        ev.update(fields, event=kind, ts=int(ts), user_id="k%d" % self.number, event_id="k-%d" % len(self.added))
        self.added.append({name: value for name, value in ev.items() if value is not None})

    def ids(self, needs_product=False):
        r = self.rng.random()
        ids = {} if self.has_ids < 0.15 or r < 0.1 else {"subscription_id": self.sub}
        if needs_product or r < 0.85:
            ids["product_id"] = self.product
        return ids

    def pay(self, kind, ts, offer=None):
        """Returns the end of what it pays for."""
        rng = self.rng
        ends = None if self.plan in ("weekly", "lifetime") and rng.random() < 0.5 else ts + self.length
        if rng.random() < 0.05:
            self.currency = rng.choice(["USD", "EUR", "KWD"])
        price = rng.choice(["6.99", "6.99", "2.50", "0.0000015", 0])
        own = {"entry_point": rng.choice(self.entry_points), "variant": rng.choice(["a", "b", None])} if rng.random() < 0.3 else {}
        self.payments += 1
        self.put(kind, ts, plan=self.plan, price=price, currency=self.currency if price != 0 or rng.random() < 0.7 else None, expires_at=ends,
                 offer_type=offer, transaction_id="%s-%d" % (self.sub, self.payments), **self.ids(True), **own)
        self.paid = (ts, price)
        return ts + self.length

    def see(self, at):
        """Impressions about the hour before and after a cancellation."""
        for _ in range(self.rng.choice([0, 1, 1, 2, 3])):
            self.put("paywall_impression", at + self.rng.choice([-HOUR - 1, -HOUR, -HOUR + 1, -1, 0, 0, 1, HOUR - 1, HOUR, HOUR + 1, 20 * 60_000]),
                     entry_point=self.rng.choice(self.entry_points), variant=self.rng.choice(["a", "b", None]))

    def switch(self, start, end):
        """Auto-renew off, and perhaps on again; returns the instant of the first cancellation."""
        rng = self.rng
        at = rng.choice([start, start + 1, start + HOUR, start + DAY, start + 2 * DAY, end - DAY, end - 2 * HOUR, end - HOUR, end - 10 * 60_000, end - 1, end,
                         end + 1, (start + end) // 2])
        at = max(at, start)
        self.see(at)
        self.put("cancellation", at, reason=rng.choice([None, None, None, "voluntary", "voluntary", "billing", "other"]), **self.ids())
        last = at
        for _ in range(rng.choice([0, 0, 1, 1, 1, 2, 3])):
            last = max(last, rng.choice([last + HOUR, last + HOUR, last + HOUR - 1, last + HOUR + 1, last + 60_000, last, last + DAY, last + 3 * DAY,
                                         last + 7 * DAY, end - 1, end, end + 1, end + HOUR]))
            self.put(rng.choice(["reactivation", "reactivation", "reactivation", "cancellation"]), last,
                     **dict({"reason": rng.choice([None, "voluntary", "price_increase"])} if rng.random() < 0.3 else {}, **self.ids()))
        return at

    def cut(self, start, end):
        """A refund, an expiration or a billing issue; returns where the cover ends then."""
        rng = self.rng
        at = rng.choice([start, start + DAY, start + 3 * DAY, (start + end) // 2, end - 1, end - HOUR])
        kind = rng.choice(["refund", "refund", "refund", "expiration", "billing_issue", "billing_issue"])
        if kind == "refund":
            partial = rng.random() < 0.3
            self.put(kind, at, price="1.00" if partial else None, currency=rng.choice(["USD", "EUR"]) if partial else None,
                     transaction_id="%s-%d" % (self.sub, self.payments) if rng.random() < 0.5 else None, **self.ids())
            return end if partial else at
        if kind == "expiration":
            self.put(kind, at, reason=rng.choice([None, "voluntary", "billing", "price_increase", "product_unavailable"]), **self.ids())
            return at
        self.put(kind, rng.choice([at, end, end + DAY, end + self.grace - 1, end + self.grace]),
                 grace_ends_at=rng.choice([None, end + self.grace + rng.choice([0, 1, DAY, 5 * DAY])]), **self.ids())
        return end

    def hold(self, end, grace, until=None):
        """A billing issue that holds the grace open."""
        at = end + self.rng.choice([-DAY, 0, 1, HOUR, grace - 1, grace])
        until = until or end + grace + self.rng.choice([1, DAY, 5 * DAY, 13 * DAY])
        self.put("billing_issue", at, grace_ends_at=until, **self.ids())

    def give_back(self, since):
        """A refund about the edge of the money within 90 d."""
        self.put("refund", since + self.rng.choice([90 * DAY - 1, 90 * DAY, 90 * DAY + 1, 10 * DAY, self.length]),
                 price=self.rng.choice([None, "1.00", "6.99"]), currency=self.currency,
                 transaction_id="%s-%d" % (self.sub, self.rng.randint(1, self.payments)), **self.ids())

    def trial(self, t):
        rng = self.rng
        end = t + rng.choice([3, 7, 7]) * DAY
        self.put("trial_start", t, plan="monthly" if self.plan == "lifetime" else self.plan, trial_ends_at=end,
                 trial_kind=rng.choice([None, None, None, "app"]), **self.ids())
        if rng.random() < 0.25:          # a second one at the same time, shorter or longer
            self.put("trial_start", t + rng.choice([1, HOUR, DAY]), plan="weekly", trial_days=rng.choice([1, 3, 30]),
                     product_id=rng.choice(["another", None]))
        for _ in range(rng.choice([1, 1, 2])):
            self.switch(t, end)
        if rng.random() < 0.15:
            self.hold(end, self.grace)
        if rng.random() < 0.45:
            return None, end
        at = rng.choice([end, end, end, end - 1, end + 1, t + DAY, t + 2 * DAY, end + self.grace - 1, end + self.grace, end + HOUR])
        return self.pay("conversion", at, rng.choice(OFFERS)), at

    def live(self):
        rng = self.rng
        t = self.base["ts"] if DAY * 14_000 < self.base["ts"] < DAY * 25_000 else DAY * 20_000
        t += rng.choice([0, 0, 1, HOUR, -DAY])
        end = None
        if rng.random() < 0.4:
            end, t = self.trial(t)
        if end is None:
            if rng.random() < 0.3:
                return
            t += rng.choice([0, 1, DAY, 10 * DAY])
            end = self.pay(rng.choice(["conversion", "conversion", "conversion", "renewal"]), t)
        back = None
        for _ in range(rng.choice([1, 2, 2, 3, 4, 6])):
            for _ in range(rng.choice([0, 1, 1, 1, 2])):
                self.switch(t, end)
            if rng.random() < 0.3:
                end = self.cut(t, end)
            if back is not None and rng.random() < 0.3:
                self.give_back(back)
            if rng.random() < 0.15:
                self.hold(end, self.grace)
            held = end + self.grace
            way = rng.random()
            if way < 0.15:
                break
            if way < 0.5:                # goes on: at the end, within the grace
                t = end + rng.choice([0, 0, 0, 1, -1, HOUR, DAY, self.grace - 1, self.grace, -DAY])
            else:                        # comes back, on the edges of the ages
                t = end + rng.choice([self.grace + 1, self.grace + HOUR, 5 * DAY, 7 * DAY, 7 * DAY - 1, 7 * DAY + 1, 20 * DAY, 30 * DAY, 30 * DAY + 1, 60 * DAY,
                                      90 * DAY, 90 * DAY - 1, 180 * DAY, 180 * DAY + 1, 200 * DAY])
                back = t
            t = max(t, self.paid[0] + 1)
            kind = rng.choice(["renewal", "renewal", "renewal", "conversion"])
            if rng.random() < 0.12:      # on again at the instant of the payment
                self.put("reactivation", t, **self.ids())
            if rng.random() < 0.15:      # another product of the same subscription
                self.product, kind = rng.choice(["other", self.plan]), "plan_change"
            elif rng.random() < 0.06:    # for good, or no more
                self.plan = "monthly" if self.plan == "lifetime" else "lifetime"
            end = self.pay(kind, t, rng.choice(OFFERS))
            if held > t and rng.random() < 0.2:      # behind the payment, within the grace before it
                self.hold(t, rng.choice([1, HOUR, held - t - 1, held - t]), until=held + rng.choice([DAY, 9 * DAY]))
            if rng.random() < 0.06:      # given back at once: it covers nothing
                self.put("refund", t, transaction_id="%s-%d" % (self.sub, self.payments), **self.ids())


def add(events, rng):
    """A stream of its own leaves everything else as it is."""
    added = []
    base = [ev for ev in events if ev["event"] != "activity"]
    for number in range(rng.choice([0, 4, 12, 30]) if base else 0):
        Person(base, added, rng, number).live()
    events += added
    rng.shuffle(events)
