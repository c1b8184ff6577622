"""The command `tollgate` of the wheel, which becomes the program."""

import os
import sys


def main():
    from tollgate import PROGRAM, environment

    try:
        os.execve(PROGRAM, ["tollgate", *sys.argv[1:]], environment())
    except OSError as error:
        sys.exit(f"tollgate: {PROGRAM}: {error.strerror}")
