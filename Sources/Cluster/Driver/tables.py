"""Where the tables of a build lie, and what columns they have.

Below the output folder, only ever added to until a build is complete:

    current.json            which build counts; replaced last, by a rename
    events/BUILD/           the events that the build has added: app=, month=
    builds/BUILD/           facts/TABLE/ by app= and month=; days, impressions, members, files, quarantine, conflicts,
                            superseded; manifest.json
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
            "build it anew into another folder")


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


def read_facts(storage, layout, build, table):
    """A table of facts of a build."""
    return facts_at(storage, layout, storage.path("builds", f"{build:06d}", "facts", table), table)


def fact_files(packs, job):
    """Packs of facts, placed in files."""
    return packs.selectExpr(
        "table", "app", "month", f"pmod(bucket, {job.get('buckets', 1)}) AS part", "CAST(0 AS BIGINT) AS before", "CAST(NULL AS STRING) AS dropped", "bytes",
    )
