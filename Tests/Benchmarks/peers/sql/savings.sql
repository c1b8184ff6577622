WITH {trial_units},
{spell_units},
unit AS (SELECT * FROM spell {only}),
-- The pair of prices shown most often, of equals the newest (5.1).
pair AS (
  SELECT app, {keys}, tier, currency, price_monthly AS monthly, price_yearly AS yearly, count(*) AS n, max(ts) AS newest
  FROM (SELECT app, coalesce(tier, 'individual') AS tier, currency, price_monthly, price_yearly, ts, {own}
    FROM {known} WHERE event = 'paywall_impression' AND price_monthly IS NOT NULL AND price_yearly IS NOT NULL)
  {only} GROUP BY ALL),
listed AS (
  SELECT app, {keys}, tier, currency, count(*) AS price_pairs, arg_max((monthly, yearly), (n, newest)) AS best
  FROM pair GROUP BY ALL),
-- What was paid: by row and variant, and by app (5.2).
price_paid AS (
  SELECT app, {keys}, tier, currency, sold_as, plan, price, count(*) AS n, max(start) AS newest
  FROM unit WHERE price > 0 AND plan IN ('monthly', 'yearly') GROUP BY ALL),
of_variant AS (
  SELECT app, {keys}, tier, currency, sold_as, sum(n) AS bought,
    coalesce(sum(n) FILTER (plan = 'monthly'), 0) AS monthly_n, coalesce(sum(n) FILTER (plan = 'yearly'), 0) AS yearly_n,
    arg_max(price, (n, newest)) FILTER (plan = 'monthly') AS monthly,
    arg_max(price, (n, newest)) FILTER (plan = 'yearly') AS yearly
  FROM price_paid GROUP BY ALL),
of_row AS (
  SELECT * FROM of_variant
  QUALIFY row_number() OVER (PARTITION BY app, {keys}, tier, currency ORDER BY bought DESC, sold_as) = 1),
of_app AS (
  SELECT app, tier, currency, arg_max(price, (n, newest)) FILTER (plan = 'monthly') AS monthly,
    arg_max(price, (n, newest)) FILTER (plan = 'yearly') AS yearly
  FROM (SELECT app, tier, currency, plan, price, count(*) AS n, max(start) AS newest FROM spell WHERE price > 0 GROUP BY ALL)
  GROUP BY ALL),
taken AS (
  SELECT app, {keys}, tier, currency, count(*) FILTER (plan = 'weekly') AS weekly_purchases,
    count(*) FILTER (plan = 'monthly') AS monthly_purchases, count(*) FILTER (plan = 'yearly') AS yearly_purchases,
    count(*) FILTER (plan = 'lifetime') AS lifetime_purchases,
    count(*) FILTER (plan NOT IN ('weekly', 'monthly', 'yearly', 'lifetime')) AS other_purchases,
    coalesce(sum(price) FILTER (plan = 'yearly' AND price > 0), 0) AS yearly_paid,
    count(*) FILTER (plan = 'yearly' AND price > 0) AS yearly_sold
  FROM unit GROUP BY ALL),
-- Kaplan-Meier over payment numbers of monthly buyers (5.6).
chance AS (
  SELECT app, {keys}, tier, currency, number, count(*) FILTER (payments >= number) AS went_on,
    count(*) FILTER (payments = number - 1 AND churned) AS stopped
  FROM unit, range(2, 13) numbers(number) WHERE plan = 'monthly' GROUP BY ALL),
-- Once somebody stopped and nobody went on, S is 0 and what comes after it does not matter.
chain AS (
  SELECT *, product(CASE WHEN went_on + stopped > 0 THEN went_on / (went_on + stopped) END) OVER upto AS survival,
    bool_or(went_on + stopped = 0) OVER upto AS unknown, bool_or(went_on = 0 AND stopped > 0) OVER upto AS over
  FROM chance WINDOW upto AS (PARTITION BY app, {keys}, tier, currency ORDER BY number)),
payments AS (
  SELECT app, {keys}, tier, currency, CASE WHEN NOT bool_or(unknown AND NOT over) THEN
    1 + sum(CASE WHEN over THEN 0 ELSE survival END) END AS expected
  FROM chain GROUP BY ALL),
priced AS (
  SELECT *, best IS NOT NULL AS is_shown,
    coalesce(of_row.monthly_n, 0) >= 5 AND coalesce(of_row.yearly_n, 0) >= 5 AS is_row,
    CASE WHEN is_shown THEN best[1] WHEN is_row THEN of_row.monthly ELSE of_app.monthly END AS monthly_price,
    CASE WHEN is_shown THEN best[2] WHEN is_row THEN of_row.yearly ELSE of_app.yearly END AS yearly_price
  FROM listed FULL JOIN taken USING (app, {keys}, tier, currency)
  LEFT JOIN of_row USING (app, {keys}, tier, currency) LEFT JOIN of_app USING (app, tier, currency)
  LEFT JOIN payments USING (app, {keys}, tier, currency))
SELECT app, {renamed}, tier, currency, CASE WHEN is_shown THEN 'shown' WHEN is_row THEN 'paid'
    WHEN monthly_price IS NULL AND yearly_price IS NULL THEN '(none)' ELSE 'paid_app' END AS price_source,
  coalesce(price_pairs, 0) AS price_pairs, monthly_price, yearly_price,
  coalesce(weekly_purchases, 0) AS weekly_purchases, coalesce(monthly_purchases, 0) AS monthly_purchases,
  coalesce(yearly_purchases, 0) AS yearly_purchases, coalesce(lifetime_purchases, 0) AS lifetime_purchases,
  coalesce(other_purchases, 0) AS other_purchases,
  CASE WHEN monthly_price IS NOT NULL THEN 12 * monthly_price * coalesce(yearly_sold, 0) - coalesce(yearly_paid, 0)
    END AS realised_saving,
  monthly_price * expected AS monthly_value_365d
FROM priced
