"""Who is one person, and the events of persons through the fold."""

from pyspark.sql import functions as F

from copy_text import escaped, escaped_json, quoted

#: Joins of users that one task handles; more are shuffled. Another number is `spark.tollgate.fewJoins`.
FEW_JOINS = "1000000"


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
    few = int(staging.spark.conf.get("spark.tollgate.fewJoins", FEW_JOINS))
    whole = (lambda rows: rows.coalesce(1)) if noted["rows"] <= few else (lambda rows: rows)
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


def with_persons(events, members):
    return events.join(members, ["app", "user_id"], "left").withColumn("person", F.coalesce("person", "user_id"))


def fold(workers, rows, apps, name, arguments, again=False):
    """Sorts events by person and time (definitions 1.2) and sends them through the fold.

    :param apps: a table whose app names all that rows have
    :param again: whether rows have a column `former`: 1 for events as a former build has folded them, else 0
    """
    first = ["former"] if again else []
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
        .select(*first, "app", "person", "place", "ts", "kind", "event_id", "content")
        .createOrReplaceTempView("to_fold")
    )
    # By a key that nothing before is joined by: Spark would leave this shuffle out for that of a join, which it may then
    # split, or do without, as it does not know that a worker needs all of a person.
    taken, order = ", ".join([*first, "app", "person", "content"]), ", ".join([*first, "place", "ts", "kind", "event_id"])
    workers.spark.sql(
        f"SELECT {taken} FROM to_fold DISTRIBUTE BY place SORT BY {order}").createOrReplaceTempView("sorted_event")
    columns = [*first, escaped("app"), escaped("person"), escaped_json("content")]
    arguments = ["fold"] + (["--again"] if again else []) + arguments
    return workers.run(name, "sorted_event", columns, arguments, ["pack"])
