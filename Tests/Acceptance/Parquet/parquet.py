#!/usr/bin/env python3
"""Parquet as pyarrow, pandas, fastparquet, DuckDB and polars write it, row by row and value by value.

    python parquet.py --lines .build/debug/ParquetLines [--seed 1] [--rows 3000] [FILE...]

Makes files in every encoding, codec, page version and nesting; reads them by the program's reader (ParquetLines) and by
pyarrow, and compares. Given FILEs (or folders) are compared, too. A file cut short at 200 places must fail in plain words.
"""

import argparse
import datetime
import decimal
import json
import math
import random
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

import duckdb
import fastparquet
import numpy
import pandas
import polars
import pyarrow
import pyarrow.parquet

FAILURES = []
EPOCH = datetime.date(1970, 1, 1)


def fail(what):
    FAILURES.append(what)
    print(f"wrong: {what}", flush=True)


def digits(value):
    """A decimal without an exponent and without zeros at its end."""
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def instant(count, unit, utc):
    per = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    seconds, rest = divmod(count, per)
    days, seconds = divmod(seconds, 86_400)
    return f"{(EPOCH + datetime.timedelta(days=days)).isoformat()}T{clock(seconds, rest, per)}{'Z' if utc else ''}"


def clock(seconds, rest, per):
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if rest:
        width = len(str(per)) - 1
        while width > 3 and rest % 1000 == 0:
            rest, width = rest // 1000, width - 3
        text += f".{rest:0{width}}"
    return text


class Number(str):
    """A number as the digits that stand in JSON."""


def expected(value, kind):
    """The JSON of a pyarrow scalar; None for what is absent."""
    types = pyarrow.types
    if isinstance(kind, pyarrow.BaseExtensionType):
        if str(kind).startswith("extension<arrow.uuid"):
            return None if not value.is_valid else str(value.as_py())
        if str(kind).startswith("extension<arrow.json"):
            return None if not value.is_valid else value.as_py()
        return expected(value.value, kind.storage_type)
    if not value.is_valid:
        return None
    if types.is_dictionary(kind):
        return expected(pyarrow.scalar(value.as_py(), kind.value_type), kind.value_type)
    if types.is_timestamp(kind):
        return instant(value.value, kind.unit, kind.tz is not None)
    if types.is_time(kind):
        per = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[kind.unit]
        return clock(value.value // per, value.value % per, per)
    if types.is_date(kind):
        return value.as_py().isoformat()
    if types.is_duration(kind):
        return Number(value.value)
    if types.is_decimal(kind):
        return Number(digits(value.as_py()))
    if types.is_boolean(kind):
        return value.as_py()
    if types.is_integer(kind):
        return Number(value.as_py())
    if types.is_floating(kind):
        number = value.as_py()
        if isinstance(number, numpy.floating):
            number = float(number)
        return None if not math.isfinite(number) else float(number)
    if types.is_struct(kind):
        members = {}
        for field in kind:
            member = expected(value[field.name], field.type)
            if member is not None:
                members[field.name] = member
        return members
    if types.is_map(kind):
        pairs = [(pair[0], pair[1]) if isinstance(pair, tuple) else (pair["key"], pair["value"])
                 for pair in value.values]
        if types.is_string(kind.key_type):
            return {key.as_py(): expected(item, kind.item_type) for key, item in pairs}
        found = []
        for key, item in pairs:
            entry = {"key": expected(key, kind.key_type), "value": expected(item, kind.item_type)}
            found.append({name: part for name, part in entry.items() if part is not None})
        return found
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return [expected(item, kind.value_type) for item in value.values]
    if types.is_string(kind) or types.is_large_string(kind) or str(kind) == "string_view":
        return value.as_py()
    if types.is_null(kind):
        return None
    content = value.as_py()
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        import base64
        return "base64:" + base64.b64encode(content).decode()


def same(left, right):
    if isinstance(left, dict):
        return isinstance(right, dict) and left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float):
        # The shortest form of a number of 32 bits is not that of 64.
        return isinstance(right, Number) and (float(right) == left or numpy.float32(right) == numpy.float32(left)
                                              or numpy.float16(right) == numpy.float16(left))
    return type(left) is type(right) and left == right


