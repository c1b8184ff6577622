"""A standalone Spark cluster of one master and two workers on loopback, as processes of this machine.

    python3 Tests/Acceptance/Cluster/standalone.py up --folder out/spark
    python3 Tests/Acceptance/Cluster/standalone.py down --folder out/spark

`up` prints the master's address; `down` ends what `up` has started, by the ids of the processes.
"""

import argparse
import contextlib
import functools
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

HOST = "127.0.0.1"


def free_ports(count):
    """Ports that nobody listens on, all different."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind((HOST, 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def spark_home():
    if os.environ.get("SPARK_HOME"):
        return os.environ["SPARK_HOME"]
    try:
        import pyspark
    except ImportError:
        return None
    return os.path.dirname(pyspark.__file__)


def missing():
    """What keeps Spark from running here; None where nothing does."""
    if spark_home() is None:
        return "no Spark: set SPARK_HOME, or run `make cluster-tools`"
    java = os.path.join(os.environ["JAVA_HOME"], "bin/java") if os.environ.get("JAVA_HOME") else shutil.which("java")
    if not java or not os.path.exists(java):
        return "no Java: install a runtime of version 17, or run `make cluster-tools`"
    said = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    version = said.split('"')[1].split(".")[0] if '"' in said else "0"
    if not version.isdigit() or int(version) < 17:
        return f"Java is {version or 'unknown'}, but Spark needs 17 or newer"
    return None


def environment(folder):
    return dict(
        os.environ, SPARK_HOME=spark_home(), SPARK_LOCAL_IP=HOST, SPARK_LOCAL_DIRS=str(folder / "local"),
        PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable, SPARK_DAEMON_MEMORY="512m",
        SPARK_CONF_DIR=str(folder / "conf"),
    )


class Cluster:
    """Master and workers; `pids` are theirs, in the order of their start.

    :param pinned: each worker, and what it starts, has one processor, as a container of one core has it
    :param share: of a processor's time that each worker, and what it starts, has at most; None for all
    """

    def __init__(self, folder, workers=2, memory="1500m", pinned=False, share=None):
        self.folder = pathlib.Path(folder).resolve()
        self.count = workers
        self.memory = memory
        self.processors = sorted(os.sched_getaffinity(0)) if pinned else None
        self.share = share
        self.groups = []
        self.pids = {}

    def start(self):
        for name in ("local", "logs", "conf"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        ports = free_ports(2 + 2 * self.count)
        self.master = f"spark://{HOST}:{ports[0]}"
        self.page = f"http://{HOST}:{ports[1]}/json/"
        self.launch(
            "master", "org.apache.spark.deploy.master.Master", "--host", HOST, "--port", str(ports[0]), "--webui-port", str(ports[1]),
        )
        self.wait(lambda state: True, "the master")
        for number in range(self.count):
            self.launch(
                f"worker{number + 1}", "org.apache.spark.deploy.worker.Worker", "--host", HOST, "--cores", "1",
                "--memory", self.memory, "--port", str(ports[2 + 2 * number]), "--webui-port", str(ports[3 + 2 * number]),
                "--work-dir", str(self.folder / f"worker{number + 1}"), self.master,
                processors=self.processors and {self.processors[number % len(self.processors)]},
            )
            if self.share:
                self.groups.append(limited(self.pids[f"worker{number + 1}"], self.share))
        self.wait(lambda state: state["aliveworkers"] == self.count, f"{self.count} workers")
        (self.folder / "cluster.json").write_text(json.dumps({"master": self.master, "pids": self.pids}))
        return self

    def launch(self, name, main, *arguments, processors=None):
        log = open(self.folder / "logs" / f"{name}.log", "wb")
        process = subprocess.Popen(
            [f"{spark_home()}/bin/spark-class", main, *arguments],
            env=dict(environment(self.folder), SPARK_MASTER_OPTS="-Dspark.master.rest.enabled=false"),
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            preexec_fn=processors and functools.partial(os.sched_setaffinity, 0, processors),
        )
        log.close()
        self.pids[name] = process.pid

    def wait(self, is_ready, what):
        deadline = time.monotonic() + 180
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError, ValueError):
                with urllib.request.urlopen(self.page, timeout=5) as answer:
                    if is_ready(json.load(answer)):
                        return
            time.sleep(0.2)
        self.stop()
        raise SystemExit(f"{what} did not come up in 180 s; see {self.folder}/logs")

    def executors(self):
        """Process ids of executors, by worker."""
        found = {}
        for name, pid in self.pids.items():
            if name != "master":
                children = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()
                found[name] = [int(child) for child in children]
        return found

    def stop(self):
        stop(self.pids)
        for group in self.groups:
            # Until its last process has ended it stays.
            with contextlib.suppress(OSError):
                group.rmdir()


def limited(pid, share):
    """Puts a process that has just begun into a group of its own with a share of a processor, and what it will start.

    :returns: the group's folder
    """
    root = pathlib.Path("/sys/fs/cgroup")
    # Version 1 has a tree for each resource.
    is_first = (root / "cpu" / "cpu.cfs_quota_us").exists()
    group = (root / "cpu" if is_first else root) / f"tollgate-{pid}"
    period = 100_000
    try:
        group.mkdir()
        if is_first:
            (group / "cpu.cfs_period_us").write_text(str(period))
            (group / "cpu.cfs_quota_us").write_text(str(int(share * period)))
        else:
            (group / "cpu.max").write_text(f"{int(share * period)} {period}")
        (group / "cgroup.procs").write_text(str(pid))
    except OSError as error:
        raise SystemExit(f"{group}: {error.strerror}; shares of processors are for root, with control groups of Linux")
    return group


def stop(pids):
    """Ends processes by their ids, workers first, and waits until they are gone."""
    for name in sorted(pids, key=lambda name: name == "master"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pids[name], signal.SIGTERM)
    deadline = time.monotonic() + 20
    left = dict(pids)
    while left and time.monotonic() < deadline:
        for name, pid in list(left.items()):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
            if not os.path.exists(f"/proc/{pid}"):
                del left[name]
        time.sleep(0.1)
    for pid in left.values():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=["up", "down"])
    parser.add_argument("--folder", default="out/spark")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="1500m", help="of each worker")
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.folder)
    state = folder / "cluster.json"
    if arguments.command == "down":
        if state.exists():
            stop(json.loads(state.read_text())["pids"])
            state.unlink()
        return
    if problem := missing():
        raise SystemExit(problem)
    if state.exists():
        raise SystemExit(f"{state} is there: a cluster runs, or has been killed; `make cluster-down` ends it")
    print(Cluster(folder, arguments.workers, arguments.memory).start().master)


if __name__ == "__main__":
    main()
