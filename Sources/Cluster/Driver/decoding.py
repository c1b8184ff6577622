"""Event files as packs, which decoders make of them."""

from pyspark.sql import functions as F

from copy_text import escaped, one_line_base64
from storage import canonical, literal
from tables import union

#: The file of a row; Spark gives it as part of an address.
PLACE = "url_decode(replace(_metadata.file_path, '+', '%2B')) AS path"


class Decoded:
    """What decoders have given out of files: packs of events, and what stands beside them."""

    def __init__(self, spark, job, workers, inputs):
        """Sends files through the workers: small ones whole, large ones by lines.

        :param inputs: path, size and time of change of each
        """
        self.spark = spark
        self.workers = workers
        limit = job["whole_file_bytes"]
        # Eight megabytes as stored, so that a worker can hold a bucket; of few events a bucket for each task.
        total = sum(size for _, size, _ in inputs)
        tasks = 4 * int(self.spark.conf.get("spark.sql.shuffle.partitions"))
        self.bucket_count = min(16_384, max(-(-total // (8 << 20)), min(tasks, -(-total // (1 << 20))), 1))
        parquet = [p for p, _, _ in inputs if p.endswith(".parquet")]
        whole = [p for p, size, _ in inputs if not p.endswith(".parquet") and size <= limit]
        large = [p for p, size, _ in inputs if not p.endswith(".parquet") and size > limit]
        self.routes = []
        if whole:
            rows = self.spark.read.format("binaryFile").load([literal(p) for p in whole])
            rows.select("path", "content").createOrReplaceTempView("whole_file")
            self.route("whole", "whole_file", [escaped("path"), one_line_base64("content")], ["decode-files"])
        views = []
        if large:
            rows = self.spark.read.option("lineSep", "\n").text([literal(p) for p in large])
            views.append(rows.selectExpr(PLACE, "_metadata.file_block_start AS block", "value"))
        for path in parquet:
            rows = self.spark.read.parquet(literal(path))
            views.append(
                rows.selectExpr(PLACE, "_metadata.file_block_start AS block", f"{as_json(rows)} AS value")
            )
        for number, view in enumerate(views):
            name = f"line_{number}"
            view.createOrReplaceTempView(name)
            text = "if(is_valid_utf8(value), value, NULL)"
            binary = f"if(is_valid_utf8(value), NULL, {one_line_base64('CAST(value AS BINARY)')})"
            self.route(name, name, [escaped("path"), "block", escaped(f"({text})"), binary], ["decode-lines"])

    def route(self, name, view, columns, arguments):
        arguments = arguments + ["--buckets", str(self.bucket_count)]
        self.workers.run(name, view, columns, arguments, ["pack", "part", "numbers", "join", "rejected", "file"])
        self.routes.append(name)

    def rows(self, tag, routes=None):
        """What the decoders gave out, of all routes if none are named; paths are as `files` has them."""
        rows = union(self.workers.read(name, tag) for name in routes or self.routes)
        return rows.withColumn("path", canonical("path")) if "path" in rows.columns else rows

    def offsets(self):
        """Lines before each block of a file."""
        self.rows("file").createOrReplaceTempView("block_read")
        return self.spark.sql(
            """
            SELECT path, block, coalesce(sum(all_lines) OVER (
              PARTITION BY path ORDER BY block ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
            FROM block_read
            """
        )

    def bucket_rows(self):
        """How many events the packs of each bucket have."""
        rows = self.rows("pack").groupBy("bucket").agg(F.sum("rows").alias("rows")).collect()
        return {row["bucket"]: row["rows"] for row in rows}

    def with_offsets(self, packs, staging):
        """Packs with the lines before their block, as `before`: those of files that were cut are of one block."""
        cut = [name for name in self.routes if name.startswith("line_")]
        if not cut:
            return packs.withColumn("before", F.lit(0).cast("BIGINT"))
        before = self.rows("part", cut).join(self.offsets(), ["path", "block"]).select("pack", "before")
        return packs.join(staging.keep(before, "before"), "pack", "left").fillna(0, ["before"])


def as_json(rows):
    """The columns as a native line: instants as milliseconds, absent values left out."""
    fields = []
    for field in rows.schema.fields:
        name = f"`{field.name}`"
        kind = field.dataType.simpleString()
        if kind in ("timestamp", "timestamp_ntz", "date"):
            name = f"unix_millis(CAST({name} AS TIMESTAMP)) AS {name}"
        fields.append(name)
    return f"to_json(struct({', '.join(fields)}))"


def numbered(rows, offsets):
    """Lines counted within a block as lines of the file."""
    return (
        rows.join(F.broadcast(offsets), ["path", "block"], "left")
        .withColumn("line", F.col("line") + F.coalesce(F.col("before"), F.lit(0)))
        .drop("before")
    )
