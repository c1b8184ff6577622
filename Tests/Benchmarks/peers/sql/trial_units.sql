instant AS ({asof}),
started AS (SELECT * FROM {known} WHERE event = 'trial_start'),
-- The last impression of the 7 days before a trial that does not say itself where it was sold.
shown AS (
  SELECT u.app, u.user_id, u.ts{shown}
  FROM started u JOIN {known} i ON i.event = 'paywall_impression' AND i.app = u.app AND i.user_id = u.user_id
    AND i.ts <= u.ts AND i.ts > u.ts - INTERVAL 7 DAY
  WHERE u.entry_point IS NULL GROUP BY ALL),
-- Introductory trials (2.2) with their context (2.10).
trial AS (
  SELECT u.app, u.user_id, u.subscription_id, u.ts AS start, u.ts + to_days(u.trial_days) AS finish,
    finish + {grace} AS deadline, {attributed}
  FROM started u LEFT JOIN shown i USING (app, user_id, ts)),
-- Its conversion (2.3): of the same subscription.
converted AS (
  SELECT t.app, t.subscription_id, t.start, min(c.ts) AS paid
  FROM trial t JOIN {known} c ON c.event = 'conversion' AND c.app = t.app AND c.subscription_id = t.subscription_id
    AND c.ts >= t.start AND c.ts < t.deadline
  GROUP BY ALL),
-- Whether renewal was off at its end (2.4).
turned AS (
  SELECT t.app, t.subscription_id, t.start, arg_max(e.event, e.ts) = 'cancellation' AS off
  FROM trial t LEFT JOIN converted c USING (app, subscription_id, start)
  JOIN {known} e ON e.event IN ('cancellation', 'reactivation') AND e.app = t.app
    AND e.subscription_id = t.subscription_id AND e.ts >= t.start AND e.ts < t.finish
    AND (c.paid IS NULL OR e.ts < c.paid)
  GROUP BY ALL),
-- One row a trial (2.5).
state AS (
  SELECT trial.*, converted.paid, coalesce(turned.off, FALSE) AS off, deadline <= instant.t AS matured, instant.t AS t
  FROM trial JOIN instant USING (app) LEFT JOIN converted USING (app, subscription_id, start)
  LEFT JOIN turned USING (app, subscription_id, start))
