"""Remove files that the project does not need, and archive the others as the base for merges by `hermes-sdk update`."""

import os
import shutil
import zipfile
from pathlib import Path

BASE = ".hermes-sdk.base.zip"


def finish(directory):
    remove_caches(Path(directory))
    prune(directory)
    record(Path(directory))


def remove_caches(project):
    # cookiecutter copies all files of a template, even bytecode, which Python and installers write next to modules.
    for cache in list(project.rglob("__pycache__")):
        shutil.rmtree(cache)
    for file in list(project.rglob("*.py[co]")):
        file.unlink()


def prune(directory):
    # cookiecutter creates all directories, even those whose files it omits because their names are empty.
    for place, _, _ in os.walk(directory, topdown=False):
        if not os.listdir(place):
            os.rmdir(place)


def record(project):
    # Equal files must give equal archives, so omit times, and permissions of other users.
    files = sorted(path for path in project.rglob("*") if path.is_file())
    with zipfile.ZipFile(project / BASE, "w") as archive:
        for path in files:
            entry = zipfile.ZipInfo(path.relative_to(project).as_posix())
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path.stat().st_mode & 0o100 else 0o100644) << 16
            archive.writestr(entry, path.read_bytes())


if __name__ == "__main__":
    finish(".")
