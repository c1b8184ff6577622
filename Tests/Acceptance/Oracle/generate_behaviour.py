"""Limits met, nudges and activities for the persons of generated events, crowded around what they did."""

DAY = 86_400_000
HOUR = 3_600_000


def add(events, rng):
    """A stream of its own leaves everything else as it is."""
    many = rng.choice([0, 0.5, 1.5])
    added = []

    def put(base, kind, ts, **fields):
        ev = {name: base[name] for name in ("app", "user_id", "country", "platform", "store", "app_version", "properties",
                                            "campaign", "environment", "ownership") if name in base}
        ev.update(fields, event=kind, ts=int(ts), event_id="b-%d" % len(added))
        added.append({name: value for name, value in ev.items() if value is not None})

    for base in list(events):
        ts = base["ts"]
        if not DAY * 14_000 < ts < DAY * 40_000:
            continue
        if base["event"] in ("paywall_impression", "trial_start", "conversion") and rng.random() < 0.3 * many:
            for _ in range(rng.choice([1, 1, 2, 3])):
                put(base, "gate_hit", ts + rng.choice([0, 0, -1, 1, -700, -DAY, 3 * DAY, -40 * DAY]),
                    entry_point=base.get("entry_point") or rng.choice(["settings_card", "widgets"]),
                    limit_name=rng.choice([None, "swipes", "swipes", "widgets"]), variant=base.get("variant"),
                    experiment=base.get("experiment"), tier=base.get("tier"))
        if base["event"] == "trial_start" and rng.random() < 0.7 * many:
            end = base.get("trial_ends_at") or ts + base["trial_days"] * DAY
            for _ in range(rng.choice([1, 1, 2])):
                at = rng.choice([ts, ts - 1, end - 6 * HOUR, end - 6 * HOUR + 1, end - 24 * HOUR, end - 48 * HOUR - 1,
                                 end - 72 * HOUR, end - 1, end, end - DAY])
                put(base, "trial_nudge", at)
        if base["event"] in ("conversion", "renewal", "trial_start", "paywall_impression", "activity") and rng.random() < 0.4 * many:
            for _ in range(rng.choice([1, 2, 4])):
                put(base, "activity", ts + rng.choice([0, 0, -1, 1, DAY, 6 * DAY, 7 * DAY, 29 * DAY, 30 * DAY, 31 * DAY, -DAY]))
    events += added
    rng.shuffle(events)
