#!/usr/bin/env python3
"""Gives a wheel the platform tag that auditwheel finds: tag_wheel.py WHEEL FOLDER, which gets the copy."""

import pathlib
import re
import shutil
import subprocess
import sys


def run(*command):
    return subprocess.run([sys.executable, "-m", *map(str, command)], capture_output=True, text=True,
                          check=True).stdout


def main():
    wheel, folder = map(pathlib.Path, sys.argv[1:])
    found = re.search(r'platform tag:\s*"(\w+)"', run("auditwheel", "show", wheel))
    if found is None:
        sys.exit(f"tag_wheel: auditwheel finds no platform tag for {wheel.name}")
    folder.mkdir(parents=True, exist_ok=True)
    copy = shutil.copy(wheel, folder)
    tagged = run("wheel", "tags", "--remove", "--platform-tag", found[1], copy).split()[-1]
    print(folder / tagged)


if __name__ == "__main__":
    main()
