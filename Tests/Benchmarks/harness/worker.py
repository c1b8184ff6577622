"""A peer with its store open and warm, asked over a pipe."""

import dataclasses
import json
import subprocess

from harness.process import Failed


class Worker:
    """Answers are `{"seconds": [...], "columns": [...], "rows": [[text or None]]}`; seconds are of the query alone."""

    def __init__(self, command):
        self.command = command
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, question, times=1):
        return self.answer(dataclasses.asdict(question) | {"times": times}, question.name)

    def count(self, as_of=None):
        """The number of events, before the day `as_of` if there is one."""
        known = f" WHERE ts < TIMESTAMP '{as_of}'" if as_of else ""
        return int(self.answer({"sql": f"SELECT count(*) FROM events{known}", "times": 1}, "count")["rows"][0][0])

    def answer(self, asked, name):
        self.process.stdin.write((json.dumps(asked) + "\n").encode())
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise Failed(f"{' '.join(map(str, self.command))}\nended at: {name}")
        return json.loads(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
