payment AS (SELECT * FROM {known} WHERE event IN ('conversion', 'renewal')),
-- Full refunds, by the payment they name (2.7).
given_back AS (
  SELECT p.app, p.subscription_id, p.ts AS paid, min(r.ts) AS ts
  FROM {known} r JOIN payment p ON p.app = r.app AND p.transaction_id = r.transaction_id
  WHERE r.event = 'refund' AND (r.price IS NULL OR r.price >= p.price) GROUP BY ALL),
-- The first expiration after a payment ends its cover.
expired AS (
  SELECT p.app, p.subscription_id, p.ts AS paid, min(x.ts) AS ts
  FROM payment p JOIN {known} x ON x.event = 'expiration' AND x.app = p.app AND x.subscription_id = p.subscription_id
    AND x.ts > p.ts
  GROUP BY ALL),
covered AS (
  SELECT p.app, p.subscription_id, p.ts, r.ts AS refunded,
    least(coalesce(p.expires_at, 'infinity'), r.ts, x.ts) AS cover
  FROM payment p LEFT JOIN given_back r ON r.app = p.app AND r.subscription_id = p.subscription_id AND r.paid = p.ts
  LEFT JOIN expired x ON x.app = p.app AND x.subscription_id = p.subscription_id AND x.paid = p.ts),
-- A payment past the cover so far and its grace begins the next spell (2.8).
broken AS (
  SELECT *, ts > max(cover) OVER (PARTITION BY app, subscription_id ORDER BY ts
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) + {grace} AS broken
  FROM covered),
next_spell AS (SELECT app, subscription_id, min(ts) AS next FROM broken WHERE broken GROUP BY ALL),
first_spell AS (
  SELECT app, subscription_id, any_value(next) AS next, min(b.ts) AS start, max(b.ts) AS last, max(cover) AS ended,
    count(*) AS payments, arg_max_null(refunded, b.ts) AS last_refunded, arg_min_null(refunded, b.ts) AS first_refunded
  FROM broken b LEFT JOIN next_spell USING (app, subscription_id) WHERE next IS NULL OR b.ts < next GROUP BY ALL),
-- The payments that first spells began with; those of no trial have their own context or that of the last impression.
bought AS (
  SELECT u.* FROM payment u JOIN first_spell s ON s.app = u.app AND s.subscription_id = u.subscription_id
    AND s.start = u.ts WHERE u.event = 'conversion'),
shown_to_buyer AS (
  SELECT u.app, u.user_id, u.ts{shown}
  FROM (bought ANTI JOIN converted c ON c.app = bought.app AND c.subscription_id = bought.subscription_id
    AND c.paid = bought.ts) u JOIN {known} i ON i.event = 'paywall_impression' AND i.app = u.app AND i.user_id = u.user_id
    AND i.ts <= u.ts AND i.ts > u.ts - INTERVAL 7 DAY
  WHERE u.entry_point IS NULL GROUP BY ALL),
direct AS (
  SELECT u.app, u.subscription_id, u.ts, {attributed}
  FROM bought u LEFT JOIN shown_to_buyer i USING (app, user_id, ts)),
-- First spells that are purchases (2.9); that of an introductory trial has the trial's context (2.10).
spell AS (
  SELECT s.*, p.plan, p.price, p.currency, coalesce(p.tier, 'individual') AS tier, p.product_id, {of_spell},
    s.ended + {grace} <= instant.t AS churned, instant.t AS t
  FROM first_spell s JOIN instant USING (app)
  JOIN bought p ON p.app = s.app AND p.subscription_id = s.subscription_id
  JOIN direct d ON d.app = s.app AND d.subscription_id = s.subscription_id
  LEFT JOIN (SELECT trial.*, c.paid FROM converted c JOIN trial USING (app, subscription_id, start)) c
    ON c.app = s.app AND c.subscription_id = s.subscription_id AND c.paid = s.start)
