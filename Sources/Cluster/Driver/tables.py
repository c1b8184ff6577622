"""Where the tables of a build lie, and what columns they have.

Below the output folder, only ever added to until a build is complete:

    current.json            which build counts; replaced last, by a rename
    events/BUILD/           the events that the build has added: app=, month=
    facts/BUILD/            TABLE/ by app= and month=: the facts of the persons that the build has folded
    cells/BUILD/            by app= and month=: what these put into cells, and what the same persons had put there before
    builds/BUILD/           days, impressions, members, files, quarantine, conflicts; superseded events and refolded persons,
                            with the build before which what is there of them does not count; manifest.json
"""

import functools
import json

from pyspark.sql import functions as F

from refusal import Refusal

#: Of the table of files.
FILE_COLUMNS = [
    ("path", "STRING"), ("size", "BIGINT"), ("changed", "BIGINT"), ("digest", "STRING"), ("lines", "BIGINT"),
    ("rejected", "BIGINT"), ("csv_header", "STRING"), ("failure", "STRING"), ("is_repeated", "BOOLEAN"),
]


def read_current(storage):
    path = storage.path("current.json")
    return json.loads(storage.read(path))["build"] if storage.exists(path) else None


def read_manifest(storage, build):
    return json.loads(storage.read(storage.path("builds", f"{build:06d}", "manifest.json")))


def refuse_other(manifest, job):
    """Refuses what another version has built."""
    built, oldest, newest = manifest["protocol"], job["layout"]["oldest_build"], job["layout"]["protocol"]
    if not oldest <= built <= newest:
        raise Refusal(
            f"{job['output']}: was built with protocol {built}, and this program reads {oldest} to {newest}; "
            "build again into another folder")


def schema(columns):
    """Names and types of columns, as Spark reads them."""
    return ", ".join(f"{name} {kind}" for name, kind in columns)


def union(frames):
    """The rows of frames that have the same columns."""
    return functools.reduce(lambda rows, more: rows.unionByName(more), frames)


def stored_columns(layout):
    """Columns of the table of events, with their types."""
    return [(c, t) for c, t in layout["columns"]["event"] if c != "block"]


def events_at(storage, layout, path):
    """The table of events that a build has added."""
    columns = stored_columns(layout)
    return storage.spark.read.schema(schema(columns)).parquet(path).select([c for c, _ in columns])


def batch_events(storage, layout, batches):
    """The events that batches have added, with the batch."""
    rows = storage.spark.createDataFrame([], schema(stored_columns(layout)) + ", batch INT")
    for batch in batches:
        one = events_at(storage, layout, storage.path("events", f"{batch:06d}"))
        rows = rows.unionByName(one.withColumn("batch", F.lit(batch)))
    return rows


def stored_events(storage, layout, build, manifest):
    """The events of a build: those that each batch has added, but for what a later build has superseded."""
    rows = batch_events(storage, layout, manifest["batches"])
    if manifest.get("superseded") == 0:
        return rows.drop("batch")
    dead = storage.spark.read.parquet(storage.path("builds", f"{build:06d}", "superseded")).withColumnRenamed("build", "by")
    return rows.join(
        dead,
        (rows["app"] == dead["app"]) & (rows["event_id"] == dead["event_id"]) & (rows["batch"] < dead["by"]),
        "left_anti",
    ).drop("batch")


def facts_at(storage, layout, path, table):
    """A table of facts; the schema is given, as a table without a row has no file that would tell."""
    return storage.spark.read.schema(schema(layout["columns"][table]) + ", month STRING").parquet(path)


def fact_batches(manifest):
    """Number and folder of the builds whose facts count, the oldest first."""
    build = manifest["build"]
    # Up to protocol 3 each build had the facts of all persons.
    return [tuple(batch) for batch in manifest.get("facts", [(build, f"builds/{build:06d}/facts")])]


def read_facts(storage, layout, manifest, table):
    """A table of facts of a build: those of each batch, but for persons that a later one has folded again."""
    *former, (_, newest) = fact_batches(manifest)
    rows = [facts_at(storage, layout, storage.path(newest, table), table)]
    if former:
        refolded = read_refolded(storage, manifest)
    for number, folder in former:
        again = refolded.where(f"build > {number}").select("app", "person").distinct()
        rows.append(facts_at(storage, layout, storage.path(folder, table), table).join(again, ["app", "person"], "left_anti"))
    return union(rows)


def read_refolded(storage, manifest):
    """Persons with the build that has folded them again, of all batches of facts but the first."""
    path = storage.path("builds", f"{manifest['build']:06d}", "refolded")
    return storage.spark.read.schema("app STRING, person STRING, build BIGINT").parquet(path)


def read_cells(storage, layout, manifest):
    """The cells of a build: units, and such as are to be taken away from them."""
    return union(facts_at(storage, layout, storage.path(folder), "cell") for folder in manifest["cells"])


def fact_files(packs, job):
    """Packs of facts, placed in files."""
    return packs.selectExpr(
        "table", "app", "month", f"pmod(bucket, {job.get('buckets', 1)}) AS part", "CAST(0 AS BIGINT) AS before", "CAST(NULL AS STRING) AS dropped", "bytes",
    )
