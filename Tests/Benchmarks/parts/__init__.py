"""One measurement a file.

Each part has TITLE, `measure(setting)` to plain figures for the JSON file, `markdown(figures)` and `goals(figures)`. A
readout of experiments gets its part here once the program has the command.
"""

from . import concurrency, growth, ingest, night, reports, statistics

PARTS = {"ingest": ingest, "reports": reports, "night": night, "growth": growth, "concurrency": concurrency,
         "statistics": statistics}