def rows_of(program, path):
    done = subprocess.run([program, path], capture_output=True)
    if done.returncode:
        return None, done.stderr.decode(errors="replace").strip() or f"status {done.returncode}"
    rows = []
    for line in done.stdout.split(b"\n")[:-1]:
        try:
            rows.append(json.loads(line, parse_int=Number, parse_float=Number))
        except ValueError as error:
            return None, f"{error} in {line[:200]!r}"
    return rows, None


def read(path):
    """What pyarrow reads, or DuckDB where pyarrow cannot; INT96 are instants in UTC, which neither says."""
    try:
        file = pyarrow.parquet.ParquetFile(path)
        table = file.read()
    except OSError:
        connection = duckdb.connect()
        connection.execute("SET timezone = 'UTC'")
        return connection.sql(f"FROM '{path}'").to_arrow_table()
    for index, name in enumerate(table.column_names):
        kind = table.schema.field(index).type
        if pyarrow.types.is_timestamp(kind) and any(
                file.schema.column(place).physical_type == "INT96" and file.schema.column(place).path == name
                for place in range(len(file.schema))):
            table = table.set_column(index, name, table.column(index).cast(pyarrow.timestamp(kind.unit, "UTC")))
    return table


def compare(program, path, label, table=None):
    if table is None:
        table = read(path)
    rows, said = rows_of(program, path)
    if rows is None:
        return fail(f"{label}: {said}")
    if len(rows) != table.num_rows:
        return fail(f"{label}: {len(rows)} rows, not {table.num_rows}")
    for name in table.column_names:
        column = table.column(name)
        for index, value in enumerate(column):
            wanted = expected(value, column.type)
            found = rows[index].get(name)
            if not same(wanted, found):
                return fail(f"{label}: {name} of row {index + 1} is {found!r}, not {wanted!r} ({column.type})")
    names = set(table.column_names)
    extra = {key for row in rows for key in row} - names
    if extra:
        return fail(f"{label}: has {extra}")
    return True


def nullable(random, values, share=0.2):
    return [None if random.random() < share else value for value in values]


