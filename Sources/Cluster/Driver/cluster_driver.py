"""What `tollgate cluster` runs on Spark: spark-submit cluster_driver.py JOB.json

Spark stores, shuffles, sorts and retries; what an event is and what it comes to is told by `tollgate worker`, the same
program on every executor. The job says what to do and how rows are laid out, and names the file for the answer.

Below the output folder, only ever added to until a build is complete:

    current.json            which build counts; replaced last, by a rename
    events/BUILD/           the events that the build has added: app=, month=
    builds/BUILD/           facts/TABLE/ by app= and month=; days, impressions, members, files, quarantine, conflicts,
                            superseded; manifest.json
"""

import functools
import json
import re
import sys
import traceback
import uuid
from concurrent.futures import ThreadPoolExecutor

from pyspark import SparkConf
from pyspark.sql import Observation, SparkSession
from pyspark.sql import functions as F

DAY = 86_400_000
#: Events that a worker holds at once: some 450 bytes each.
BUCKET_EVENTS = 1_000_000
#: Joins of users that one task handles; more are shuffled.
FEW_EDGES = 1_000_000
#: Compiling for speed begins twenty times as late as Java has it, where a loop is hot through a whole build: executors
#: spent more time on compiling what they soon no longer ran than on tasks. What the user sets comes behind it, and counts.
EXECUTOR_JAVA = (
    "-XX:Tier4InvocationThreshold=100000 -XX:Tier4MinInvocationThreshold=12000 "
    "-XX:Tier4CompileThreshold=300000 -XX:Tier4BackEdgeThreshold=800000"
)
#: What writers leave beside their files.
MARKS = ("_SUCCESS", "_committed_", "_started_", "_metadata", "_common_metadata", "_temporary")
#: The file of a row; Spark gives it as part of an address.
PLACE = "url_decode(replace(_metadata.file_path, '+', '%2B')) AS path"


class Refusal(Exception):
    """What the user has to know, in one line."""


# ---------------------------------------------------------------------------------------------------- storage


