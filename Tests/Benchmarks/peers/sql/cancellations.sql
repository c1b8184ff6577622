WITH {trial_units},
{spell_units},
trial_side AS (
  SELECT app, {keys}, count(*) AS trials, count(*) FILTER (off) AS trial_cancelled
  FROM (SELECT * FROM state {only}) WHERE matured GROUP BY ALL),
unit AS (SELECT * FROM (SELECT * FROM spell {only}) WHERE plan <> 'lifetime'),
churn AS (
  SELECT app, subscription_id, event, ts, reason FROM {known}
  WHERE event IN ('cancellation', 'reactivation', 'billing_issue', 'expiration')),
-- The newest cancellation, and the newest sign of staying, within each age (6.2); the reasons of an end (2.8).
signs AS (
  SELECT s.app, s.subscription_id,
    {cancelled_at}
    min(e.ts) FILTER (e.event = 'cancellation' AND e.ts < s.ended) AS first_cancelled,
    arg_max(e.event = 'cancellation', e.ts) FILTER (
      e.event IN ('cancellation', 'reactivation') AND e.ts > s.last AND e.ts < s.ended) AS left_off,
    arg_max(coalesce(e.reason, 'voluntary'), e.ts) FILTER (
      e.event IN ('cancellation', 'reactivation') AND e.ts > s.last AND e.ts < s.ended) AS reason,
    bool_or(e.event = 'billing_issue' AND e.ts > s.last AND e.ts < s.ended + {grace}) AS billing,
    arg_max(e.reason, e.ts) FILTER (e.event = 'expiration' AND e.reason IS NOT NULL AND e.ts > s.last
      AND e.ts < s.ended + INTERVAL 60 DAY) AS stated
  FROM unit s JOIN churn e ON e.app = s.app AND e.subscription_id = s.subscription_id AND e.ts >= s.start
    AND (s.next IS NULL OR e.ts < s.next)
  GROUP BY ALL),
paid AS (
  SELECT s.app, s.subscription_id, {paid_at}
  FROM unit s JOIN broken b ON b.app = s.app AND b.subscription_id = s.subscription_id AND (s.next IS NULL OR b.ts < s.next)
  GROUP BY ALL),
judged AS (
  SELECT unit.*, signs.* EXCLUDE (app, subscription_id), paid.* EXCLUDE (app, subscription_id),
    CASE WHEN last_refunded <= ended + INTERVAL 1 DAY THEN 'refund' WHEN left_off THEN reason WHEN billing THEN 'billing'
      ELSE coalesce(stated, 'other') END AS why
  FROM unit LEFT JOIN signs USING (app, subscription_id) LEFT JOIN paid USING (app, subscription_id)),
paid_side AS (
  SELECT app, {keys}, count(*) AS subscriptions,
    {ages}
    count(*) FILTER (churned) AS churned, count(*) FILTER (churned AND why = 'voluntary') AS churned_voluntary,
    count(*) FILTER (churned AND why = 'billing') AS churned_billing,
    count(*) FILTER (churned AND why = 'price_increase') AS churned_price_increase,
    count(*) FILTER (churned AND why = 'refund') AS churned_refund,
    count(*) FILTER (churned AND why IN ('other', 'product_unavailable')) AS churned_other,
    count(*) FILTER (start + INTERVAL 30 DAY <= t) AS refund_at_risk,
    count(*) FILTER (start + INTERVAL 30 DAY <= t AND first_refunded < start + INTERVAL 30 DAY) AS refunded
  FROM judged GROUP BY ALL),
-- Kaplan-Meier of the time to the first cancellation (6.5).
times AS (
  SELECT app, {keys}, coalesce(first_cancelled, CASE WHEN churned THEN ended ELSE t END) - start AS age,
    count(first_cancelled) AS cancelled, count(*) AS gone
  FROM judged GROUP BY ALL),
risk AS (SELECT *, sum(gone) OVER (PARTITION BY app, {keys} ORDER BY age DESC) AS n FROM times),
survival AS (
  SELECT *, sum(CASE WHEN cancelled = n THEN -1e9 ELSE ln(1 - cancelled / n) END) OVER (
    PARTITION BY app, {keys} ORDER BY age) AS log_survival
  FROM risk),
median AS (
  SELECT app, {keys}, epoch_ms(min(age) FILTER (log_survival <= ln(0.5) + 1e-9)) / 864e5 AS median_days_to_cancel
  FROM survival GROUP BY ALL)
SELECT app, {renamed}, COLUMNS(* EXCLUDE (app, {keys}, median_days_to_cancel))::BIGINT, median_days_to_cancel
FROM (SELECT * REPLACE (coalesce(trials, 0) AS trials, coalesce(trial_cancelled, 0) AS trial_cancelled)
  FROM trial_side FULL JOIN paid_side USING (app, {keys}) LEFT JOIN median USING (app, {keys}))