def make_table(random, count):
    """A column of each type, with and without NULLs, and nested ones."""
    words = ["", "a", "überlang " * 9, "quote \" and \\", "line\nfeed", "tab\t", "\u0001", "日本", "control", "annual"]
    text = [random.choice(words) if index % 3 else f"id-{random.getrandbits(60):x}" for index in range(count)]
    sorted_text = sorted(f"prefix-{index // 7:05}-{random.randrange(99)}" for index in range(count))
    ints = [random.choice([0, 1, -1, random.randrange(-2**31, 2**31), random.randrange(100)]) for _ in range(count)]
    longs = [random.choice([0, -1, 2**63 - 1, -2**63, random.randrange(-2**63, 2**63), 7]) for _ in range(count)]
    slow = [1_700_000_000_000 + index * 977 + random.randrange(50) for index in range(count)]
    doubles = [random.choice([0.0, -0.5, 1e300, 5e-324, 9.99, random.random() * 1e6, float("nan"), float("inf"), 3.0])
               for _ in range(count)]
    decimals = [decimal.Decimal(random.randrange(-10**9, 10**9)).scaleb(-2) for _ in range(count)]
    wide = [decimal.Decimal(random.randrange(-10**37, 10**37)).scaleb(-9) for _ in range(count)]
    widest = [decimal.Decimal(random.randrange(-10**70, 10**70)).scaleb(-38) for _ in range(count)]
    seconds = [random.randrange(-10**9, 4 * 10**9) for _ in range(count)]
    days = [random.randrange(-20_000, 60_000) for _ in range(count)]
    flags = [random.random() < 0.3 for _ in range(count)]
    raw = [random.randbytes(random.randrange(12)) for _ in range(count)]
    lists = [None if random.random() < 0.1 else [None if random.random() < 0.2 else random.randrange(1000)
                                                 for _ in range(random.choice([0, 1, 3, 40]))] for _ in range(count)]
    params = [None if random.random() < 0.1 else [
        {"key": random.choice(["screen", "amount", "x"]),
         "value": None if random.random() < 0.1 else {
             "string_value": random.choice([None, "settings"]), "int_value": random.choice([None, 499])}}
        for _ in range(random.randrange(4))] for _ in range(count)]
    deep = [None if random.random() < 0.1 else [None if random.random() < 0.2 else [
        {"v": random.choice([None, 1.5]), "w": [random.choice(["p", None]) for _ in range(random.randrange(3))]}
        for _ in range(random.randrange(3))] for _ in range(random.randrange(3))] for _ in range(count)]
    maps = [None if random.random() < 0.1 else [(f"k{place}", random.choice([None, "v"]))
                                                for place in range(random.randrange(4))] for _ in range(count)]
    int_maps = [[(place, place * 2) for place in range(random.randrange(3))] for _ in range(count)]
    array = pyarrow.array
    columns = {
        "text": array(nullable(random, text)), "required_text": array(text), "sorted": array(sorted_text),
        "i8": array([value % 100 for value in ints], pyarrow.int8()), "i16": array([value % 9000 for value in ints], pyarrow.int16()),
        "i32": array(nullable(random, ints), pyarrow.int32()), "i64": array(nullable(random, longs), pyarrow.int64()),
        "u8": array([abs(value) % 256 for value in ints], pyarrow.uint8()),
        "u32": array([value % 2**32 for value in ints], pyarrow.uint32()),
        "u64": array([value % 2**64 for value in longs], pyarrow.uint64()), "slow": array(slow, pyarrow.int64()),
        "slow32": array([value % 10**9 for value in slow], pyarrow.int32()),
        "double": array(nullable(random, doubles), pyarrow.float64()),
        "float": array([numpy.float32(value if abs(value) < 1e30 else 1.5) for value in doubles], pyarrow.float32()),
        "half": array([numpy.float16(random.choice([0.5, -2.25, 1e-7, 65504])) for _ in range(count)], pyarrow.float16()),
        "decimal9": array([value % 10**6 for value in decimals], pyarrow.decimal128(8, 2)),
        "decimal18": array(nullable(random, decimals), pyarrow.decimal128(18, 2)),
        "decimal38": array(nullable(random, wide), pyarrow.decimal128(38, 9)),
        "decimal76": array(widest, pyarrow.decimal256(76, 38)),
        "day": array(nullable(random, days), pyarrow.date32()),
        "ms": array([value * 1000 + 7 for value in seconds], pyarrow.timestamp("ms", "UTC")),
        "us": array(nullable(random, [value * 10**6 + random.choice([0, 5, 999_000]) for value in seconds]), pyarrow.timestamp("us", "UTC")),
        "ns": array([value * 10**9 + 1 for value in seconds], pyarrow.timestamp("ns", "UTC")),
        "local": array([value * 10**6 for value in seconds], pyarrow.timestamp("us")),
        "time32": array([abs(value) % 86_400_000 for value in seconds], pyarrow.time32("ms")),
        "time64": array([abs(value) * 997 % 86_400_000_000 for value in seconds], pyarrow.time64("us")),
        "flag": array(nullable(random, flags)), "required_flag": array(flags), "bytes": array(nullable(random, raw), pyarrow.binary()),
        "fixed": array(nullable(random, [random.randbytes(5) for _ in range(count)]), pyarrow.binary(5)),
        "nothing": pyarrow.nulls(count), "empty": array([None] * count, pyarrow.string()),
        "same": array(["x"] * count), "list": array(lists, pyarrow.list_(pyarrow.int64())),
        "params": array(params, pyarrow.list_(pyarrow.struct([
            ("key", pyarrow.string()), ("value", pyarrow.struct([("string_value", pyarrow.string()), ("int_value", pyarrow.int64())]))]))),
        "deep": array(deep, pyarrow.list_(pyarrow.list_(pyarrow.struct([
            ("v", pyarrow.float64()), ("w", pyarrow.list_(pyarrow.string()))])))),
        "map": array(maps, pyarrow.map_(pyarrow.string(), pyarrow.string())),
        "int_map": array(int_maps, pyarrow.map_(pyarrow.int32(), pyarrow.int64())),
        "struct": array([{"a": random.choice([None, 1]), "b": {"c": random.choice(["x", None])}} if random.random() < 0.8 else None
                         for _ in range(count)], pyarrow.struct([("a", pyarrow.int32()), ("b", pyarrow.struct([("c", pyarrow.string())]))])),
    }
    columns["uuid"] = pyarrow.ExtensionArray.from_storage(
        pyarrow.uuid(), array([uuid.UUID(int=random.getrandbits(128)).bytes for _ in range(count)], pyarrow.binary(16)))
    return pyarrow.table(columns)


