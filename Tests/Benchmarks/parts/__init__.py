"""One measurement a file.

Each part has TITLE, `measure(setting)` to plain figures for the JSON file, `markdown(figures)` and `goals(figures)`.
"""

from . import bugs, concurrency, experiments, growth, ingest, night, options, reports, statistics

PARTS = {"ingest": ingest, "reports": reports, "options": options, "experiments": experiments, "night": night,
         "growth": growth, "bugs": bugs, "concurrency": concurrency, "statistics": statistics}
