"""The packages of the host as Python processes that a plugin starts find them: they cannot be imported, and note it."""

from __future__ import annotations

import functools
import io
import os
import shutil
import tempfile
import zipfile
from pathlib import Path

from hermes_sdk.contract import Contract

_NOTES = "imported"

_MODULE = """\
import os

def refuse():
    package = {name!r}
    folder = os.path.dirname(os.path.dirname(__file__))
    with open(os.path.join(folder, {notes!r}), "a") as notes:
        notes.write(package + "\\n")
    text = "{name} of Hermes Agent {release} is not modelled by the embedded host in processes that a plugin starts"
    raise ImportError(text, name=package)

refuse()
"""


class ChildPackages:
    """The stand-ins for the host's packages on the PYTHONPATH of child processes, while a host is open."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._folder: Path | None = None
        self._imported: list[str] = []

    def install(self) -> None:
        """Write the packages, and put them last on the PYTHONPATH of this process."""
        self._folder = Path(tempfile.mkdtemp(prefix="hermes-sdk-packages-"))
        archive = self._folder / "host.zip"
        archive.write_bytes(_archive(self._contract))
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(archive)]))

    def imported(self) -> list[str]:
        """Return the packages that child processes imported in vain, in order."""
        if self._folder is not None and (notes := self._folder / _NOTES).exists():
            return notes.read_text(encoding="utf-8").split()
        return self._imported

    def remove(self) -> None:
        """Remove the packages; the environment is restored with the rest of the process."""
        self._imported = self.imported()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


@functools.cache
def _archive(contract: Contract) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in sorted(contract.host_packages):
            source = _MODULE.format(name=name, notes=_NOTES, release=contract.release)
            archive.writestr(f"{name}.py", source)
    return data.getvalue()
