"""What the scripts have in common that compare the program with the oracle on generated events, seed by seed."""
import argparse
import os
import shlex
import sys
import tempfile


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, seed, argv, difference):
        if not difference:
            self.passed += 1
            return
        self.failed += 1
        print("DIFFERENT seed %d\n  %s\n%s" % (seed, " ".join(shlex.quote(x) for x in argv), difference), flush=True)


def parser(drawn="", persons=0, runs=0, of="reports"):
    """Arguments with these defaults; without a number of persons how many are `drawn`, without runs no --runs."""
    p = argparse.ArgumentParser()
    p.add_argument("--program", required=True)
    p.add_argument("--seeds", required=True, help="A-B, or one")
    p.add_argument("--persons", type=int, default=persons, help="default: %s" % (persons or "drawn for each seed, " + drawn))
    if runs:
        p.add_argument("--runs", type=int, default=runs, help="%s a seed (default: %d)" % (of, runs))
    p.add_argument("--work", help="where files are written (default: a temporary folder)")
    return p


def compare(p, compare_seed):
    """Calls `compare_seed(tally, arguments, seed)` for all seeds and ends: with 1 when anything differed, or nothing was compared."""
    a = p.parse_args()
    a.program = os.path.abspath(a.program)
    name = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    a.work = a.work or tempfile.mkdtemp(prefix="tollgate-%s-" % name)
    low, _, high = a.seeds.partition("-")
    tally = Tally()
    for seed in range(int(low), int(high or low) + 1):
        compare_seed(tally, a, seed)
    if os.path.isdir(a.work) and not os.listdir(a.work):
        os.rmdir(a.work)
    print("%d passed, %d failed" % (tally.passed, tally.failed))
    sys.exit(0 if tally.passed and not tally.failed else 1)
