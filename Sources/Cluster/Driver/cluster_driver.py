"""What `tollgate cluster` runs on Spark: spark-submit cluster_driver.py JOB.json

Spark stores, shuffles, sorts and retries; what an event is and what it comes to is told by `tollgate worker`, the same
program on every executor. The job says what to do and how rows are laid out, and names the file for the answer.
"""

import json
import sys
import traceback

from pyspark import SparkConf
from pyspark.sql import SparkSession

from build import Build
from export import Export
from refusal import one_line
from storage import Storage
from tables import read_current

#: Compiling for speed begins twenty times as late as Java has it, where a loop is hot through a whole build: executors
#: spent more time on compiling what they soon no longer ran than on tasks. What the user sets comes behind it, and counts.
EXECUTOR_JAVA = (
    "-XX:Tier4InvocationThreshold=100000 -XX:Tier4MinInvocationThreshold=12000 "
    "-XX:Tier4CompileThreshold=300000 -XX:Tier4BackEdgeThreshold=800000"
)


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
