"""What a run of the benchmark works with."""

import sys
from dataclasses import dataclass
from pathlib import Path

from harness import datasets

PEERS = Path(__file__).resolve().parent.parent / "peers"
# The scripts of peers/ run by themselves, so what they share with the harness is in their folder.
sys.path.insert(0, str(PEERS))
from question import Question  # noqa: E402, F401


@dataclass
class Setting:
    """`program` is tollgate, `python` that of the venv, `statistics_python` that of the engines' own, `work` the folder of everything made."""

    program: Path
    python: str
    work: Path
    sizes: list
    kinds: list
    pairs: int
    runs: int
    questions: list
    limit: float
    large: bool
    large_duckdb: bool
    statistics_python: Path

    def dataset(self, kind, size):
        return datasets.make(kind, size, self.work, self.program)

    def peer(self, script, *arguments):
        """The command line of a script of peers/."""
        return [self.python, PEERS / script, *arguments]

    def tollgate(self, command, store, *arguments):
        return [self.program, command, "--store", store, *arguments]
