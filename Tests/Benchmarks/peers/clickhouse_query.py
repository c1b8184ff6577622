"""ClickHouse with its store open: the funnel, from standard input as duckdb_query.py takes it.

    clickhouse_query.py STORE

One pass over the persons: their first impression, and lists of their trials and conversions. Every first payment of the
plain data's subscriptions is a conversion, so a later purchase is any later conversion.
"""

import json
import sys
import time

from chdb import session

import question

FUNNEL = """
WITH instant AS (SELECT app, max(ts) + INTERVAL 1 MILLISECOND AS t FROM bench.events
    WHERE ts <= received_at + INTERVAL 1 DAY GROUP BY app),
  horizon AS (SELECT app, quantileExactLow(0.99)(trial_days) AS length FROM bench.events WHERE event = 'trial_start'
    GROUP BY app),
  person AS (
    SELECT app, user_id, minIf(ts, event = 'paywall_impression') AS entered, {first},
      groupArrayIf((ts, trial_days, subscription_id), event = 'trial_start') AS trials,
      groupArrayIf((ts, subscription_id), event = 'conversion') AS conversions,
      arrayFilter(x -> x.1 >= entered AND x.1 < entered + INTERVAL 7 DAY, trials) AS within,
      length(within) > 0 AS trial,
      arrayExists(x -> arrayExists(y -> y.2 = x.3 AND y.1 >= x.1 AND y.1 < x.1 + toIntervalDay(x.2 + {grace}),
        conversions), within) AS trial_paid,
      arrayExists(y -> y.1 >= entered AND y.1 < entered + INTERVAL 7 DAY AND NOT arrayExists(x -> y.2 = x.3
        AND x.1 >= entered AND y.1 >= x.1 AND y.1 < x.1 + toIntervalDay(x.2 + {grace}), trials),
        conversions) AS direct,
      arrayExists(y -> y.1 >= entered, conversions) AS bought
    FROM bench.events WHERE event IN ('paywall_impression', 'trial_start', 'conversion')
    GROUP BY app, user_id HAVING countIf(event = 'paywall_impression') > 0)
SELECT app, {names}, countIf(matured) AS users, countIf(matured AND trial) AS trial_users,
  countIf(matured AND trial_paid) AS trial_paid_users, countIf(matured AND direct) AS direct_paid_users,
  countIf(matured AND (trial_paid OR direct)) AS paid_users,
  countIf(matured AND bought AND NOT trial_paid AND NOT direct) AS paid_later_users, countIf(NOT matured) AS immature
FROM (SELECT person.app AS app, {keys}, trial, trial_paid, direct, bought,
    entered + toIntervalDay(7 + length + {grace}) <= t AS matured
  FROM person JOIN instant USING (app) JOIN horizon USING (app))
GROUP BY app, {keys}
"""


def query(asked):
    names = [f"k{index}" for index in range(len(asked.by))]
    return FUNNEL.format(
        grace=asked.grace, keys=", ".join(names),
        first=", ".join(f"argMinIf(if({one} = '', '(none)', toString({one})), ts, event = 'paywall_impression') AS {name}"
                        for one, name in zip(asked.by, names)),
        names=", ".join(f"{name} AS `{one}`" for one, name in zip(asked.by, names)))


def main():
    clickhouse = session.Session(sys.argv[1])
    clickhouse.query("SET session_timezone = 'UTC'")
    for line in sys.stdin:
        asked = json.loads(line)
        statement = query(question.parsed(asked))
        seconds = []
        for _ in range(asked["times"]):
            started = time.monotonic()
            text = clickhouse.query(statement, "JSONCompact").bytes()
            seconds.append(time.monotonic() - started)
        table = json.loads(text)
        print(json.dumps({"seconds": seconds, "columns": [column["name"] for column in table["meta"]],
                          "rows": [[None if value is None else str(value) for value in row] for row in table["data"]]}),
              flush=True)


if __name__ == "__main__":
    main()