def flat_columns(table):
    return [name for name in table.column_names if not pyarrow.types.is_nested(table.column(name).type)]


def pyarrow_files(table, folder):
    write = pyarrow.parquet.write_table
    for codec in ("none", "snappy", "gzip", "zstd", "lz4"):
        for version in ("1.0", "2.0"):
            for dictionary in (True, False):
                path = folder / f"pyarrow-{codec}-{version}-{dictionary}.parquet"
                write(table, path, compression=codec, data_page_version=version, use_dictionary=dictionary,
                      data_page_size=20_000, row_group_size=max(1, table.num_rows // 3), write_page_checksum=dictionary,
                      write_page_index=version == "2.0")
                yield path
    flat = flat_columns(table)
    kinds = {"DELTA_BINARY_PACKED": pyarrow.types.is_integer, "DELTA_LENGTH_BYTE_ARRAY": pyarrow.types.is_string,
             "DELTA_BYTE_ARRAY": lambda kind: pyarrow.types.is_string(kind) or pyarrow.types.is_fixed_size_binary(kind),
             "BYTE_STREAM_SPLIT": lambda kind: pyarrow.types.is_integer(kind) and kind.bit_width >= 32
             or pyarrow.types.is_floating(kind) or pyarrow.types.is_fixed_size_binary(kind),
             "RLE": pyarrow.types.is_boolean, "PLAIN": lambda kind: True}
    for encoding, fits in kinds.items():
        chosen = {name: encoding for name in flat if fits(table.column(name).type)}
        for version in ("1.0", "2.0"):
            for codec in ("none", "zstd"):
                path = folder / f"pyarrow-{encoding}-{version}-{codec}.parquet"
                write(table.select(list(chosen)), path, use_dictionary=False, column_encoding=chosen, compression=codec,
                      data_page_version=version, data_page_size=9_000)
                yield path
    path = folder / "pyarrow-int96.parquet"
    write(table.select(["ns", "us", "local"]), path, use_deprecated_int96_timestamps=True)
    yield path
    path = folder / "pyarrow-two-level-lists.parquet"
    write(table.select(["list", "params", "deep"]), path, use_compliant_nested_type=False)
    yield path
    path = folder / "pyarrow-store-decimal-as-integer.parquet"
    write(table.select(["decimal9", "decimal18", "decimal38"]), path, store_decimal_as_integer=True)
    yield path
    path = folder / "pyarrow-no-rows.parquet"
    write(table.slice(0, 0), path)
    yield path


def other_files(table, folder):
    flat = table.select([name for name in flat_columns(table) if name not in ("nothing", "half", "uuid", "decimal76", "decimal38")])
    frame = flat.to_pandas()
    path = folder / "pandas.parquet"
    frame.to_parquet(path)
    yield path
    for codec in ("SNAPPY", "GZIP", "ZSTD", "LZ4_RAW", None):
        path = folder / f"fastparquet-{codec}.parquet"
        chosen = frame[["required_text", "sorted", "i32", "slow", "double", "required_flag", "ms", "flag", "text", "i64"]].copy()
        chosen["category"] = pandas.Series(frame["sorted"].str[:9]).astype("category")
        fastparquet.write(str(path), chosen, compression=codec, row_group_offsets=1000)
        yield path
    path = folder / "fastparquet-int96.parquet"
    fastparquet.write(str(path), frame[["ns", "slow"]], times="int96")
    yield path
    connection = duckdb.connect()
    connection.execute("SET timezone = 'UTC'")
    names = ", ".join(f'"{name}"' for name in table.column_names if name not in ("half", "nothing", "decimal76", "decimal38", "uuid"))
    nested = table.select([name for name in table.column_names if name not in ("half", "nothing", "decimal76", "decimal38", "uuid")])
    connection.register("source", nested)
    for codec in ("uncompressed", "snappy", "gzip", "zstd", "lz4_raw"):
        for version in ("v1", "v2"):
            path = folder / f"duckdb-{codec}-{version}.parquet"
            connection.execute(f"COPY (SELECT {names} FROM source) TO '{path}' (FORMAT parquet, CODEC {codec}, PARQUET_VERSION {version}, ROW_GROUP_SIZE 2048)")
            yield path
    path = folder / "duckdb-types.parquet"
    connection.execute(f"""COPY (SELECT i::HUGEINT AS huge, uuid() AS u, (i * 1.5)::DECIMAL(30, 4) AS d, INTERVAL (i) DAY AS gap,
        TIMESTAMP '2026-01-01' + INTERVAL (i) SECOND AS local, {{'a': i, 'b': [i, NULL]}} AS s, MAP {{'k': i}} AS m,
        ['x', NULL] AS l, CASE WHEN i % 2 = 0 THEN 'even' END::VARCHAR AS e FROM range(500) t(i)) TO '{path}' (FORMAT parquet)""")
    yield path
    path = folder / "polars.parquet"
    polars.from_arrow(nested.select([name for name in nested.column_names if name not in ("map", "int_map")])).write_parquet(path)
    yield path


def cut_short(program, path):
    """A file that ends early says so, and gives no reason to think that it crashed."""
    content = path.read_bytes()
    place = path.with_suffix(".cut")
    for index in range(200):
        place.write_bytes(content[:len(content) * index // 200])
        done = subprocess.run([program, place], capture_output=True)
        if done.returncode != 1 or not done.stderr.strip():
            return fail(f"{path.name} cut to {len(content) * index // 200} bytes: status {done.returncode}: {done.stderr[:200]!r}")
    place.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=int, default=3_000)
    parser.add_argument("--keep", type=Path, help="the folder for the files")
    parser.add_argument("files", type=Path, nargs="*")
    given = parser.parse_args()
    program = given.lines.resolve()
    count = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if not given.files:
            table = make_table(random.Random(given.seed), given.rows)
            for maker in (pyarrow_files, other_files):
                for path in maker(table, folder):
                    compare(program, path, path.name)
                    count += 1
            cut_short(program, folder / "duckdb-zstd-v2.parquet")
        for path in given.files:
            for each in sorted(path.rglob("*.parquet")) if path.is_dir() else [path]:
                compare(program, each, str(each))
                count += 1
    print(f"{count} files, {len(FAILURES)} wrong")
    sys.exit(1 if FAILURES else 0)


if __name__ == "__main__":
    main()