class Storage:
    """The output folder, on any file system that Hadoop knows."""

    def __init__(self, spark, root):
        self.spark = spark
        self.jvm = spark._jvm
        self.conf = spark._jsc.hadoopConfiguration()
        self.root = root.rstrip("/") or "/"

    def path(self, *parts):
        return "/".join((self.root,) + parts)

    def hadoop(self, path):
        path = self.jvm.org.apache.hadoop.fs.Path(path)
        return path, path.getFileSystem(self.conf)

    def exists(self, path):
        path, fs = self.hadoop(path)
        return fs.exists(path)

    def read(self, path):
        path, fs = self.hadoop(path)
        stream = fs.open(path)
        try:
            return self.jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8")
        finally:
            stream.close()

    def write(self, path, text):
        path, fs = self.hadoop(path)
        stream = fs.create(path, True)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()

    def replace(self, path, text):
        """The file has the former content or this one, whatever happens."""
        draft = f"{path}.{uuid.uuid4().hex}.draft"
        self.write(draft, text)
        source, fs = self.hadoop(draft)
        context = self.jvm.org.apache.hadoop.fs.FileContext.getFileContext(source.toUri(), self.conf)
        option = self.spark.sparkContext._gateway.new_array(self.jvm.org.apache.hadoop.fs.Options.Rename, 1)
        option[0] = self.jvm.org.apache.hadoop.fs.Options.Rename.OVERWRITE
        context.rename(source, self.hadoop(path)[0], option)

    def delete(self, path):
        path, fs = self.hadoop(path)
        fs.delete(path, True)

    def children(self, path):
        path, fs = self.hadoop(path)
        return [s.getPath().getName() for s in fs.listStatus(path)] if fs.exists(path) else []

    def files(self, path):
        """Path, size and time of change of every file of a path or pattern; hidden ones are left out."""
        wanted, fs = self.hadoop(path)
        found = fs.globStatus(wanted)
        if not found:
            raise Refusal(f"{path}: no such file or folder")
        files = []
        for status in found:
            base = len(status.getPath().toString()) if status.isDirectory() else None
            stack = [status]
            while stack:
                one = stack.pop()
                below = one.getPath().toString()[base:] if base else ""
                if any(part.startswith(".") for part in below.split("/")):
                    continue
                name = one.getPath().getName()
                if one.isDirectory():
                    stack.extend(fs.listStatus(one.getPath()))
                elif below and name.startswith(MARKS):
                    continue
                elif name.startswith(("_", ".")):
                    raise Refusal(f"{one.getPath().toString()}: Spark reads no file whose name begins with {name[0]}; rename it")
                else:
                    files.append((canonical_path(one.getPath().toString()), one.getLen(), one.getModificationTime()))
        return files

    def move(self, source, target):
        """Moves the files below a folder to their places below another one, with the name of what is in them: Parquet."""
        root, fs = self.hadoop(source)
        self.make(target)
        if not fs.exists(root):
            return
        base = len(fs.getFileStatus(root).getPath().toString())
        found = fs.listFiles(root, True)
        moves = []
        while found.hasNext():
            path = found.next().getPath()
            if path.getName().startswith("part-"):
                moves.append((path, target + path.toString()[base:].removesuffix(".txt") + ".parquet"))
        for folder in {to.rpartition("/")[0] for _, to in moves}:
            self.make(folder)

        def rename(path, to):
            if not fs.rename(path, self.hadoop(to)[0]):
                raise Refusal(f"{to}: cannot be written")

        with ThreadPoolExecutor(8) as pool:
            for move in [pool.submit(rename, *move) for move in moves]:
                move.result()

    def make(self, folder):
        path, fs = self.hadoop(folder)
        fs.mkdirs(path)

    def fetch(self, source, target, unpack):
        """Copies the parts of a folder to a file of this machine, one behind the other."""
        source, fs = self.hadoop(source)
        out = self.jvm.java.io.BufferedOutputStream(self.jvm.java.io.FileOutputStream(target), 1 << 20)
        try:
            found = fs.listStatus(source) if fs.exists(source) else []
            names = sorted(s.getPath().toString() for s in found if s.getPath().getName().startswith("part-"))
            for name in names:
                stream = fs.open(self.jvm.org.apache.hadoop.fs.Path(name))
                if unpack:
                    stream = self.jvm.java.util.zip.GZIPInputStream(stream, 1 << 16)
                self.jvm.org.apache.hadoop.io.IOUtils.copyBytes(stream, out, 1 << 16, False)
                stream.close()
        finally:
            out.close()


# ---------------------------------------------------------------------------------------------------- workers


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def escaped(column):
    """COPY text of a column: `\\`, tab, line feed and carriage return; NULL is the format's own."""
    special = " OR ".join(f"contains({column}, {c})" for c in (r"'\\'", r"'\t'", r"'\n'", r"'\r'"))
    text = column
    for raw, code in ((r"'\\'", r"'\\\\'"), (r"'\t'", r"'\\t'"), (r"'\n'", r"'\\n'"), (r"'\r'", r"'\\r'")):
        text = f"replace({text}, {raw}, {code})"
    return f"if({special}, {text}, {column})"


def escaped_json(column):
    """The same of canonical JSON, whose only special character is the backslash: looking for others takes longer."""
    return rf"replace({column}, '\\', '\\\\')"


def unescaped(column):
    """A column as it was; NUL, which no event has, stands for the backslash meanwhile."""
    text = column
    for code, raw in (
        (r"'\\\\'", r"'\0'"), (r"'\\t'", r"'\t'"), (r"'\\n'", r"'\n'"), (r"'\\r'", r"'\r'"), (r"'\0'", r"'\\'"),
    ):
        text = f"replace({text}, {code}, {raw})"
    return f"if(contains({column}, '\\\\'), {text}, {column})"


