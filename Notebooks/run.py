"""Runs the notebooks from top to bottom, and keeps what they show as HTML: `make notebooks`.

    python run.py [--output out/notebooks] [NOTEBOOK...]

The committed ones have no outputs, so that what one reads was made by the program beside it; one that has is an error.
"""

import argparse
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter

HERE = Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=HERE.parent / "out/notebooks")
    parser.add_argument("notebooks", type=Path, nargs="*", default=sorted(HERE.glob("*.ipynb")))
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    failed = 0
    for path in given.notebooks:
        notebook = nbformat.read(path, as_version=4)
        kept = [number for number, cell in enumerate(notebook.cells, 1) if cell.get("outputs")]
        if kept:
            print(f"{path.name}: cells {kept} have outputs; expected none in a committed notebook", file=sys.stderr)
            failed += 1
            continue
        started = time.monotonic()
        client = NotebookClient(notebook, startup_timeout=300, timeout=1_200, kernel_name="python3",
                                resources={"metadata": {"path": HERE}})
        try:
            client.execute()
            print(f"{path.name}: {len(notebook.cells)} cells in {time.monotonic() - started:.0f} s")
        except CellExecutionError as error:
            print(f"{path.name}: {error}", file=sys.stderr)
            failed += 1
        # What was made until then helps to see why.
        nbformat.write(notebook, given.output / path.name)
        page, _ = HTMLExporter(embed_images=True).from_notebook_node(notebook)
        (given.output / path.with_suffix(".html").name).write_text(page)
    print(f"{len(given.notebooks) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
