"""What the figures were taken on: processor, memory, kernel, load, versions."""

import os
import platform
import subprocess
import time
from importlib import metadata
from pathlib import Path

PACKAGES = ["duckdb", "chdb", "orjson", "zstandard", "sqlite-utils"]


def field(path, name):
    for line in Path(path).read_text().splitlines():
        if line.startswith(name):
            return line.split(":", 1)[1].strip()
    return "unknown"


def describe(setting):
    """Texts and numbers by name; `load` is that of the minute before the run."""
    version = subprocess.run([setting.program, "--version"], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    return {"date": time.strftime("%Y-%m-%d %H:%M", time.gmtime()), "cores": os.cpu_count(),
            "processor": field("/proc/cpuinfo", "model name"),
            "memory_gb": round(int(field("/proc/meminfo", "MemTotal").split()[0]) / 1e6, 1),
            "kernel": platform.release(), "load": [round(value, 1) for value in os.getloadavg()],
            "python": platform.python_version(), "tollgate": version, "commit": commit(),
            "packages": {name: metadata.version(name) for name in PACKAGES}}


def commit():
    """The commit of the tree that the benchmark is in, with + when something in it is changed."""
    def git(*arguments):
        return subprocess.run(["git", "-C", Path(__file__).parent, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout.decode().strip()
    changed = git("status", "--porcelain", "--untracked-files=no")
    return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")


def sentence(machine, command):
    """One paragraph for RESULTS.md."""
    versions = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    load = ", ".join(map(str, machine["load"]))
    return (f"{machine['date']} UTC, load before {load}. {machine['cores']} cores of {machine['processor']}, "
            f"{machine['memory_gb']} GB, Linux {machine['kernel']}. tollgate {machine['tollgate']}, tree at "
            f"{machine['commit']}; Python {machine['python']}, {versions}. `{command}`")