def copy_line(cells):
    """A row of COPY text of columns that are escaped."""
    return "concat_ws('\\t', " + ", ".join(f"coalesce({cell}, '\\\\N')" for cell in cells) + ")"


def one_line_base64(column):
    """Spark breaks lines as mail does."""
    return f"replace(base64({column}), '\\r\\n', '')"


def passing(writer):
    """For what is read once or twice and deleted: quick to write rather than small."""
    settings = {
        "compression": "lz4_raw", "parquet.enable.dictionary": "false", "parquet.column.statistics.enabled": "false",
        # A row may have megabytes: its writer looks at once at how much it holds.
        "parquet.page.size.row.check.min": "1", "parquet.block.size.row.check.min": "1",
    }
    return writer.options(**settings)


def lasting(writer):
    """For what stays."""
    return writer.option("compression", "zstd")


class Staging:
    """A folder for what a job needs again, and nobody after it."""

    def __init__(self, spark, storage):
        self.spark = spark
        self.storage = storage
        self.folder = storage.path("staging", uuid.uuid4().hex)

    def path(self, name):
        return f"{self.folder}/{name}"

    def keep(self, rows, name):
        """Writes rows, and reads them again."""
        passing(rows.write).parquet(self.path(name))
        # With its schema, which Spark would have a job find out.
        return self.spark.read.schema(rows.schema).parquet(self.path(name))

    def keep_noting(self, rows, name, notes):
        """The same, and what aggregates come to over the rows: noted as they are written, without a job of its own.

        :param notes: names with expressions
        """
        seen = Observation()
        kept = self.keep(rows.observe(seen, *(F.expr(e).alias(c) for c, e in notes.items())), name)
        return kept, seen.get

    def delete(self):
        self.storage.delete(self.folder)


#: Of the table of files.
FILE_COLUMNS = [
    ("path", "STRING"), ("size", "BIGINT"), ("changed", "BIGINT"), ("digest", "STRING"), ("lines", "BIGINT"),
    ("rejected", "BIGINT"), ("csv_header", "STRING"), ("failure", "STRING"), ("is_repeated", "BOOLEAN"),
]
#: Columns that have nothing to escape.
PLAIN = ("bytes", "raw_base64")

FORMAT = r"ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' LINES TERMINATED BY '\n' NULL DEFINED AS '\\N'"


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
            sent, given = went_in.get["rows"], {c: n or 0 for c, n in came_out.get.items()}
            if given["rows_in"] != sent:
                raise Refusal(f"the workers account for {given['rows_in']} of {sent} rows; nothing was taken")
            if given["rows"] != given["rows_out"]:
                raise Refusal(f"{given['rows']} of {given['rows_out']} rows of the workers arrived; nothing was taken")
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


# ---------------------------------------------------------------------------------------------------- build


