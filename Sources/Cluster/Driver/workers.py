"""Rows through `tollgate worker`, the same program on every executor, by Spark's TRANSFORM."""

import uuid

from pyspark.sql import Observation
from pyspark.sql import functions as F

from copy_text import FORMAT, PLAIN, escaped, quoted, unescaped
from refusal import Refusal
from storage import noted, passing
from tables import schema


class Workers:
    """Sends rows through `tollgate worker` and keeps what comes out, as text, by tag."""

    def __init__(self, spark, job, storage, staging):
        self.spark = spark
        self.job = job
        self.storage = storage
        self.staging = staging
        self.layout = job["layout"]

    def run(self, name, view, columns, arguments, tags):
        """
        :param view: whose rows go in, in their order within partitions
        :param columns: expressions, each a column of the input
        :param tags: of the rows that come out
        :returns: the sums of the end rows
        """
        rows, sums = self.sent(view, columns, arguments, tags)
        passing(rows.write.partitionBy("tag")).parquet(self.staging.path(name))
        return sums()

    def sent(self, view, columns, arguments, tags, **more):
        """Rows of workers, and what says, once these are written, how many there are: it refuses if any are missing.

        :param more: names and expressions of further sums over the rows that come out
        """
        width = max(len(self.layout["columns"][t]) for t in tags + ["end"])
        outputs = ["tag"] + [f"c{i}" for i in range(width)]
        command = " ".join([self.job["worker"], "worker"] + arguments + ["--protocol", str(self.layout["protocol"])])
        went_in, came_out = Observation(), Observation()
        # A name of its own: another may be sent beside it.
        sent = f"sent_{uuid.uuid4().hex}"
        self.spark.table(view).observe(went_in, F.count("*").alias("rows")).createOrReplaceTempView(sent)
        rows = self.spark.sql(
            f"SELECT TRANSFORM({', '.join(columns)}) {FORMAT} USING {quoted(command)} "
            f"AS ({', '.join(c + ' STRING' for c in outputs)}) {FORMAT} FROM {sent}"
        )
        ends = {c: f"CAST(c{i} AS BIGINT)" for i, (c, _) in enumerate(self.layout["columns"]["end"]) if c != "protocol"}
        rows = rows.observe(
            came_out, F.expr("count_if(tag <> 'end')").alias("rows"),
            *(F.expr(f"sum(if(tag = 'end', {e}, 0))").alias(c) for c, e in ends.items()),
            *(F.expr(f"sum({e})").alias(c) for c, e in more.items()),
        )

        def sums():
            sent, given = noted(went_in)["rows"], {c: n or 0 for c, n in noted(came_out).items()}
            if given["rows_in"] != sent:
                raise Refusal(f"the workers account for {given['rows_in']} of {sent} rows, so nothing was stored; run the build again")
            if given["rows"] != given["rows_out"]:
                raise Refusal(f"{given['rows']} of {given['rows_out']} rows of the workers arrived, so nothing was stored; run the build again")
            return given

        return rows, sums

    def read(self, name, tag):
        """The rows of a tag with their names and types."""
        columns = self.layout["columns"][tag]
        if not self.storage.exists(self.staging.path(f"{name}/tag={tag}")):
            return self.spark.createDataFrame([], schema(columns))
        texts = schema((f"c{i}", "STRING") for i in range(len(columns)))
        rows = self.spark.read.schema(texts).parquet(self.staging.path(f"{name}/tag={tag}"))
        return rows.selectExpr(
            *(
                f"{unescaped(f'c{i}')} AS {c}" if t == "STRING" and c not in PLAIN else f"CAST(c{i} AS {t}) AS {c}"
                for i, (c, t) in enumerate(columns)
            )
        )

    def tables(self, packs, name, places):
        """Writes packs as files of Parquet, which the workers make: Spark has nothing to do for each row.

        :param packs: table, app, month, part, before, dropped, bytes
        :param places: for each table the folder that app= and month= are made in
        :returns: how many rows the files have
        """
        packs.createOrReplaceTempView("pack_of_table")
        self.spark.sql(
            """
            SELECT * FROM pack_of_table DISTRIBUTE BY table, app, month, part SORT BY table, app, month, part
            """
        ).createOrReplaceTempView("sorted_pack")
        columns = ["table", escaped("app"), "month", "part", "before", "dropped", "bytes"]
        cell = {c: f"c{i}" for i, (c, _) in enumerate(self.layout["columns"]["parquet"])}
        files, sums = self.sent(
            "sorted_pack", columns, ["table"], ["parquet"], held=f"if(tag = 'parquet', CAST({cell['rows']} AS BIGINT), 0)")
        # A file of text that has one line is that line's bytes and what ends a line, here what ends a file of Parquet.
        draft = self.staging.path(f"{name}-files")
        (
            files.where("tag = 'parquet'")
            .selectExpr(
                f"{cell['table']} AS table", f"{unescaped(cell['app'])} AS app", f"{cell['month']} AS month",
                f"CAST(unbase64({cell['bytes']}) AS STRING) AS value")
            .write.partitionBy("table", "app", "month").options(lineSep="PAR1", maxRecordsPerFile=1).text(draft)
        )
        held = sums()["held"]
        for table, place in places.items():
            self.storage.move(f"{draft}/table={table}", place)
        return held
