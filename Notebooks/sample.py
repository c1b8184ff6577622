"""The sample store of the notebooks (SampleData, ingested once into out/notebooks) and the look of their pictures."""

from pathlib import Path

import matplotlib.style

import tollgate

ROOT = Path(__file__).resolve().parent.parent
EVENTS = ROOT / "SampleData/events"
RATES = ROOT / "SampleData/rates.csv"
BUILT = ROOT / ".build/release/tollgate"
#: The colour of control in every picture, as on the pages; the others take the colours of the style in order.
CONTROL = "#8590a1"
matplotlib.style.use(Path(__file__).with_name("tollgate.mplstyle"))


def store(folder=ROOT / "out/notebooks"):
    """Returns the store of SampleData; files that are in it already are skipped."""
    folder.mkdir(parents=True, exist_ok=True)
    opened = tollgate.open(folder / "sample.db", tollgate.PROGRAM if tollgate.PROGRAM.exists() else BUILT)
    opened.run("ingest", "--quiet", EVENTS)
    opened.run("rates", "import", RATES)
    return opened