class Build:
    def __init__(self, spark, job):
        self.spark = spark
        self.job = job
        self.layout = job["layout"]
        self.storage = Storage(spark, job["output"])
        self.current = read_current(self.storage)
        self.manifest = read_manifest(self.storage, self.current) if self.current else None
        done = [int(n) for n in self.storage.children(self.storage.path("builds")) if n.isdigit()]
        self.number = max(done + [self.current or 0]) + 1
        self.folder = self.storage.path("builds", f"{self.number:06d}")
        self.events = self.storage.path("events", f"{self.number:06d}")
        self.staging = Staging(spark, self.storage)
        self.workers = Workers(spark, job, self.storage, self.staging)
        self.pending = []
        if self.manifest:
            refuse_other(self.manifest, job)

    # ------------------------------------------------------------------ one thing after the other

    def run(self):
        try:
            return self.build()
        except BaseException:
            # The former build stays; what this one has written is in nobody's way.
            for path in (self.folder, self.events):
                self.storage.delete(path)
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
        self.decode(inputs)
        # Asked for later: their jobs run beside those of the files.
        self.noted_numbers = self.beside(self.numbers)
        self.held = self.beside(self.bucket_rows)
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
        persons = self.fold(members, touched)
        self.facts(touched)
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

    def save(self, rows, name, partitions=()):
        path = f"{self.folder}/{name}"
        writer = lasting(rows.write).mode("error")
        (writer.partitionBy(*partitions) if partitions else writer).parquet(path)
        # A partitioned table without a row has no file that would tell.
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

    def decode(self, inputs):
        """Files to events by the workers: small ones whole, large ones by lines."""
        limit = self.job["whole_file_bytes"]
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

    def decoded(self, tag, routes=None):
        """What the decoders gave out, of all routes if none are named; paths are as `files` has them."""
        rows = union(self.workers.read(name, tag) for name in routes or self.routes)
        return rows.withColumn("path", canonical("path")) if "path" in rows.columns else rows

    def files(self, inputs):
        """The files read, each content once: as many as the driver has listed."""
        blocks = {}
        for row in self.decoded("file").collect():
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
        rejected = self.decoded("rejected").join(self.frame(self.counted).select("path"), "path", "left_semi")
        rejected = numbered(rejected, self.offsets()).drop("block")
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

    def offsets(self):
        """Lines before each block of a file."""
        self.decoded("file").createOrReplaceTempView("block_read")
        return self.spark.sql(
            """
            SELECT path, block, coalesce(sum(all_lines) OVER (
              PARTITION BY path ORDER BY block ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
            FROM block_read
            """
        )

    def arrive(self, files):
        """Takes the packs; `lost` has their rows that are of files which do not count, from a first one to a last."""
        self.counted = [f for f in files if f["failure"] is None and not f["is_repeated"]]
        self.packs = self.decoded("pack").drop("table")
        self.lost = None
        others = [f for f in files if f["failure"] is not None or f["is_repeated"]]
        if others:
            lost = self.decoded("part").join(F.broadcast(self.frame(others).select("path")), "path", "left_semi")
            self.lost = self.staging.keep(lost.selectExpr("pack", "first", "first + rows - 1 AS last", "rows"), "lost")

    def bucket_rows(self):
        """How many events the packs of each bucket have."""
        rows = self.decoded("pack").groupBy("bucket").agg(F.sum("rows").alias("rows")).collect()
        return {row["bucket"]: row["rows"] for row in rows}

    def with_offsets(self, packs):
        """Packs with the lines before their block, as `before`: those of files that were cut are of one block."""
        cut = [name for name in self.routes if name.startswith("line_")]
        if not cut:
            return packs.withColumn("before", F.lit(0).cast("BIGINT"))
        before = self.decoded("part", cut).join(self.offsets(), ["path", "block"]).select("pack", "before")
        return packs.join(self.staging.keep(before, "before"), "pack", "left").fillna(0, ["before"])

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
        """Writes the new events, each once (events.md, "Bad input").

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
            self.save(superseded.unionByName(self.former("superseded")), "superseded")
        else:
            self.later(self.save, superseded, "superseded")
            self.first_members = self.beside(self.members_of, joins_of(self.joins(repeated, kept)))
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
        self.decoded("numbers").createOrReplaceTempView("number_slice")
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
        return numbered(rows, self.offsets()).drop("block")

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
        packs = self.with_offsets(self.packs).selectExpr(
            "'event' AS table", "app", "month", f"pmod(bucket, {self.job['buckets']}) AS part", "before", "dropped", "bytes"
        )
        self.written = self.workers.tables(packs, "events", {"event": self.events})
        if self.written != expected:
            raise Refusal(f"{self.written} of {expected} events arrived; nothing was taken")
        if self.current and self.revived.limit(1).count() > 0:
            rows = self.revived.withColumn("month", month("ts"))
            lasting(rows.write).mode("append").partitionBy("app", "month").parquet(self.events)
        self.has_new = any(name.startswith("app=") for name in self.storage.children(self.events))

    @property
    def only_adds(self):
        """Whether all events of the former build are still there: what it says of them then stays true."""
        return self.current is not None and self.gone_count == 0

    def new_events(self):
        if not self.has_new:
            return self.empty(self.columns)
        return events_at(self.storage, self.layout, self.events)

    def all_events(self):
        stored = self.stored()
        if stored is None:
            return self.new_events()
        if self.gone_count == 0:
            return stored.select(self.columns).unionByName(self.new_events())
        dead = self.spark.read.parquet(f"{self.folder}/superseded").where(f"build = {self.number}")
        stored = stored.join(dead, ["app", "event_id"], "left_anti")
        return stored.select(self.columns).unionByName(self.new_events())

    # ------------------------------------------------------------------ who is one person

    def joins(self, repeated, kept):
        """Events of a first build that join users, as decoders tell of them.

        :param kept: of the events whose number is repeated those that count; None if there are none
        """
        columns = ["app", "user_id", "previous_user_id", "ts", "is_sandbox", "is_family_shared"]
        rows = self.decoded("join")
        if self.lost is not None:
            rows = rows.join(F.broadcast(self.frame(self.counted).select("path")), "path", "left_semi")
        if kept is None:
            return rows.select(columns)
        return rows.join(repeated, "number", "left_anti").select(columns).unionByName(kept.select(columns))

    def members(self):
        if self.current is None:
            return self.first_members.result()
        if not self.only_adds:
            return self.members_of(joins_of(self.all_events()))
        # Who was joined to a person stays so.
        known = self.former("members").selectExpr("app", "user_id AS u", "person AS v")
        return self.members_of(joins_of(self.new_events()).unionByName(known))

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

    # ------------------------------------------------------------------ facts

    def fold(self, members, touched):
        """Folds persons, and keeps their facts in packs.

        :returns: how many persons
        """
        if touched is None:
            return self.fold_packs(members)
        # Whose events these are is found first, among few: no event is shuffled that is not folded.
        joined = members.selectExpr("app", "user_id AS person")
        alone = touched.join(joined, ["app", "person"], "left_anti")
        users = members.join(touched, ["app", "person"], "left_semi").select("app", "user_id", "person")
        users = self.staging.keep(users.unionByName(alone.selectExpr("app", "person AS user_id", "person")), "touched-users")
        sums = fold(self.workers, self.all_events().join(users, ["app", "user_id"]), touched, "fold", [])
        self.fact_packs = self.workers.read("fold", "pack")
        return sums["persons"]

    def fold_packs(self, members):
        """Folds users by buckets of packs, and by rows those who are not persons by themselves."""
        bucket = f"crc32(encode(concat(app, '\\n', user_id), 'UTF-8')) % {self.bucket_count}"
        users = members.selectExpr(f"{bucket} AS bucket", "0 AS kind", "app", "user_id AS a", "person AS b")
        # Nobody holds a bucket of too many events: Spark sorts those, as it does events of persons with several ids.
        kind = F.when(F.col("bucket").isin(self.large_buckets), 2).otherwise(1).alias("kind")
        packs = self.packs.select("bucket", kind, "app", F.col("dropped").alias("a"), F.col("bytes").alias("b"))
        users.unionByName(packs).createOrReplaceTempView("bucket_row")
        self.spark.sql("SELECT * FROM bucket_row DISTRIBUTE BY bucket SORT BY bucket, kind").createOrReplaceTempView("sorted_row")
        columns = ["bucket", "kind", escaped("app"), f"if(kind > 0, a, {escaped('a')})", f"if(kind > 0, b, {escaped('b')})"]
        persons = self.workers.run("fold", "sorted_row", columns, ["fold-buckets"], ["pack", "moved"])["persons"]
        self.fact_packs = self.workers.read("fold", "pack")
        if self.storage.exists(self.staging.path("fold/tag=moved")):
            moved = self.workers.read("fold", "moved")
            persons += fold(self.workers, moved, moved, "fold-moved", [])["persons"]
            self.fact_packs = self.fact_packs.unionByName(self.workers.read("fold-moved", "pack"))
        return persons

    def facts(self, touched):
        """Writes the tables of facts."""
        places = {table: f"{self.folder}/facts/{table}" for table in self.layout["facts"]}
        self.workers.tables(fact_files(self.fact_packs, self.job), "facts", places)
        if touched is None:
            return
        for table, place in places.items():
            former = read_facts(self.storage, self.layout, self.current, table)
            rows = former.join(touched, ["app", "person"], "left_anti")
            self.later(lasting(rows.write).mode("append").partitionBy("app", "month").parquet, place)

    def days(self):
        """What adds up over events: the days of each app, and what impressions showed."""
        events = self.new_events() if self.only_adds else self.all_events()
        events.createOrReplaceTempView("every_event")
        days = self.spark.sql(
            f"""
            SELECT app, ts - ts % {DAY} AS day, count_if(NOT is_sandbox) AS events, max(received_at) AS newest_received,
              max(if(stamp = 'timely', ts, NULL)) AS newest_timely, max(if(stamp = 'early', ts, NULL)) AS newest_early,
              max(if(stamp = 'unmarked', ts, NULL)) AS newest_unmarked
            FROM every_event GROUP BY 1, 2
            """
        )
        impressions = impressions_of(events)
        if self.only_adds:
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
        if self.current is None or self.only_adds:
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
            "superseded": None if superseded is None else superseded + self.gone_count,
        }
        self.storage.write(f"{self.folder}/manifest.json", json.dumps(manifest))
        reasons = []
        if self.current or any(f["rejected"] for f in self.counted):
            reasons = self.spark.read.parquet(f"{self.folder}/quarantine").groupBy("reason").count().orderBy("reason").collect()
        self.storage.replace(self.storage.path("current.json"), json.dumps({"build": self.number}))
        # The build before stays for those who are reading it; what killed builds have left goes.
        for name in self.storage.children(self.storage.path("builds")):
            if name.isdigit() and int(name) not in (self.number, self.current):
                self.storage.delete(self.storage.path("builds", name))
        for name in self.storage.children(self.storage.path("events")):
            if name.isdigit() and int(name) not in batches:
                self.storage.delete(self.storage.path("events", name))
        return self.summary(new, [[r["reason"], r["count"]] for r in reasons], self.number)

    def summary(self, counts, reasons, build=None):
        return dict(counts, reasons=reasons, build=build or self.current)


# ---------------------------------------------------------------------------------------------------- shared steps


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


def literal(path):
    """A path of which nothing is a pattern."""
    return re.sub(r"([\\{}\[\]*?^])", r"\\\1", path)


def canonical_path(path):
    """Spark names local files file:/a and file:///a."""
    return re.sub("^file:/+", "file:///", path)


