#!/usr/bin/env python3
"""Draws the experiment readout in README from what `tollgate experiment --format csv` prints.

    python3 picture.py --program PATH --output FILE.svg [--experiment NAME]
"""
import argparse
import csv
import os
import subprocess
import tempfile
from xml.sax.saxutils import escape

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
ROWS = {"paid": "paid", "trial_start": "started a trial", "trial_to_paid": "paid after the trial",
        "retained": "used the app in week 2", "refunded": "refunded"}
WIDTH, LEFT, RIGHT, TOP, STEP = 760, 330, 740, 128, 34
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
STYLE = f"""
  text {{ font: 14px {FONT}; fill: #15191f; font-variant-numeric: tabular-nums; }}
  .muted {{ fill: #566070; font-size: 12px; }} .head {{ font-size: 20px; font-weight: 700; }}
  .end {{ text-anchor: end; }} .middle {{ text-anchor: middle; }}
  .grid {{ stroke: #d9dfe7; }} .zero {{ stroke: #566070; }}
  .good {{ stroke: #00695c; fill: #00695c; }} .calm {{ stroke: #566070; fill: #566070; }}
  .page {{ fill: #ffffff; stroke: #d9dfe7; }}
"""


def readout(program, experiment):
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "demo.db")
        for words in (["ingest", "SampleData/events"], ["rates", "import", "SampleData/rates.csv"]):
            subprocess.run([program, *words, "--store", store], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        text = subprocess.run([program, "experiment", experiment, "--all", "--format", "csv", "--store", store],
                              check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(text.splitlines()))


def draw(rows, experiment):
    def value(metric, variant, measure):
        """The row of a value; trial_to_paid has a section of its own."""
        for row in rows:
            if row["section"] in ("metrics", "guardrails", "trial_to_paid") and not row["slice"] and \
                    (row["metric"], row["variant"], row["measure"]) == (metric, variant, measure):
                return row
        return None

    variant = next(row["variant"] for row in rows if row["measure"] == "decision")
    decision = next(row["text"] for row in rows if row["measure"] == "decision")
    sentence = next(row["text"] for row in rows if row["measure"] == "sentence")
    effects = []
    for metric, label in ROWS.items():
        difference = value(metric, variant, "difference_always_valid")
        rates = [value(metric, arm, "rate") for arm in ("control", variant)]
        if difference and difference["low"] and all(rates):
            effects.append((label, [100 * float(rate["value"]) for rate in rates],
                            [100 * float(difference[bound]) for bound in ("low", "value", "high")]))
    span = 5 * (int(max(abs(bound) for _, _, effect in effects for bound in effect) / 5) + 1)
    height = TOP + STEP * len(effects) + 44

    def x(points):
        return round((LEFT + RIGHT) / 2 + points / span * (RIGHT - LEFT) / 2, 1)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
           f'role="img" aria-label="{escape(sentence, {chr(34): "&quot;"})}">', f"<style>{STYLE}</style>",
           f'<rect class="page" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>',
           f'<text class="muted" x="20" y="30">{escape(experiment)}</text>',
           f'<text class="head" x="20" y="58">{escape(decision.replace("_", " ").upper())} {escape(variant)}</text>']
    head, _, rest = sentence.partition(", and ")
    out.append(f'<text x="20" y="84">{escape(head + ("," if rest else ""))}</text>')
    out.append(f'<text x="20" y="104">{escape(("and " + rest) if rest else "")}</text>')
    out.append(f'<text class="muted end" x="250" y="{TOP}">control</text><text class="muted end" x="318" y="{TOP}">'
               f'{escape(variant)}</text>')
    bottom = TOP + STEP * len(effects) + 8
    for tick in range(-span, span + 1, max(5, span // 10 * 5)):
        out.append(f'<line class="{"zero" if tick == 0 else "grid"}" x1="{x(tick)}" y1="{TOP + 8}" x2="{x(tick)}" '
                   f'y2="{bottom}"/>')
        sign = "+" if tick > 0 else "−" if tick < 0 else ""
        out.append(f'<text class="muted middle" x="{x(tick)}" y="{bottom + 16}">{sign}{abs(tick)}</text>')
    out.append(f'<text class="muted" x="20" y="{bottom + 16}">difference in percentage points, 95% intervals</text>')
    for number, (label, (control, treatment), (low, middle, high)) in enumerate(effects):
        y = TOP + STEP * number + 28
        kind = "good" if low > 0 else "calm"
        out.append(f'<text x="20" y="{y + 5}">{escape(label)}</text><text class="end" x="250" y="{y + 5}">'
                   f'{control:.1f}%</text><text class="end" x="318" y="{y + 5}">{treatment:.1f}%</text>')
        out.append(f'<line class="{kind}" stroke-width="2" x1="{x(low)}" y1="{y}" x2="{x(high)}" y2="{y}"/>'
                   f'<circle class="{kind}" cx="{x(middle)}" cy="{y}" r="5"/>')
    return "\n".join(out + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--experiment", default="steps_yearly_anchor")
    options = parser.parse_args()
    rows = readout(os.path.abspath(options.program), options.experiment)
    os.makedirs(os.path.dirname(os.path.abspath(options.output)), exist_ok=True)
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(draw(rows, options.experiment))


if __name__ == "__main__":
    main()
