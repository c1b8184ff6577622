"""A row of the table of goals."""

from dataclasses import dataclass


@dataclass
class Goal:
    """`name` is the row; `reached` whether `measured` is as `wanted`."""

    name: str
    wanted: str
    measured: str
    reached: bool
