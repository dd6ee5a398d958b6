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
    # cookiecutter copies everything below a template; Python and installers put bytecode beside its modules.
    for cache in list(project.rglob("__pycache__")):
        shutil.rmtree(cache)
    for file in list(project.rglob("*.py[co]")):
        file.unlink()


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
