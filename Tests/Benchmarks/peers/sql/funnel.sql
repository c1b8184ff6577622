WITH instant AS ({asof}),
-- The first impression ever (3.1).
entry AS (
  SELECT app, user_id, ts AS entered, {own} FROM {known} WHERE event = 'paywall_impression'
  QUALIFY row_number() OVER (PARTITION BY app, user_id ORDER BY ts) = 1),
trial AS (
  SELECT app, user_id, subscription_id, ts AS start, trial_days, ts + to_days(trial_days) + {grace} AS deadline
  FROM {known} WHERE event = 'trial_start'),
payment AS (
  SELECT app, user_id, subscription_id, ts, event FROM {known} WHERE event IN ('conversion', 'renewal')),
-- Conversions with the trial they belong to (2.3), if any.
conversion AS (
  SELECT c.app, c.user_id, c.subscription_id, c.ts, t.start
  FROM payment c LEFT JOIN trial t ON t.app = c.app AND t.subscription_id = c.subscription_id AND c.ts >= t.start
    AND c.ts < t.deadline
  WHERE c.event = 'conversion'),
horizon AS (
  SELECT instant.app, instant.t - to_days(7 + coalesce(length, 0)) - {grace} AS latest
  FROM instant LEFT JOIN (SELECT app, quantile_disc(trial_days, 0.99)::INTEGER AS length FROM trial GROUP BY app) USING (app)),
-- By person: what lies within 7 days of the entry (3.2), and whether anything was bought later.
tried AS (
  SELECT app, user_id, TRUE AS trial FROM entry JOIN trial USING (app, user_id)
  WHERE start >= entered AND start < entered + INTERVAL 7 DAY GROUP BY ALL),
bought AS (
  SELECT app, user_id, bool_or(start >= entered AND start < entered + INTERVAL 7 DAY) AS trial_paid,
    bool_or((start IS NULL OR start < entered) AND ts < entered + INTERVAL 7 DAY) AS direct
  FROM entry JOIN conversion USING (app, user_id) WHERE ts >= entered GROUP BY ALL),
-- A purchase is the first payment of a subscription, when that is a conversion (2.9).
purchase AS (
  SELECT app, user_id, min(ts) AS ts FROM payment GROUP BY app, user_id, subscription_id
  HAVING arg_min(event, ts) = 'conversion'),
later AS (SELECT app, user_id, TRUE AS later FROM entry JOIN purchase USING (app, user_id) WHERE ts >= entered GROUP BY ALL),
person AS (
  SELECT app, {columns}, entered <= latest AS matured, coalesce(trial, FALSE) AS trial,
    coalesce(trial_paid, FALSE) AS trial_paid, coalesce(direct, FALSE) AS direct, coalesce(later, FALSE) AS later
  FROM entry JOIN horizon USING (app) LEFT JOIN tried USING (app, user_id) LEFT JOIN bought USING (app, user_id)
  LEFT JOIN later USING (app, user_id))
SELECT app, {renamed}, count(*) FILTER (matured) AS users, count(*) FILTER (matured AND trial) AS trial_users,
  count(*) FILTER (matured AND trial_paid) AS trial_paid_users, count(*) FILTER (matured AND direct) AS direct_paid_users,
  count(*) FILTER (matured AND (trial_paid OR direct)) AS paid_users,
  count(*) FILTER (matured AND later AND NOT trial_paid AND NOT direct) AS paid_later_users,
  count(*) FILTER (NOT matured) AS immature
FROM person {only} GROUP BY app, {keys}
