"""Stand-ins for Hermes' packages in Python processes that a plugin starts.

An import fails and is recorded; the metadata of the distribution ``hermes-agent`` is available.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import tempfile
import zipfile

from hermes_sdk.contract import Contract
from hermes_sdk.links import NEW_FILE

HOST = "hermes-agent"
"""The name of Hermes' distribution."""

_MODULE = """\
import os

def refuse():
    package = {name!r}
    with open(os.path.dirname(__file__), "a") as archive:
        archive.write(package + "\\n")
    text = "{name} of Hermes Agent {release} is not modelled by the embedded host in processes that a plugin starts"
    raise ImportError(text, name=package)

refuse()
"""


class ChildPackages:
    """Stand-ins for Hermes' packages on the PYTHONPATH of child processes, while a host is open.

    They are in an archive, to which a child process appends the names of packages that it fails to import. Python
    ignores data after the end of an archive.
    """

    def __init__(self, contract: Contract) -> None:
        self._archive = _make_archive(contract)
        self._file: str | None = None
        self._imported: list[str] = []

    def install(self) -> None:
        """Write the archive, and put it last on the PYTHONPATH of this process."""
        folder = _find_folder(os.environ.get("TMPDIR"), tempfile.tempdir)
        self._file = f"{folder}/hermes-sdk-host-{os.urandom(8).hex()}.zip"
        with os.fdopen(os.open(self._file, NEW_FILE, 0o600), "wb") as file:
            file.write(self._archive)
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), self._file]))

    def list_failed_imports(self) -> list[str]:
        """Return the packages that child processes failed to import, in order."""
        # A plugin may have removed the archive.
        with contextlib.suppress(OSError):
            if self._file is not None:
                with open(self._file, "rb") as file:  # noqa: PTH123
                    file.seek(len(self._archive))
                    self._imported = file.read().decode().split()
        return self._imported

    def remove(self) -> None:
        """Remove the archive; the environment is restored with the rest of the process."""
        self.list_failed_imports()
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._file)  # noqa: PTH108
            self._file = None


def format_metadata(contract: Contract) -> str:
    """Return the ``METADATA`` file of a release's distribution."""
    python = contract.section("requires_python")
    return f"Metadata-Version: 2.1\nName: {HOST}\nVersion: {contract.release}\nRequires-Python: {python}\n"


@functools.cache
def _find_folder(_named: str | None, _set: str | None) -> str:
    """Return the directory for temporary files; cached here, since each host resets the cache of `tempfile`."""
    return tempfile.gettempdir()


@functools.cache
def _make_archive(contract: Contract) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in sorted(contract.host_packages):
            archive.writestr(f"{name}.py", _MODULE.format(name=name, release=contract.release))
        archive.writestr(f"hermes_agent-{contract.release}.dist-info/METADATA", format_metadata(contract))
    return data.getvalue()
