"""What adds up over events, by app and day."""

from pyspark.sql import functions as F

DAY = 86_400_000


def days_of(events):
    """How many events count on a day, and the newest instants (definitions 1.1)."""
    def newest(stamp):
        return F.expr(f"max(if(stamp = '{stamp}', ts, NULL))").alias(f"newest_{stamp}")

    return events.groupBy("app", F.expr(f"ts - ts % {DAY}").alias("day")).agg(
        F.expr("count_if(NOT is_sandbox)").alias("events"), F.max("received_at").alias("newest_received"),
        newest("timely"), newest("early"), newest("unmarked"))


def impressions_of(events):
    """Impressions that count, by day and what they showed."""
    return (
        events.where("impression IS NOT NULL")
        .groupBy("app", F.expr(f"ts DIV {DAY}").alias("day"), "impression")
        .agg(F.count("*").alias("impressions"), F.max("ts").alias("newest"))
    )
