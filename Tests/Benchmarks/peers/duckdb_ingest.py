"""DuckDB: reads event files into a table of its own.

    duckdb_ingest.py STORE FOLDER plain|sample key|ignore|none

`key` makes `event_id` the primary key and stops at the first event that is there already; `ignore` passes it over.
"""

import sys

import duckdb

import columns

TYPES = {"TEXTS": "VARCHAR", "INSTANTS": "TIMESTAMP", "MONEY": "DECIMAL(18,6)", "NUMBERS": "DOUBLE",
         "INTEGERS": "INTEGER", "OBJECTS": "JSON"}


def main():
    store, folder, data, key = sys.argv[1:5]
    connection = duckdb.connect(store)
    types = columns.typed(data, TYPES)
    fields = ", ".join(f'"{name}" {kind}' + (" PRIMARY KEY" if key != "none" and name == "event_id" else "")
                       for name, kind in types.items())
    connection.execute(f"CREATE TABLE IF NOT EXISTS events ({fields})")
    names = ", ".join(f'"{name}"' for name in types)
    given = "{" + ", ".join(f"'{name}': '{kind}'" for name, kind in types.items()) + "}"
    insert = "INSERT OR IGNORE" if key == "ignore" else "INSERT"
    connection.execute(f"{insert} INTO events SELECT {names} FROM "
                       f"read_json('{folder}/*', format = 'newline_delimited', columns = {given})")
    connection.close()


if __name__ == "__main__":
    main()
