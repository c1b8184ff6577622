WITH {trial_units},
unit AS (SELECT * FROM state {only}),
counts AS (
  SELECT app, {keys}, count(*) AS trials, count(paid) AS converted,
    count(*) FILTER (paid IS NULL AND matured) AS lapsed,
    count(*) FILTER (paid IS NULL AND NOT matured AND NOT off) AS pending_renewing,
    count(*) FILTER (paid IS NULL AND NOT matured AND off) AS pending_cancelled,
    count(*) FILTER (matured) AS matured, count(paid) FILTER (matured) AS matured_converted,
    count(*) FILTER (matured AND off) AS cancelled
  FROM unit GROUP BY ALL),
-- Aalen-Johansen (4.6): ends by age, those at risk, the survival before each age.
ends AS (
  SELECT app, {keys}, least(paid, CASE WHEN matured THEN deadline ELSE t END) - start AS age, count(paid) AS paid,
    count(*) FILTER (paid IS NOT NULL OR matured) AS ended, count(*) AS gone
  FROM unit GROUP BY ALL),
risk AS (
  SELECT *, sum(gone) OVER (PARTITION BY app, {keys} ORDER BY age DESC) AS n FROM ends),
left_before AS (
  SELECT *, coalesce(sum(CASE WHEN ended = n THEN -1e9 ELSE ln(1 - ended / n) END) OVER (
    PARTITION BY app, {keys} ORDER BY age ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS log_survival
  FROM risk),
incidence AS (
  SELECT app, {keys}, sum(exp(log_survival) * paid / n) AS cumulative_incidence FROM left_before GROUP BY ALL)
SELECT app, {renamed}, counts.* EXCLUDE (app, {keys}),
  CASE WHEN counts.matured > 0 THEN cumulative_incidence END AS cumulative_incidence
FROM counts JOIN incidence USING (app, {keys})
