"""Remove the directories that no file was made in, and keep the rest as it was made, for `hermes-sdk update`."""

import os
import zipfile
from pathlib import Path

BASE = ".hermes-sdk.base.zip"


def finish(directory):
    prune(directory)
    record(Path(directory))


def prune(directory):
    # cookiecutter makes all directories, and leaves out files without a name.
    for place, _, _ in os.walk(directory, topdown=False):
        if not os.listdir(place):
            os.rmdir(place)


def record(project):
    # The same files make the same bytes: neither times nor the rights of others are in them.
    files = sorted(path for path in project.rglob("*") if path.is_file())
    with zipfile.ZipFile(project / BASE, "w") as archive:
        for path in files:
            entry = zipfile.ZipInfo(path.relative_to(project).as_posix())
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path.stat().st_mode & 0o100 else 0o100644) << 16
            archive.writestr(entry, path.read_bytes())


if __name__ == "__main__":
    finish(".")
