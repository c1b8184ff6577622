"""Reads event files, folds the persons that they touch, and writes the tables of a build."""

import json
from concurrent.futures import ThreadPoolExecutor

from pyspark.sql import functions as F

from copy_text import escaped
from days import days_of, impressions_of
from decoding import Decoded, numbered
from folding import Folding
from persons import joined_users, joins_of
from refusal import Refusal
from storage import Staging, Storage, canonical, lasting
from tables import (
    FILE_COLUMNS, batch_events, events_at, read_current, read_manifest, refuse_other, schema, stored_columns, stored_events, union,
)
from workers import Workers

#: Events that a worker holds at once: some 450 bytes each.
BUCKET_EVENTS = 1_000_000
#: Where each build has a folder.
PLACES = ("builds", "events", "facts", "cells")


def month(column):
    return F.date_format(F.timestamp_millis(F.col(column)), "yyyy-MM")


class Build:
    def __init__(self, spark, job):
        self.spark = spark
        self.job = job
        self.layout = job["layout"]
        self.storage = Storage(spark, job["output"])
        self.current = read_current(self.storage)
        self.manifest = read_manifest(self.storage, self.current) if self.current else None
        # No number that a killed build has left something of.
        self.number = max([self.current or 0, *(n for place in PLACES for n in self.builds_in(place))]) + 1
        self.folder, self.events = (self.storage.path(place, f"{self.number:06d}") for place in ("builds", "events"))
        self.staging = Staging(spark, self.storage)
        self.workers = Workers(spark, job, self.storage, self.staging)
        self.pending = []
        if self.manifest:
            refuse_other(self.manifest, job)

    def builds_in(self, place):
        """The numbers of builds that have a folder there."""
        return [int(name) for name in self.storage.children(self.storage.path(place)) if name.isdigit()]

    # ------------------------------------------------------------------ one thing after the other

    def run(self):
        try:
            return self.build()
        except BaseException:
            # The former build stays; what this one has written is in nobody's way.
            for place in PLACES:
                self.storage.delete(self.storage.path(place, f"{self.number:06d}"))
            raise
        finally:
            self.staging.delete()

    def build(self):
        # Small jobs, most of whose time is the driver's, run beside the others.
        with ThreadPoolExecutor(4) as self.pool:
            return self.step_by_step()

    def step_by_step(self):
        inputs = self.inputs()
        if not inputs:
            return self.summary(dict(files=0, skipped=self.skipped, failed=[], events=0, persons=0), [])
        self.decoded = Decoded(self.spark, self.job, self.workers, inputs)
        # Asked for later: their jobs run beside those of the files.
        self.noted_numbers = self.beside(self.numbers)
        self.held = self.beside(self.decoded.bucket_rows)
        files = self.files(inputs)
        failed = [(f["path"], f["failure"]) for f in files if f["failure"] is not None]
        if self.has_nothing_new(files):
            return self.summary(dict(files=0, skipped=self.skipped, failed=failed, events=0, persons=0), [])
        self.arrive(files)
        self.later(self.save_quarantine)
        changed = self.settle()
        self.days()
        members = self.members()
        touched = self.touched(changed, members)
        self.folding = Folding(self, members, touched)
        persons = self.folding.run()
        for write in self.pending:
            write.result()
        return self.finish(files, failed, persons)

    def beside(self, work, *arguments):
        """Begins work that runs beside what follows: where tasks end, the next is in turn of the one and of the other."""
        def run():
            self.spark.sparkContext.setLocalProperty("spark.scheduler.pool", "beside")
            return work(*arguments)

        return self.pool.submit(run)

    def later(self, write, *arguments):
        """Writes something that nothing before the end needs."""
        self.pending.append(self.beside(write, *arguments))

    def save(self, rows, name):
        path = f"{self.folder}/{name}"
        lasting(rows.write).mode("error").parquet(path)
        # With its schema, which Spark would have a job find out.
        return self.spark.read.schema(rows.schema).parquet(path)

    def former(self, name, like=None):
        """A table of the build before this one."""
        if self.current is None:
            return like.limit(0) if like is not None else None
        return self.spark.read.parquet(self.storage.path("builds", f"{self.current:06d}", name))

    # ------------------------------------------------------------------ what to read

    def inputs(self):
        files = {}
        for path in self.job["inputs"]:
            for found in self.storage.files(path):
                files[found[0]] = found
        known = set()
        if self.current:
            rows = self.former("files").where("failure IS NULL").select("path", "size", "changed").collect()
            known = {(r["path"], r["size"], r["changed"]) for r in rows}
        new = sorted(f for f in files.values() if f not in known)
        self.skipped = len(files) - len(new)
        return new

    def files(self, inputs):
        """The files read, each content once: as many as the driver has listed."""
        blocks = {}
        for row in self.decoded.rows("file").collect():
            blocks.setdefault(row["path"], []).append(row)
        known = set()
        if self.current:
            rows = self.former("files").where("failure IS NULL AND digest <> ''").select("digest").collect()
            known = {row["digest"] for row in rows}
        files = []
        for path, size, changed in inputs:
            # A file of nothing has no block.
            read = blocks.get(path, [])
            most = lambda column: max((b[column] for b in read if b[column] is not None), default=None)
            file = {
                "path": path, "size": size, "changed": changed, "digest": most("digest"), "failure": most("failure"),
                "lines": sum(b["lines"] for b in read), "rejected": sum(b["rejected"] for b in read),
                "csv_header": most("csv_header"), "is_repeated": False,
            }
            if file["digest"] and file["failure"] is None:
                file["is_repeated"] = file["digest"] in known
                known.add(file["digest"])
            files.append(file)
        return files

    def frame(self, files):
        """Files as a table."""
        columns = schema(FILE_COLUMNS)
        return self.spark.createDataFrame([tuple(f[c] for c, _ in FILE_COLUMNS) for f in files], columns).coalesce(1)

    def save_quarantine(self):
        rejected = self.decoded.rows("rejected").join(self.frame(self.counted).select("path"), "path", "left_semi")
        rejected = numbered(rejected, self.decoded.offsets()).drop("block")
        if not any(f["rejected"] for f in self.counted):
            rejected = rejected.limit(0)
        former = self.former("quarantine", like=rejected)
        self.save(former.unionByName(rejected), "quarantine")

    def has_nothing_new(self, files):
        """Whether all that was read are files that could not be read before either."""
        if self.current is None or any(f["failure"] is None for f in files):
            return False
        rows = self.former("files").where("failure IS NOT NULL").select("path", "failure").collect()
        return {(f["path"], f["failure"]) for f in files} <= {(r["path"], r["failure"]) for r in rows}

    def arrive(self, files):
        """Takes the packs; `lost` has their rows that are of files which do not count, from a first one to a last."""
        self.counted = [f for f in files if f["failure"] is None and not f["is_repeated"]]
        self.packs = self.decoded.rows("pack").drop("table")
        self.lost = None
        others = [f for f in files if f["failure"] is not None or f["is_repeated"]]
        if others:
            lost = self.decoded.rows("part").join(F.broadcast(self.frame(others).select("path")), "path", "left_semi")
            self.lost = self.staging.keep(lost.selectExpr("pack", "first", "first + rows - 1 AS last", "rows"), "lost")

    # ------------------------------------------------------------------ each event once

    def stored(self):
        """The events of the former build."""
        if self.current is None:
            return None
        return stored_events(self.storage, self.layout, self.current, self.manifest)

    def of_numbers(self, numbers, stored, conflicts):
        """Events of the former build, and those that lost to them, that have one of some numbers."""
        # Two columns tell where to look for the others; mostly nowhere, or in the last days.
        seen = batch_events(self.storage, self.layout, self.manifest["batches"]).select("number", "ts")
        span = seen.join(numbers, "number", "left_semi").agg(F.min("ts").alias("first"), F.max("ts").alias("last")).first()
        rows = stored.where(F.col("ts").between(span["first"], span["last"])) if span["first"] is not None else stored.limit(0)
        rows = rows.select(self.columns).withColumn("origin", F.lit("stored"))
        rows = rows.unionByName(conflicts.withColumn("origin", F.lit("conflict")))
        return self.staging.keep(rows.join(numbers, "number", "left_semi"), "others")

    def settle(self):
        """Writes the new events, each once (Events.md, "Duplicates and conflicts").

        Equal ids have equal numbers; only events whose number occurs twice are looked at, the others stay packed.

        :returns: app and user_id of each event that has come, gone or changed
        """
        self.columns = [c for c, _ in stored_columns(self.layout)]
        stored = self.stored()
        conflicts = self.former("conflicts", like=self.empty(self.columns)).select(self.columns)
        repeated, numbers, others = self.repeated(stored, conflicts)
        gone = dropped = kept = None
        self.gone_count = 0
        self.revived = self.empty(self.columns)
        self.duplicates = self.conflicts_found = 0
        if repeated is not None:
            arrivals = self.staging.keep(self.pick(numbers.join(repeated, "number", "left_semi")), "arrivals")
            settled = self.settled(arrivals, others)
            is_kept = "is_kept AND (stored IS NULL OR NOT (stored.received_at <=> received_at))"
            kept = settled.where(is_kept)
            self.revived = kept.where("origin = 'conflict'").select(self.columns)
            in_packs = kept.where("origin = 'new'").select("pack", "row")
            dropped = self.staging.keep(arrivals.join(in_packs, ["pack", "row"], "left_anti").select("pack", "row"), "dropped")
            gone, left = self.staging.keep_noting(settled.where(f"was_stored AND {is_kept}"), "gone", {"rows": "count(*)"})
            self.gone_count = left["rows"]
            found = settled.agg(
                F.sum("lines").alias("lines"), F.expr("count_if(NOT was_known)").alias("contents"),
                F.expr("count_if(NOT was_known AND (was_known_id OR NOT is_kept))").alias("conflicts"),
            ).first()
            self.duplicates = found["lines"] - found["contents"]
            self.conflicts_found = found["conflicts"]
            losers = settled.where("NOT is_kept").select(self.columns)
            conflicts = conflicts.join(repeated, "number", "left_anti").unionByName(losers)
        self.later(self.save, conflicts.select(self.columns), "conflicts")
        superseded = self.empty(["app", "event_id"]).withColumn("build", F.lit(0).cast("BIGINT"))
        if gone is not None:
            superseded = gone.selectExpr("app", "event_id", f"CAST({self.number} AS BIGINT) AS build")
        if self.current:
            superseded = superseded.unionByName(self.former("superseded"))
        if self.gone_count == 0:
            self.later(self.save, superseded, "superseded")
            joins = joins_of(self.joins(repeated, kept))
            if self.current:
                # Who was joined to a person stays so.
                known = self.former("members").selectExpr("app", "user_id AS u", "person AS v")
                joins = joins.unionByName(known)
            self.early_members = self.beside(self.members_of, joins)
        else:
            # Read by those who ask for all events.
            self.save(superseded, "superseded")
        self.write_events(dropped)
        changed = self.new_events().select("app", "user_id")
        if gone is not None:
            changed = changed.unionByName(gone.selectExpr("app", "stored_user AS user_id"))
        return changed.distinct()

    def empty(self, columns):
        types = dict(stored_columns(self.layout))
        return self.spark.createDataFrame([], schema((c, types[c]) for c in columns))

    def numbers(self):
        """Notes pack, row and number of the events that have come with a number that occurs twice, or of all if there is a
        former build.

        :returns: how many
        """
        self.decoded.rows("numbers").createOrReplaceTempView("number_slice")
        self.spark.sql("SELECT * FROM number_slice DISTRIBUTE BY slice SORT BY slice").createOrReplaceTempView("sorted_slice")
        arguments = ["repeats"] + (["--all"] if self.current else [])
        return self.workers.run("repeats", "sorted_slice", ["slice", "name", "bytes"], arguments, ["number"])["rows"]

    def repeated(self, stored, conflicts):
        """Numbers that occur more than once.

        :returns: these, pack, row and number of what has come, and events of the former build with such numbers, if there
            is one; None thrice where no number occurs twice
        """
        if self.noted_numbers.result() == 0:
            return None, None, None
        numbers = self.workers.read("repeats", "number")
        if self.lost is not None:
            lost = self.lost.withColumnRenamed("pack", "of")
            numbers = numbers.join(lost, F.expr("pack = of AND row BETWEEN first AND last"), "left_anti")
        repeated = numbers.groupBy("number").count().where("count > 1").select("number")
        others = None
        if stored is not None:
            others = self.of_numbers(numbers.select("number").distinct(), stored, conflicts)
            repeated = repeated.unionByName(others.select("number")).distinct()
        repeated, noted = self.staging.keep_noting(repeated, "repeated", {"rows": "count(*)"})
        return (repeated, numbers, others) if noted["rows"] > 0 else (None, None, None)

    def pick(self, numbers):
        """Events by their numbers, as rows: those of the table, and where they lie."""
        numbers = self.staging.keep(numbers, "numbers")
        wanted = numbers.groupBy("pack").agg(
            F.concat_ws(",", F.collect_list(F.col("number").cast("STRING"))).alias("wanted"))
        self.packs.join(wanted, "pack").createOrReplaceTempView("picked_pack")
        self.workers.run("pick", "picked_pack", ["pack", escaped("app"), "wanted", "bytes"], ["pick"], ["picked"])
        rows = self.workers.read("pick", "picked").withColumn("path", canonical("path"))
        # Of one number a pack may have rows that do not count.
        rows = rows.join(numbers.select("pack", "row"), ["pack", "row"], "left_semi")
        return numbered(rows, self.decoded.offsets()).drop("block")

    def settled(self, arrivals, others):
        """Each content of each id once, with which of an id's contents counts."""
        known = arrivals.withColumn("origin", F.lit("new"))
        if others is not None:
            known = known.unionByName(others, allowMissingColumns=True)
        known.createOrReplaceTempView("known")
        rest = [c for c in known.columns if c not in ("app", "event_id", "content")]
        # Of the receptions of one content the earlier counts; a stated one before the same instant assumed.
        order = "struct(coalesce(received_at, ts), received_at IS NULL, origin = 'new', path, line)"
        contents = self.spark.sql(
            f"""
            SELECT app, event_id, content, min_by(struct({', '.join(rest)}), {order}) AS r,
              count_if(origin = 'new') AS lines, count_if(origin <> 'new') > 0 AS was_known,
              max(if(origin = 'stored', struct(received_at IS NOT NULL AS stated, received_at, user_id), NULL)) AS stored
            FROM known GROUP BY app, event_id, content
            """
        )
        contents.createOrReplaceTempView("settled_content")
        return self.staging.keep(
            self.spark.sql(
                """
                SELECT app, event_id, content, r.*, lines, was_known, stored, row_number() OVER (
                    PARTITION BY app, event_id ORDER BY coalesce(r.received_at, r.ts), content) = 1 AS is_kept,
                  max(stored.user_id) OVER (PARTITION BY app, event_id) AS stored_user,
                  max(stored IS NOT NULL) OVER (PARTITION BY app, event_id) AS was_stored,
                  max(was_known) OVER (PARTITION BY app, event_id) AS was_known_id
                FROM settled_content
                """
            ),
            "settled",
        )

    def write_events(self, dropped):
        """Writes the events of packs that count, and notes in the packs which do not."""
        held = self.held.result()
        self.large_buckets = [bucket for bucket, rows in held.items() if rows > BUCKET_EVENTS]
        expected = sum(held.values())
        without = []
        if self.lost is not None:
            without.append(self.lost.selectExpr("pack", "concat(first, '-', last) AS dropped", "rows"))
        if dropped is not None:
            without.append(dropped.selectExpr("pack", "CAST(row AS STRING) AS dropped", "CAST(1 AS BIGINT) AS rows"))
        if without:
            rows = union(without).groupBy("pack")
            rows = rows.agg(F.concat_ws(",", F.collect_list("dropped")).alias("dropped"), F.sum("rows").alias("gone"))
            rows = self.staging.keep(rows, "without")
            expected -= rows.agg(F.sum("gone")).first()[0] or 0
            self.packs = self.packs.join(rows.drop("gone"), "pack", "left")
        else:
            self.packs = self.packs.withColumn("dropped", F.lit(None).cast("STRING"))
        packs = self.decoded.with_offsets(self.packs, self.staging).selectExpr(
            "'event' AS table", "app", "month", f"pmod(bucket, {self.job['buckets']}) AS part", "before", "dropped", "bytes"
        )
        self.written = self.workers.tables(packs, "events", {"event": self.events})
        if self.written != expected:
            raise Refusal(f"{self.written} of {expected} events arrived, so nothing was stored; run the build again")
        if self.current and self.revived.limit(1).count() > 0:
            rows = self.revived.withColumn("month", month("ts"))
            lasting(rows.write).mode("append").partitionBy("app", "month").parquet(self.events)
        self.has_new = any(name.startswith("app=") for name in self.storage.children(self.events))

    def new_events(self):
        if not self.has_new:
            return self.empty(self.columns)
        return events_at(self.storage, self.layout, self.events)

    def all_events(self):
        """The events of a later build: those of the former one that are still there, and the new ones."""
        stored = self.stored()
        if self.gone_count > 0:
            stored = stored.join(self.gone(), ["app", "event_id"], "left_anti")
        return stored.select(self.columns).unionByName(self.new_events())

    def gone(self):
        """What this build has superseded."""
        dead = self.spark.read.parquet(f"{self.folder}/superseded").where(f"build = {self.number}")
        return dead.select("app", "event_id")

    # ------------------------------------------------------------------ who is one person

    def joins(self, repeated, kept):
        """What of the new events joins users, as decoders tell of them.

        :param kept: of the events whose number is repeated those that count; None if there are none
        """
        columns = ["app", "user_id", "previous_user_id", "ts", "is_sandbox", "is_family_shared"]
        rows = self.decoded.rows("join")
        if self.lost is not None:
            rows = rows.join(F.broadcast(self.frame(self.counted).select("path")), "path", "left_semi")
        if kept is None:
            return rows.select(columns)
        return rows.join(repeated, "number", "left_anti").select(columns).unionByName(kept.select(columns))

    def members(self):
        return self.early_members.result() if self.gone_count == 0 else self.members_of(joins_of(self.all_events()))

    def members_of(self, joins):
        return self.save(joined_users(joins, self.staging), "members")

    def touched(self, changed, members):
        """The persons to fold: those with a changed event, and those who are others than before."""
        def person_of(users, members):
            return users.join(members, ["app", "user_id"], "left").selectExpr(
                "app", "coalesce(person, user_id) AS person"
            )

        if self.current is None:
            return None
        before = self.former("members")
        moved = members.select("app", "user_id", "person").subtract(before.select("app", "user_id", "person"))
        moved = moved.unionByName(before.select("app", "user_id", "person").subtract(members.select("app", "user_id", "person")))
        users = changed.unionByName(moved.select("app", "user_id")).distinct()
        rows = person_of(users, before).unionByName(person_of(users, members)).distinct()
        return self.staging.keep(rows, "touched")

    # ------------------------------------------------------------------ days

    def days(self):
        """What adds up over events: the days of each app, and what impressions showed."""
        # Where all events of the former build are still there, what it says of them stays true.
        events = self.new_events() if self.gone_count == 0 else self.all_events()
        days = days_of(events)
        impressions = impressions_of(events)
        if self.current and self.gone_count == 0:
            newest = [F.max(c).alias(c) for c in days.columns if c.startswith("newest_")]
            days = self.former("days").unionByName(days).groupBy("app", "day").agg(F.sum("events").alias("events"), *newest)
            impressions = self.former("impressions").unionByName(impressions).groupBy("app", "day", "impression").agg(
                F.sum("impressions").alias("impressions"), F.max("newest").alias("newest"))
        self.later(self.save, days, "days")
        self.later(self.save, impressions, "impressions")

    # ------------------------------------------------------------------ the end

    def finish(self, files, failed, persons):
        former = self.former("files", like=self.frame([])).join(self.frame(files).select("path"), "path", "left_anti")
        self.save(former.unionByName(self.frame(files)), "files")
        previous = self.manifest["totals"] if self.manifest else {}
        if self.gone_count == 0:
            total_events = previous.get("events", 0) + self.written
        else:
            total_events = self.all_events().count()
        new = {
            "files": len(self.counted), "skipped": self.skipped + sum(f["is_repeated"] for f in files), "failed": failed,
            "events": total_events - previous.get("events", 0), "duplicates": self.duplicates,
            "conflicts": self.conflicts_found, "rejected": sum(f["rejected"] for f in self.counted), "persons": persons,
        }
        totals = {
            "files": previous.get("files", 0) + len(self.counted), "events": total_events,
            "lines": previous.get("lines", 0) + sum(f["lines"] for f in self.counted),
            "duplicates": previous.get("duplicates", 0) + self.duplicates,
        }
        batches = (self.manifest["batches"] if self.manifest else []) + ([self.number] if self.has_new else [])
        if not self.has_new:
            self.storage.delete(self.events)
        # None: by a version that did not count them.
        superseded = self.manifest.get("superseded") if self.manifest else 0
        manifest = {
            "layout": 1, "protocol": self.layout["protocol"], "build": self.number, "batches": batches, "totals": totals,
            "facts": self.folding.facts, "cells": self.folding.cells,
            "superseded": None if superseded is None else superseded + self.gone_count,
        }
        self.storage.write(f"{self.folder}/manifest.json", json.dumps(manifest))
        reasons = []
        if self.current or any(f["rejected"] for f in self.counted):
            reasons = self.spark.read.parquet(f"{self.folder}/quarantine").groupBy("reason").count().orderBy("reason").collect()
        self.storage.replace(self.storage.path("current.json"), json.dumps({"build": self.number}))
        # The build before stays for those who are reading it; what killed builds have left goes.
        facts = self.folding.facts + self.folding.former_facts
        cells = (self.folding.cells or []) + (self.folding.former_cells or [])
        kept = {f"builds/{number:06d}" for number in (self.number, self.current or self.number)}
        kept |= {f"events/{number:06d}" for number in batches} | set(cells)
        kept |= {"/".join(folder.split("/")[:2]) for _, folder in facts}
        for place in PLACES:
            for number in self.builds_in(place):
                if f"{place}/{number:06d}" not in kept:
                    self.storage.delete(self.storage.path(place, f"{number:06d}"))
        return self.summary(new, [[r["reason"], r["count"]] for r in reasons], self.number)

    def summary(self, counts, reasons, build=None):
        return dict(counts, reasons=reasons, build=build or self.current)
