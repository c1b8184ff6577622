"""The output folder on any file system that Hadoop knows, and how its tables are written."""

import re
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

from pyspark.sql import Observation
from pyspark.sql import functions as F

from refusal import Refusal

#: What writers leave beside their files.
MARKS = ("_SUCCESS", "_committed_", "_started_", "_metadata", "_common_metadata", "_temporary")
#: Seconds that Spark has to tell what it has observed.
TOLD_WITHIN = 600


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
                    raise Refusal(f"{one.getPath().toString()}: Spark skips files whose names start with {name[0]}; rename it")
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


def noted(observation):
    """What was observed of rows that have been written: Spark tells it a moment later."""
    told, failed = [], []

    def ask():
        try:
            told.append(observation.get)
        except Exception as error:
            failed.append(error)

    # Had Spark left the node out of its plan, it would never tell.
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(TOLD_WITHIN)
    if failed:
        raise failed[0]
    if not told:
        raise Refusal(f"Spark did not report within {TOLD_WITHIN} s how many rows it wrote, so nothing was stored; run the build again")
    return told[0]


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
        return kept, noted(seen)

    def delete(self):
        self.storage.delete(self.folder)


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
