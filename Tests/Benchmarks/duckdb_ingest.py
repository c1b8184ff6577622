"""Reads event files into a DuckDB table, with or without a primary key on `event_id`: the peer of `tollgate ingest`."""

import sys

import duckdb

COLUMNS = {name: "VARCHAR" for name in
           ["event_id", "event", "app", "user_id", "platform", "store", "country", "app_version", "entry_point",
            "experiment", "variant", "paywall", "offering", "currency", "product_id", "plan", "subscription_id",
            "transaction_id", "trial_kind", "reason"]}
COLUMNS |= {"ts": "TIMESTAMP", "received_at": "TIMESTAMP", "expires_at": "TIMESTAMP", "price": "DECIMAL(18,6)",
            "price_monthly": "DECIMAL(18,6)", "price_yearly": "DECIMAL(18,6)", "trial_days": "INTEGER"}


def main():
    database, files, key = sys.argv[1:4]
    connection = duckdb.connect(database)
    connection.execute("SET threads = 2")
    fields = ", ".join(f"{name} {kind}" + (" PRIMARY KEY" if key == "key" and name == "event_id" else "")
                       for name, kind in COLUMNS.items())
    connection.execute(f"CREATE TABLE events ({fields})")
    names = ", ".join(COLUMNS)
    types = "{" + ", ".join(f"'{name}': '{kind}'" for name, kind in COLUMNS.items()) + "}"
    connection.execute(
        f"INSERT INTO events SELECT {names} FROM read_json('{files}/*', format = 'newline_delimited', columns = {types})")
    connection.close()


if __name__ == "__main__":
    main()
