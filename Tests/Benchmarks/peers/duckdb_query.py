"""DuckDB with its store open: answers questions from standard input, one JSON line each.

    duckdb_query.py STORE

A line is a question's fields, or `sql`, and `times`; the answer is a line with `seconds` of each run of the query alone,
`columns` and `rows` (texts, or null).
"""

import json
import sys
import time

import duckdb

import question
from duckdb_sql import query


def main():
    connection = duckdb.connect(sys.argv[1], read_only=True)
    for line in sys.stdin:
        asked = json.loads(line)
        statement = asked.get("sql") or query(question.parsed(asked))
        seconds = []
        for _ in range(asked["times"]):
            started = time.monotonic()
            rows = connection.execute(statement).fetchall()
            seconds.append(time.monotonic() - started)
        answer = {"seconds": seconds, "columns": [column[0] for column in connection.description],
                  "rows": [[None if value is None else str(value) for value in row] for row in rows]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