def canonical(column):
    """The same of a column; most have that name already, and a pattern costs more than a look."""
    return F.expr(f"if(startswith({column}, 'file:///') OR NOT startswith({column}, 'file:/'), {column}, "
                  f"regexp_replace({column}, '^file:/+', 'file:///'))")


def month(column):
    return F.date_format(F.timestamp_millis(F.col(column)), "yyyy-MM")


def as_json(rows):
    """The columns as a native line: instants as milliseconds, absent values left out."""
    fields = []
    for field in rows.schema.fields:
        name = f"`{field.name}`"
        kind = field.dataType.simpleString()
        if kind in ("timestamp", "timestamp_ntz"):
            name = f"unix_millis(CAST({name} AS TIMESTAMP)) AS {name}"
        elif kind == "date":
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


def joins_of(events, limits=None):
    """The users that identify events join, as app, u and v (definitions 1.3).

    :param limits: app and as_of, before which joins are known; None for all
    """
    joins = events.where("previous_user_id IS NOT NULL AND NOT is_sandbox AND NOT is_family_shared")
    if limits is not None:
        joins = joins.join(F.broadcast(limits), "app").where("ts < as_of")
    return joins.selectExpr("app", "user_id AS u", "previous_user_id AS v")


def joined_users(joins, staging):
    """Joined users, each with its person, the least of the joined ids in byte order (definitions 1.3, 1.5).

    Stars of the components: every step joins each user with the least of its neighbours, until nothing changes
    (Kiveris et al. 2014, "Connected Components in MapReduce and Beyond", alternating large-star and small-star).

    :param joins: app, u and v
    """
    edges = joins.where("u <> v")
    edges = edges.selectExpr("app", "greatest(u, v) AS u", "least(u, v) AS v").distinct()
    # Equal edges have equal marks.
    mark = {
        "rows": "count(*)", "x": "bit_xor(xxhash64(app, u, v))", "s": "sum(CAST(xxhash64(app, u, v) AS DECIMAL(38)))"}
    edges, noted = staging.keep_noting(edges, "edges-0", mark)
    # Few are handled in one piece: no shuffle, and no job for one.
    whole = (lambda rows: rows.coalesce(1)) if noted["rows"] <= FEW_EDGES else (lambda rows: rows)
    step = 0
    last = None
    while noted != last and noted["rows"] > 0:
        last = noted
        step += 1
        edges = whole(edges)
        # Large star: the greater neighbours of each user to the least of all its neighbours and itself.
        both = whole(edges.unionByName(edges.selectExpr("app", "v AS u", "u AS v")))
        least = both.groupBy("app", "u").agg(F.min("v").alias("m")).selectExpr("app", "u", "least(u, m) AS m")
        edges = both.join(least.hint("merge"), ["app", "u"]).where("v > u").selectExpr("app", "v AS u", "m AS v")
        edges = edges.where("u <> v").distinct()
        # Small star: the lesser neighbours and the user itself to the least of them.
        least = edges.groupBy("app", "u").agg(F.min("v").alias("m"))
        edges = whole(
            edges.join(least.hint("merge"), ["app", "u"]).selectExpr("app", "v AS u", "m AS v")
            .unionByName(least.selectExpr("app", "u", "m AS v"))
        ).where("u <> v").distinct()
        edges = edges.selectExpr("app", "greatest(u, v) AS u", "least(u, v) AS v").distinct()
        edges, noted = staging.keep_noting(edges, f"edges-{step}", mark)
    edges = whole(edges)
    roots = edges.selectExpr("app", "v AS user_id", "v AS person").distinct()
    return whole(edges.selectExpr("app", "u AS user_id", "v AS person").unionByName(roots))


