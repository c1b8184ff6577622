"""One made-up person: impressions, perhaps a trial or a direct purchase, payments until they stop."""

from .subscription import Subscription

DAY = 86_400_000
START = 1_767_225_600_000  # 2026-01-01T00:00:00Z
PRICE_CHANGE = START + 60 * DAY  # Variant b asks for more from here on.
ENTRIES = ["settings_card", "view_plans", "route_map", "widgets", "watch_app", "workout_analytics", "app_lock",
           "daily_limit"]
APPS = ["steps", "techniq", "praxisen", "coach"]
TRIAL_DAYS = {"steps": (7,), "techniq": (7, 3), "praxisen": (14, 7), "coach": (7,)}
COUNTRIES = [("US", "USD"), ("DE", "EUR"), ("GB", "GBP"), ("FR", "EUR"), ("ES", "EUR"), ("BR", "USD"), ("JP", "USD"),
             ("IN", "USD")]
VERSIONS = ["4.1.0", "4.2.0", "4.2.1", "4.3.0"]
CHANNELS = ["organic", "search_ads", "social", "referral", "press"]
PLANS = ["monthly"] * 5 + ["yearly"] * 3 + ["weekly", "lifetime"]


class Person:
    """`number` is from 1; `day` is epoch milliseconds of the day of arrival."""

    def __init__(self, rng, number, day, lines):
        self.rng, self.lines, self.number = rng, lines, number
        pick = self.pick
        self.app = APPS[number % len(APPS)]
        country, self.currency = pick(COUNTRIES)
        self.variant = pick("ab")
        self.tier = ',"tier":"family"' if rng.random() < 0.1 else ""  # Absent: individual.
        self.ts = day + int(rng.random() * DAY)
        android = rng.random() < 0.25
        self.fixed = (f'"app":"{self.app}","user_id":"u{rng.getrandbits(48):012x}",'
                      f'"platform":"{"android" if android else "ios"}",'
                      f'"store":"{"play_store" if android else "app_store"}","country":"{country}",'
                      f'"app_version":"{pick(VERSIONS)}"')
        self.channel = pick(CHANNELS)

    def pick(self, values):
        return values[int(self.rng.random() * len(values))]

    def within(self, least, most):
        """A whole number, `least` ≤ it < `most`."""
        return least + int(self.rng.random() * (most - least))

    def prices(self, ts):
        """(monthly, yearly) at `ts`."""
        return ("6.99", "39.99") if self.variant == "a" else ("7.99", "44.99" if ts >= PRICE_CHANGE else "39.99")

    def impression(self):
        self.entry = self.pick(ENTRIES)
        monthly, yearly = self.prices(self.ts)
        self.lines.emit("paywall-impressions", self.ts, self.fixed,
                        f'"event":"paywall_impression",{self.context()},"price_monthly":{monthly},'
                        f'"price_yearly":{yearly},"currency":"{self.currency}"{self.tier},'
                        f'"properties":{{"channel":"{self.channel}"}}')

    def context(self):
        return (f'"entry_point":"{self.entry}","experiment":"{self.app}_test","variant":"{self.variant}",'
                f'"paywall":"main_{self.variant}"')

    def own_context(self):
        """Half of the clients say on a trial or purchase which paywall sold it."""
        return self.context() + "," if self.rng.random() < 0.5 else ""

    def live(self):
        random = self.rng.random
        self.impression()
        for _ in range(min(12, int(self.rng.expovariate(1 / 5.0)))):
            self.ts += 1 + int(self.rng.expovariate(1 / (3 * DAY)))
            if random() < 0.3:
                self.lines.emit("activity", self.ts, self.fixed, '"event":"activity"')
            else:
                self.impression()
        chance = random()
        if chance >= 0.40:
            return
        # Most act minutes after an impression; some days later, a few of those past the window of attribution.
        self.ts += self.within(5_000, 600_000) if random() < 0.9 else self.within(DAY, 10 * DAY)
        if chance < 0.34:
            plan = "yearly" if random() < 0.3 else "monthly"
            Subscription(self, plan).begin_with_trial(self.pick(TRIAL_DAYS[self.app]))
        else:
            Subscription(self, self.pick(PLANS)).begin_directly()
