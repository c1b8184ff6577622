"""ClickHouse (chdb): reads event files into a MergeTree table in the order of persons and time.

    clickhouse_ingest.py STORE FOLDER plain|sample
"""

import sys

from chdb import session

import columns

IDS = {"event_id", "user_id", "subscription_id", "transaction_id", "previous_user_id"}
TYPES = {"TEXTS": "LowCardinality(String)", "INSTANTS": "DateTime64(3)", "MONEY": "Decimal(18, 6)",
         "NUMBERS": "Float64", "INTEGERS": "Int32", "OBJECTS": "String"}


def main():
    store, folder, data = sys.argv[1:4]
    types = {name: "String" if name in IDS else kind for name, kind in columns.typed(data, TYPES).items()}
    fields = ", ".join(f"`{name}` {kind}" for name, kind in types.items())
    clickhouse = session.Session(store)
    clickhouse.query("SET session_timezone = 'UTC'")
    clickhouse.query("CREATE DATABASE IF NOT EXISTS bench")
    clickhouse.query(f"CREATE TABLE IF NOT EXISTS bench.events ({fields}) ENGINE = MergeTree "
                     "ORDER BY (app, user_id, ts)")
    clickhouse.query(f"INSERT INTO bench.events SELECT * FROM file('{folder}/*.zst', JSONEachRow, '{fields}') "
                     "SETTINGS date_time_input_format = 'best_effort', input_format_skip_unknown_fields = 1, "
                     "input_format_json_read_objects_as_strings = 1")
    clickhouse.close()


if __name__ == "__main__":
    main()
