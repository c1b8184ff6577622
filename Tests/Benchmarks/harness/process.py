"""Runs a whole process and says what it cost."""

import os
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass


@dataclass
class Run:
    """Wall and processor seconds (user + system), the peak of its resident memory in MB, what it printed."""

    seconds: float
    cpu_seconds: float
    peak_mb: float
    output: bytes
    timed_out: bool


class Failed(Exception):
    """A process ended with another status than 0."""


def run(command, limit=None):
    """Runs `command` to its end, or until `limit` seconds have passed.

    Memory is that of the process or of the largest of its children. The benchmark itself stays small, because a child
    begins with the pages of its parent.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = time.monotonic()
        process = subprocess.Popen([str(part) for part in command], stdout=output, stderr=errors)
        late = threading.Event()
        timer = threading.Timer(limit, lambda: (late.set(), process.kill())) if limit else None
        if timer:
            timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if timer:
            timer.cancel()
        output.seek(0)
        errors.seek(0)
        if process.returncode != 0 and not late.is_set():
            text = errors.read().decode(errors="replace")[-2000:]
            raise Failed(f"{' '.join(map(str, command))}\nended with {process.returncode}\n{text}")
        return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output.read(), late.is_set())
