"""A disk that is full at random points: a tmpfs of a random size in a mount namespace of its own.

Run by faults.py as `unshare --mount python3 disk.py`; prints its rows as JSON.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

from harness import Harness, Row

FULL = "disk is full: "


def mount(folder, size, remount=False):
    options = f"size={size}" + (",remount" if remount else "")
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)


def strike(harness, row, disk, command, size):
    """Runs a command on a disk that is too small; it says so, and the status is 1."""
    mount(disk, max(4096, int(size)), remount=True)
    done = harness.run(*command)
    row.tried += 1
    if done.returncode == 0:
        row.note("had room enough")
        return
    row.struck += 1
    if done.returncode == 1 and FULL in done.stderr:
        row.note("said so, status 1")
    else:
        row.note(f"status {done.returncode}")
        row.wrong.append(f"size {size}: status {done.returncode}: {done.stderr.strip()}")


def used(disk):
    state = os.statvfs(disk)
    return (state.f_blocks - state.f_bfree) * state.f_frsize


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--points", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tollgate-disk-") as folder:
        harness = Harness(arguments.program, folder, arguments.seed)
        disk = harness.path("disk")
        os.makedirs(disk)
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        mount(disk, "1g")
        data = harness.sample("data", 3000)
        store = os.path.join(disk, "store.db")
        harness.must(*harness.ingest(store, data))
        expected = harness.content(store)
        size = used(disk)
        base = harness.copy(store, harness.path("base.db"))
        rows = []
        share = max(1, arguments.points // 3)

        def room():
            mount(disk, "1g", remount=True)

        row = Row("disk full in `ingest`")
        for number in range(arguments.points - 2 * share):
            room()
            harness.remove_store(store)
            strike(harness, row, disk, harness.ingest(store, data), harness.random.uniform(0.01, 1.1) * size)
            left = [name for name in os.listdir(disk) if ".part-" in name]
            if left:
                row.wrong.append(f"left behind: {left}")
            room()
            harness.must(*harness.ingest(store, data))
            if harness.content(store) != expected:
                row.wrong.append("the same command again gives another store")
        rows.append(row)

        row = Row("disk full in `vacuum`")
        for number in range(share):
            room()
            harness.copy(base, store)
            command = ["vacuum", "--store", store, "--quiet"]
            bytes_used = used(disk)
            environment = {**os.environ, "SQLITE_TMPDIR": disk, "TMPDIR": disk}
            mount(disk, int(bytes_used * harness.random.uniform(1.0, 2.6)), remount=True)
            done = harness.run(*command, env=environment)
            row.tried += 1
            if done.returncode == 0:
                row.note("had room enough")
            else:
                row.struck += 1
                row.note("said so, status 1" if done.returncode == 1 and FULL in done.stderr else f"status {done.returncode}")
                if done.returncode != 1 or FULL not in done.stderr:
                    row.wrong.append(f"status {done.returncode}: {done.stderr.strip()}")
            room()
            if harness.content(store) != expected:
                row.wrong.append("the store has changed")
        rows.append(row)

        row = Row("disk full in `backup`")
        copy = os.path.join(disk, "copy.db")
        for number in range(share):
            room()
            harness.remove_store(store)
            harness.remove_store(copy)
            strike(harness, row, disk, ["backup", "--store", base, "--quiet", copy],
                   harness.random.uniform(0.01, 1.5) * os.path.getsize(base))
            # All of it or nothing: the copy with its seal.
            if sorted(os.listdir(disk)) not in ([], ["copy.db", "copy.db.seal"]):
                row.wrong.append(f"left behind: {os.listdir(disk)}")
            room()
            harness.must("backup", "--store", base, "--quiet", copy)
            if harness.content(copy) != expected:
                row.wrong.append("the copy is another store")
        rows.append(row)
        row = Row("disk full while sealing")
        harness.remove(copy)
        harness.remove(copy + ".seal")
        nights = harness.path("nights.yaml")
        with open(nights, "w", encoding="utf-8") as file:
            file.write(f"store: {store}\nrecords: {harness.path('nights')}\nsources: [{{files: 'data/*'}}]\n")
        room()
        harness.remove_store(store)
        harness.run("nightly", "--config", nights, "--quiet")
        harness.copy(store, base)
        for number in range(max(share, 4)):
            room()
            harness.copy(base, store)
            harness.remove(store + ".seal")
            for command in (["doctor", "--seal", "--store", store], ["nightly", "--config", nights, "--quiet"]):
                # Some pages more than there are: SQLite's log and its index want them first.
                mount(disk, used(disk) + 4096 * harness.random.randrange(0, 24), remount=True)
                done = harness.run(*command)
                row.tried += 1
                if os.path.exists(store + ".seal"):
                    row.note("had room enough")
                    harness.remove(store + ".seal")
                else:
                    row.struck += 1
                    row.note(f"said so, status {done.returncode}")
                    if done.returncode == 0 or FULL not in done.stderr + done.stdout:
                        row.wrong.append(f"{command[0]}: {done.returncode}: {done.stderr.strip()}{done.stdout.strip()}")
                left = [name for name in os.listdir(disk) if ".part-" in name]
                if left:
                    row.wrong.append(f"left behind: {left}")
            room()
            harness.must("doctor", "--store", store)
            if harness.content(store) != expected:
                row.wrong.append("the store has changed")
        rows.append(row)
        room()
        subprocess.run(["umount", disk], check=True)
        json.dump([vars(row) for row in rows], sys.stdout)


if __name__ == "__main__":
    main()