def impressions_of(events):
    """Impressions that count, by day and what they showed."""
    return (
        events.where("impression IS NOT NULL")
        .groupBy("app", F.expr(f"ts DIV {DAY}").alias("day"), "impression")
        .agg(F.count("*").alias("impressions"), F.max("ts").alias("newest"))
    )


def with_persons(events, members):
    return events.join(members, ["app", "user_id"], "left").withColumn("person", F.coalesce("person", "user_id"))


def fold(workers, rows, apps, name, arguments):
    """Sorts events by person and time (definitions 1.2) and sends them through the fold.

    :param apps: a table whose app names all that rows have
    """
    kinds = ", ".join(f"{quoted(k)}, {i}" for i, k in enumerate(workers.layout["kinds"]))
    # A sort compares the first eight bytes of the first key before it looks at keys: the place of the app among all and
    # the person's first bytes differ more often there than apps do, and their order is that of app and person.
    apps = sorted((row["app"] for row in apps.select("app").distinct().collect()), key=str.encode)
    places = workers.spark.createDataFrame(
        [(app, place.to_bytes(3, "big")) for place, app in enumerate(apps)], "app STRING, place BINARY")
    (
        rows.withColumn("kind", F.expr(f"element_at(map({kinds}), event)"))
        .join(F.broadcast(places), "app")
        .withColumn("place", F.expr("concat(place, CAST(person AS BINARY))"))
        .select("app", "person", "place", "ts", "kind", "event_id", "content")
        .createOrReplaceTempView("to_fold")
    )
    # By a key that nothing before is joined by: Spark would leave this shuffle out for that of a join, which it may then
    # split, or do without, as it does not know that a worker needs all of a person.
    workers.spark.sql(
        "SELECT app, person, content FROM to_fold DISTRIBUTE BY place SORT BY place, ts, kind, event_id"
    ).createOrReplaceTempView("sorted_event")
    columns = [escaped("app"), escaped("person"), escaped_json("content")]
    return workers.run(name, "sorted_event", columns, ["fold", "--packs"] + arguments, ["pack"])


