"""Runs the notebooks from top to bottom, and writes them with their outputs as HTML: `make notebooks`.

    python run.py [--output out/notebooks] [--write] [NOTEBOOK...]

The committed notebooks have their outputs. A run fails where the outputs differ from the committed ones (pictures and
the last digits of numbers aside), or where a notebook is larger than 200 kB; `--write` stores the new ones. The template
`05-decide-my-experiment` runs on every experiment of the sample.
"""

import argparse
import copy
import re
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter

HERE = Path(__file__).resolve().parent


MOST_BYTES = 200_000
TEMPLATE = "05-decide-my-experiment"
# What the simulator was told (SampleData/README.md); with these data one of two answers.
ANSWERS = {"steps_yearly_anchor": {"ship"}, "techniq_headline": {"do_not_ship"},
           "coach_gate_timing": {"do_not_ship", "undecided"}, "praxisen_limit_copy": {"no_difference", "undecided"}}
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def executed(notebook):
    """A copy with the outputs of this program, without what differs from run to run."""
    notebook = copy.deepcopy(notebook)
    client = NotebookClient(notebook, startup_timeout=300, timeout=1_200, kernel_name="python3",
                            resources={"metadata": {"path": HERE}})
    client.execute()
    for cell in notebook.cells:
        cell.metadata.clear()
        if cell.cell_type == "code":
            cell.execution_count = None
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = None
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def texts(notebook):
    """The texts that each cell shows; pictures depend on the fonts of a machine."""
    return [[output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", [])
             if "image/png" not in output.get("data", {})] for cell in notebook.cells]


def agree(stored, new):
    """Whether two texts are the same but for the last digits of numbers."""
    if NUMBER.sub("#", stored).split() != NUMBER.sub("#", new).split():
        return False
    pairs = zip(NUMBER.findall(stored), NUMBER.findall(new))
    return all(abs(float(a) - float(b)) <= 1e-4 * max(abs(float(a)), abs(float(b)), 1e-9) for a, b in pairs)


def differences(stored, new):
    """The numbers of the cells whose outputs differ."""
    return [number for number, (old, now) in enumerate(zip(texts(stored), texts(new)), 1)
            if len(old) != len(now) or not all(agree(a, b) for a, b in zip(old, now))]


def template(notebook):
    """The template on each experiment of the sample: the answer has to be the one that the simulator was told."""
    wrong = []
    for name, answers in ANSWERS.items():
        own = copy.deepcopy(notebook)
        for cell in own.cells:
            cell.source = cell.source.replace("steps_yearly_anchor", name)
        shown = "".join(text for cell in texts(executed(own)) for text in cell)
        if not any(f"decision: {answer}" in shown for answer in answers):
            wrong.append(f"{name} is none of {sorted(answers)}")
        # The command shows this interval as `+0.8 pp (+0.3 to +1.7¹)`, of 6 refunds.
        if name == "praxisen_limit_copy" and "refunded ¹" not in shown:
            wrong.append(f"{name}: refunds do not have their mark for one look")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=HERE.parent / "out/notebooks")
    parser.add_argument("--write", action="store_true", help="Store the outputs in the notebooks.")
    parser.add_argument("notebooks", type=Path, nargs="*", default=sorted(HERE.glob("*.ipynb")))
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    failed = 0
    for path in given.notebooks:
        stored = nbformat.read(path, as_version=4)
        started = time.monotonic()
        faults = []
        try:
            notebook = executed(stored)
            if given.write:
                nbformat.write(notebook, path)
            elif cells := differences(stored, notebook):
                faults.append(f"the outputs of cells {cells} differ from the committed ones; --write stores the new")
            if path.stat().st_size > MOST_BYTES:
                faults.append(f"{path.stat().st_size:,} bytes, more than {MOST_BYTES:,}")
            if path.stem == TEMPLATE:
                faults += template(stored)
            nbformat.write(notebook, given.output / path.name)
            page, _ = HTMLExporter(embed_images=True).from_notebook_node(notebook)
            (given.output / path.with_suffix(".html").name).write_text(page)
        except CellExecutionError as error:
            faults.append(str(error))
        print(f"{path.name}: {len(stored.cells)} cells in {time.monotonic() - started:.0f} s")
        for fault in faults:
            print(f"{path.name}: {fault}", file=sys.stderr)
        failed += bool(faults)
    print(f"{len(given.notebooks) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
