"""Folds persons, and writes what comes of it: facts and cells."""

from pyspark.sql import functions as F

from copy_text import escaped, text_columns
from persons import fold
from storage import lasting
from tables import fact_batches, fact_files, facts_at, read_cells, read_facts, read_refolded

#: Builds whose facts lie beside one another, before all are written as one: each is a folder more to read, and one in so many
#: writes all facts. Another number is `spark.tollgate.factBatches`.
FACT_BATCHES = "8"


class Folding:
    """Folds the persons of a build.

    :ivar facts: number and folder of the builds whose facts count from now on, the oldest first
    :ivar cells: the folders of cells; None where the former build kept none, so that nothing could be taken away from them
    """

    def __init__(self, build, members, touched):
        """
        :param members: joined users with their persons
        :param touched: the persons that are folded; None for all, of a first build
        """
        self.build = build
        self.storage, self.staging, self.workers = build.storage, build.staging, build.workers
        self.layout, self.manifest = build.layout, build.manifest
        self.members = members
        self.touched = touched
        self.former_facts = fact_batches(self.manifest) if self.manifest else []
        self.former_cells = self.manifest.get("cells") if self.manifest else []
        batches = max(1, int(build.spark.conf.get("spark.tollgate.factBatches", FACT_BATCHES)))
        self.is_one_batch = len(self.former_facts) >= batches
        own = [(build.number, f"facts/{build.number:06d}")]
        self.facts = own if self.is_one_batch else self.former_facts + own
        self.cells = None
        if self.former_cells is not None:
            self.cells = ([] if self.is_one_batch else self.former_cells) + [f"cells/{build.number:06d}"]

    def run(self):
        """
        :returns: how many persons were folded
        """
        packs, persons = self.all_persons() if self.touched is None else self.touched_persons()
        self.write(packs)
        return persons

    def touched_persons(self):
        """Folds the touched persons, event by event.

        :returns: packs of facts and cells, and how many persons
        """
        build = self.build
        # Whose events these are is found first, among few: no event is shuffled that is not folded.
        users = self.users_of(self.members).withColumn("former", F.lit(0))
        if self.former_cells is not None:
            # Once more as the former build has folded them: what they had in cells goes.
            users = users.unionByName(self.users_of(build.former("members")).withColumn("former", F.lit(1)))
        users = self.staging.keep(users, "touched-users")
        rows = build.stored().join(users, ["app", "user_id"])
        if build.gone_count > 0:
            rows = rows.join(build.gone().withColumn("former", F.lit(0)), ["app", "event_id", "former"], "left_anti")
        columns = build.columns + ["person", "former"]
        new = build.new_events().join(users.where("former = 0"), ["app", "user_id"])
        rows = rows.select(columns).unionByName(new.select(columns))
        persons = fold(self.workers, rows, self.touched, "fold", [], again=True)["persons"]
        return self.workers.read("fold", "pack"), persons

    def users_of(self, members):
        """The users of the touched persons, each with its person."""
        alone = self.touched.join(members.selectExpr("app", "user_id AS person"), ["app", "person"], "left_anti")
        users = members.join(self.touched, ["app", "person"], "left_semi").select("app", "user_id", "person")
        return users.unionByName(alone.selectExpr("app", "person AS user_id", "person"))

    def all_persons(self):
        """Folds users by buckets of packs, and by rows those who are not persons by themselves.

        :returns: packs of facts and cells, and how many persons
        """
        build = self.build
        bucket = f"crc32(encode(concat(app, '\\n', user_id), 'UTF-8')) % {build.decoded.bucket_count}"
        users = self.members.selectExpr(f"{bucket} AS bucket", "0 AS kind", "app", "user_id AS a", "person AS b")
        # Nobody holds a bucket of too many events: Spark sorts those, as it does events of persons with several ids.
        kind = F.when(F.col("bucket").isin(build.large_buckets), 2).otherwise(1).alias("kind")
        packs = build.packs.select("bucket", kind, "app", F.col("dropped").alias("a"), F.col("bytes").alias("b"))
        users.unionByName(packs).createOrReplaceTempView("bucket_row")
        build.spark.sql("SELECT * FROM bucket_row DISTRIBUTE BY bucket SORT BY bucket, kind").createOrReplaceTempView("sorted_row")
        columns = ["bucket", "kind", escaped("app"), f"if(kind > 0, a, {escaped('a')})", f"if(kind > 0, b, {escaped('b')})"]
        persons = self.workers.run("fold", "sorted_row", columns, ["fold-buckets"], ["pack", "moved"])["persons"]
        packs = self.workers.read("fold", "pack")
        if self.storage.exists(self.staging.path("fold/tag=moved")):
            moved = self.workers.read("fold", "moved")
            persons += fold(self.workers, moved, moved, "fold-moved", [])["persons"]
            packs = packs.unionByName(self.workers.read("fold-moved", "pack"))
        return packs, persons

    def write(self, packs):
        """Writes the facts of the persons that were folded, or with those of all others as one batch; and cells."""
        build = self.build
        folder = self.storage.path(self.facts[-1][1])
        places = {table: f"{folder}/{table}" for table in self.layout["facts"]}
        kept = {}
        if self.cells is not None:
            kept["cell"] = self.staging.path("cells") if self.is_one_batch else self.storage.path(self.cells[-1])
        self.workers.tables(fact_files(packs, build.job), "facts", places | kept)
        if self.is_one_batch:
            for table, place in places.items():
                rows = read_facts(self.storage, self.layout, self.manifest, table)
                rows = rows.join(self.touched, ["app", "person"], "left_anti")
                build.later(lasting(rows.write).mode("append").partitionBy("app", "month").parquet, place)
            if self.cells is not None:
                new = facts_at(self.storage, self.layout, kept["cell"], "cell")
                self.add_up(read_cells(self.storage, self.layout, self.manifest).unionByName(new))
        elif self.former_facts:
            refolded = self.touched.withColumn("build", F.lit(build.number).cast("BIGINT"))
            if len(self.former_facts) > 1:
                refolded = refolded.unionByName(read_refolded(self.storage, self.manifest))
            build.later(build.save, refolded, "refolded")

    def add_up(self, cells):
        """Writes cells of several builds, each as one row: what is taken away is no longer there."""
        columns = self.layout["columns"]["cell"]
        key = ", ".join(["month", *(c for c, _ in columns[:-2])])
        cells.createOrReplaceTempView("cell_row")
        self.build.spark.sql(f"SELECT * FROM cell_row DISTRIBUTE BY {key} SORT BY {key}").createOrReplaceTempView("sorted_cell")
        self.workers.run("added-up", "sorted_cell", ["month", *text_columns(columns)], ["cells"], ["pack"])
        packs = fact_files(self.workers.read("added-up", "pack"), self.build.job)
        self.workers.tables(packs, "added-up", {"cell": self.storage.path(self.cells[-1])})
