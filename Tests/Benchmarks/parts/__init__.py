"""One measurement a file.

Each part has TITLE, `measure(setting)` to plain figures for the JSON file, `markdown(figures)` and `goals(figures)`.
"""

from . import ingest

PARTS = {"ingest": ingest}
