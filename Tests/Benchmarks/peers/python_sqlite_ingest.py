"""Python with orjson, zstandard and sqlite3: `executemany` into one table with a primary key.

    python_sqlite_ingest.py STORE FOLDER plain|sample
"""

import io
import sqlite3
import sys
from operator import itemgetter
from pathlib import Path

import orjson
import zstandard

import columns


def rows(folder, names):
    """One tuple an event, in the order of `names`."""
    values = itemgetter(*names)
    absent = dict.fromkeys(names)
    for path in sorted(Path(folder).iterdir()):
        with open(path, "rb") as file:
            for line in io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(file), 1 << 20):
                event = absent | orjson.loads(line)
                if event["properties"]:
                    event["properties"] = orjson.dumps(event["properties"])
                yield values(event)


def main():
    store, folder, data = sys.argv[1:4]
    names = [name for fields in columns.kinds(data).values() for name in fields]
    connection = sqlite3.connect(store, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA cache_size = -200000")
    fields = ", ".join(f'"{name}"' + (" PRIMARY KEY" if name == "event_id" else "") for name in names)
    connection.execute(f"CREATE TABLE IF NOT EXISTS events ({fields})")
    connection.execute("BEGIN")
    connection.executemany(f"INSERT OR IGNORE INTO events VALUES ({', '.join('?' * len(names))})", rows(folder, names))
    connection.execute("COMMIT")
    connection.close()


if __name__ == "__main__":
    main()