# ---------------------------------------------------------------------------------------------------- export


class Export:
    """Brings to this machine what a report reads: facts, or events."""

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
        try:
            if self.job["needs"] == "events":
                self.send_events()
            else:
                self.send_facts()
            self.send_input()
            self.fetch()
            return {"build": self.build, "totals": self.manifest["totals"]}
        finally:
            self.staging.delete()

    def table(self, name):
        if name.startswith("facts/"):
            rows = read_facts(self.storage, self.job["layout"], self.build, name.split("/")[1])
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
            places = {t: self.staging.path(f"folded/{t}") for t in layout["facts"]}
            workers.tables(fact_files(workers.read("fold", "pack"), self.job), "facts", places)
            table = lambda name: facts_at(self.storage, layout, places[name.split("/")[1]], name.split("/")[1])
            impressions = impressions_of(events.where(F.col("ts") < self.job["as_of"]))
        width = max(len(layout["columns"][t]) for t in layout["facts"])
        rows = []
        for place, name in enumerate(layout["facts"]):
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


# ---------------------------------------------------------------------------------------------------- main


def one_line(error):
    """What went wrong, from the depth of Spark's messages."""
    if isinstance(error, Refusal):
        return str(error)
    text = str(error)
    found = re.search(r"Subprocess exited with status (\d+)\. Error: ?(.*)", text)
    # Spark ends what the worker said with a point.
    said = found.group(2).strip().removesuffix(".").strip() if found else ""
    if said:
        return said
    if found:
        return f"a worker ended with status {found.group(1)} and said nothing; see the log of its executor"
    if "Stream closed" in text or "Broken pipe" in text:
        return "a worker ended before it had read its input; the log of its executor says why"
    for pattern in (r"Caused by: (?:[\w.$]+: )?(.+)", r"^([^\n]+)"):
        lines = re.findall(pattern, text, re.M)
        if lines:
            return lines[-1 if pattern.startswith("Caused") else 0].strip()
    return type(error).__name__


