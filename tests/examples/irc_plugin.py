"""The example platform for IRC: a project of the template ``platform``."""

import atexit
import functools
import shutil
import tempfile
from pathlib import Path

from hermes_sdk.scaffold.new import new


@functools.cache
def plain_irc() -> Path:
    """Return the plugin's directory, which lasts as long as this process."""
    folder = Path(tempfile.mkdtemp(prefix="hermes-sdk-examples-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    project = new("platform", folder / "projects", name="Plain IRC")
    return Path(shutil.move(project / "plain_irc", folder))
