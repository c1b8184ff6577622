"""Brings to the calling machine what a report reads: cells, facts, or events."""

from pyspark.sql import functions as F

from copy_text import copy_line, escaped, quoted, text_columns
from days import DAY, impressions_of
from persons import fold, joined_users, joins_of, with_persons
from refusal import Refusal
from storage import Staging, Storage
from tables import fact_files, facts_at, read_cells, read_current, read_facts, read_manifest, refuse_other, stored_events, union
from workers import Workers


class Export:
    """Brings to this machine what a report reads: cells, facts, or events."""

    def __init__(self, spark, job):
        self.spark = spark
        self.job = job
        self.storage = Storage(spark, job["output"])
        self.build = read_current(self.storage)
        if self.build is None:
            raise Refusal(f"{job['output']}: has no build; run `tollgate cluster build` first")
        self.manifest = read_manifest(self.storage, self.build)
        refuse_other(self.manifest, job)
        self.folder = self.storage.path("builds", f"{self.build:06d}")
        self.staging = Staging(spark, self.storage)
        self.target = job["target"]
        self.lines = []

    def run(self):
        content = self.job["needs"]
        # A build of another version may have no cells.
        if content == "cells" and self.manifest.get("cells") is None:
            content = "facts"
        try:
            {"events": self.send_events, "facts": self.send_facts, "cells": self.send_cells}[content]()
            self.send_input()
            self.fetch()
            return {"build": self.build, "content": content, "totals": self.manifest["totals"]}
        finally:
            self.staging.delete()

    def table(self, name):
        if name == "cells":
            rows = read_cells(self.storage, self.job["layout"], self.manifest)
        elif name.startswith("facts/"):
            rows = read_facts(self.storage, self.job["layout"], self.manifest, name.split("/")[1])
        else:
            rows = self.spark.read.parquet(f"{self.folder}/{name}")
        apps = self.job["apps"]
        return rows.where(F.col("app").isin(apps)) if apps and "app" in rows.columns else rows

    def send(self, rows, name, expressions):
        """Notes rows that are to be written as COPY text."""
        self.lines.append((name, rows.selectExpr(f"{copy_line(expressions)} AS value")))

    def fetch(self):
        """Writes all that was noted in one job, and brings it here."""
        rows = union(lines.withColumn("part", F.lit(name)) for name, lines in self.lines)
        path = self.staging.path("sent")
        # Quick rather than small: it is read once.
        rows.write.partitionBy("part").options(**{"compression": "gzip", "zlib.compress.level": "BEST_SPEED"}).text(path)
        for name, _ in self.lines:
            self.storage.fetch(f"{path}/part={name}", f"{self.target}/{name}", not name.endswith(".gz"))

    def send_facts(self):
        layout = self.job["layout"]
        table = self.table
        impressions = self.table("impressions")
        members = self.table("members")
        if self.job["rules"]:
            # Facts by other rules than the kept ones: folded for this report.
            events = self.events(self.job["apps"])
            apps = self.table("days").select("app").distinct()
            limits = apps.withColumn("as_of", F.lit(self.job["as_of"]))
            workers = Workers(self.spark, self.job, self.storage, self.staging)
            members = joined_users(joins_of(events, limits), self.staging)
            fold(workers, with_persons(events, members), apps, "fold", self.job["rules"])
            places = {t: self.staging.path(f"folded/{t}") for t in self.job["tables"]}
            workers.tables(fact_files(workers.read("fold", "pack"), self.job), "facts", places)
            table = lambda name: facts_at(self.storage, layout, places[name.split("/")[1]], name.split("/")[1])
            impressions = impressions_of(events.where(F.col("ts") < self.job["as_of"]))
        # As wide as the widest of all tables.
        width = max(len(layout["columns"][t]) for t in layout["facts"])
        rows = []
        for place, name in enumerate(self.job["tables"]):
            columns = layout["columns"][name]
            cells = [quoted(name)]
            cells += [escaped(f"CAST({c} AS STRING)") if t == "STRING" else f"CAST({c} AS STRING)" for c, t in columns]
            cells += ["NULL"] * (width - len(columns))
            # In any order of persons, each person's facts together: numbers are quicker to compare than ids.
            rows.append(table(f"facts/{name}").selectExpr(
                "xxhash64(app, person) AS mark", "app", "person", f"{place} AS place", "number", "credit",
                f"{copy_line(cells)} AS value"))
        rows = union(rows).repartition("app", "person")
        rows = rows.sortWithinPartitions("mark", "app", "person", "place", "number", "credit")
        self.lines.append(("facts", rows.select("value")))
        self.send(members.where("user_id <> person"), "members", [escaped("app"), escaped("person"), escaped("user_id")])
        self.send_impressions(impressions)

    def send_cells(self):
        columns = self.job["layout"]["columns"]["cell"]
        rows = self.table("cells")
        # What is taken away must be there before.
        for name, which in (("cells", "units > 0"), ("taken-cells", "units < 0")):
            self.send(rows.where(which), name, text_columns(columns))
        self.send_impressions(self.table("impressions"))

    def send_impressions(self, impressions):
        self.send(
            impressions, "impressions",
            [escaped("app"), "CAST(day AS STRING)", escaped("impression"), "CAST(impressions AS STRING)", "CAST(newest AS STRING)"],
        )

    def bounded_days(self):
        """The days of all apps: to name those that are there.

        An unmarked instant counts up to a day past the app's newest received_at (definitions 1.1). On the day in which that
        bound lies, the newest up to it stands, which days alone do not tell; what lies behind it is as early as one that
        its own received_at shows to be.
        """
        self.spark.read.parquet(f"{self.folder}/days").createOrReplaceTempView("day_row")
        bounds = self.spark.sql(
            f"SELECT app, max(newest_received) + {DAY} AS bound FROM day_row GROUP BY app HAVING max(newest_received) IS NOT NULL"
        )
        days = self.spark.table("day_row").join(F.broadcast(bounds), "app", "left")
        cut = days.where("newest_unmarked > bound AND day <= bound").select("app", "day", "bound")
        if cut.limit(1).count() == 0:
            return days.drop("bound")
        inside = (
            self.events([]).where("stamp = 'unmarked'").join(F.broadcast(cut), "app")
            .where("ts >= day AND ts <= bound").groupBy("app", "day").agg(F.max("ts").alias("inside"))
        )
        cut = cut.select("app", "day", F.lit(True).alias("is_cut")).join(inside, ["app", "day"], "left")
        return days.join(F.broadcast(cut), ["app", "day"], "left").selectExpr(
            "app", "day", "events", "newest_received", "newest_timely",
            "if(is_cut, greatest(newest_early, newest_unmarked), newest_early) AS newest_early",
            "if(is_cut, inside, newest_unmarked) AS newest_unmarked",
        )

    def events(self, apps):
        rows = stored_events(self.storage, self.job["layout"], self.build, self.manifest)
        return rows.where(F.col("app").isin(apps)) if apps else rows

    def send_events(self):
        lines = self.events(self.job["apps"]).selectExpr(
            """if(received_at IS NULL, content, concat('{"received_at":', received_at, ',', substr(content, 2))) AS value"""
        )
        self.lines.append(("events.jsonl.gz", lines))

    def send_input(self):
        numbers = ["events", "newest_received", "newest_timely", "newest_early", "newest_unmarked"]
        self.send(
            self.bounded_days(), "days",
            [escaped("app"), "CAST(day AS STRING)"] + [f"CAST({c} AS STRING)" for c in numbers],
        )
        self.send(
            self.spark.read.parquet(f"{self.folder}/files").where("NOT is_repeated").orderBy("path"), "files",
            [escaped("path"), escaped("coalesce(digest, '')"), "CAST(size AS STRING)",
             # Of a file that failed nothing counts.
             "CAST(if(failure IS NULL, lines, 0) AS STRING)", "CAST(rejected AS STRING)", escaped("csv_header"), escaped("failure")],
        )
        self.send(
            self.spark.read.parquet(f"{self.folder}/quarantine").orderBy("path", "line"), "quarantine",
            [escaped("path"), "CAST(line AS STRING)", escaped("reason"), escaped("field"), escaped("raw"), escaped("raw_base64")],
        )
        self.send(
            self.table("conflicts"), "conflicts",
            [escaped("app"), escaped("event_id"), escaped("content"), "CAST(received_at AS STRING)", escaped("path"), "CAST(line AS STRING)"],
        )