def main():
    with open(sys.argv[1]) as file:
        job = json.load(file)
    builder = SparkSession.builder.appName(f"tollgate cluster {job['command']}")
    java = "spark.executor.defaultJavaOptions"
    builder = builder.config(java, f"{EXECUTOR_JAVA} {SparkConf().get(java, '')}".strip())
    for key, value in {
        "spark.sql.ansi.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
        # Many files are looked at by few tasks.
        "spark.sql.sources.parallelPartitionDiscovery.threshold": "1000",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "64",
        # Few tags, apps and months at a time: writers beside one another instead of a sort.
        "spark.sql.maxConcurrentOutputFileWriters": "32",
        # A pack is a value of a hundred kilobytes: four thousand of them at a time are no batch that fits a heap.
        "spark.sql.parquet.columnarReaderBatchSize": "256",
        # Jobs beside one another take turns.
        "spark.scheduler.mode": "FAIR",
        "spark.sql.files.ignoreCorruptFiles": "false",
        "spark.sql.files.ignoreMissingFiles": "false",
    }.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    try:
        if job["command"] == "current":
            answer = {"build": read_current(Storage(spark, job["output"])) or 0}
        else:
            answer = {"build": Build, "export": Export}[job["command"]](spark, job).run()
    except Exception as error:
        traceback.print_exc()
        answer = {"error": one_line(error)}
    with open(job["answer"], "w") as file:
        json.dump(answer, file)
    spark.stop()
    sys.exit(1 if "error" in answer else 0)


if __name__ == "__main__":
    main()
