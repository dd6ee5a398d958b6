"""Child process of an inspection: open an embedded host on one home, and report what the plugin registered."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from hermes_sdk import contract
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.home import Home
from hermes_sdk.hosts.dependencies import find_hidden, read_installed
from hermes_sdk.hosts.embedded.host import EmbeddedHost
from hermes_sdk.hosts.in_worker.network_guard import LoopbackOnly
from hermes_sdk.hosts.in_worker.registration_calls import Inspector
from hermes_sdk.hosts.inspection.plugin_reports import describe_failure, report_plugin
from hermes_sdk.hosts.interface import HostExited, NotSupported
from hermes_sdk.hosts.processes import fork_server, process
from hermes_sdk.hosts.processes.isolation.readable import find_readable
from hermes_sdk.manifest import EntryPoint


def main() -> None:
    """Answer requests, each in a fork of this process."""
    # Import PyYAML now: a host that hides it from plugins would import a second copy, which plugins could find.
    import_module("hermes_sdk.home.edit")
    read_installed()
    fork_server.serve(_answer_one, open_once)


def open_once() -> None:
    """Open a host on a plugin of ours, so that forks share the modules and caches that every host needs."""
    import_module("tomllib")
    find_readable([])
    # If there is no space for the home, the forks are only slower.
    with contextlib.suppress(OSError), Home.temporary() as home:
        (plugin := home.path / "plugins" / "first").mkdir(parents=True)
        (plugin / "plugin.yaml").write_text("name: first\n", encoding="utf-8")
        (plugin / "__init__.py").write_text("def register(ctx): pass\n", encoding="utf-8")
        home.update_config({"plugins": {"enabled": ["first"]}})
        request = {"home": home.path, "release": contract.DEFAULT, "requirements": [], "own": {}}
        open_embedded({**request, "pythonpath": [], "entry_points": []}, Inspector()).close()


def _answer_one() -> None:
    """Answer one request, and exit without waiting for threads and exit handlers of the plugin."""
    process.serve(answer)
    os._exit(0)


def answer(request: Any) -> Any:
    """Open a host for a request, and return the result; the process cannot be reused afterwards."""
    # The modules of an entry point's plugin are not copied, so no bytecode may be written to their directories.
    sys.dont_write_bytecode = True
    inspector = Inspector()
    try:
        with LoopbackOnly(), open_embedded(request, inspector) as host:
            report = report_plugin(host, request["key"])
            failure = describe_failure(host, report)
    except HostExited as error:
        return {"exited": json.loads(json.dumps(error.status, default=repr))}
    except NotSupported as error:
        return {"refused": error.action, "fix": error.fix}
    except BaseException as error:
        return {"failed": _describe_exception(error, request["key"])}
    registrations = inspector.registrations(host.home)
    return {"report": report, "registrations": registrations, "failure": failure}


def _describe_exception(error: BaseException, key: str) -> str:
    """Describe the exception that ended the host; in this process, even a KeyboardInterrupt comes from the plugin."""
    summary = "".join(traceback.format_exception_only(error)).strip()
    message = error.message if isinstance(error, HermesSdkError) else f"plugin '{key}': the host failed with {summary}"
    return f"{message}\n{''.join(traceback.format_exception(error.__cause__ or error))}".rstrip()


def open_embedded(
    request: Any, inspector: Inspector, *, record: bool = False, environment: Mapping[str, str] | None = None
) -> EmbeddedHost:
    """Open a host that records registrations, and in which plugins can import only what their users have."""
    entry_points = [EntryPoint(*pair) for pair in request["entry_points"]]
    pythonpath = [Path(entry) for entry in request["pythonpath"]]
    _hide_editable_installs(pythonpath)
    return EmbeddedHost(
        Home(Path(request["home"])),
        request["release"],
        pythonpath=pythonpath,
        entry_points=entry_points,
        environment=environment,
        hidden=find_hidden(contract.load(request["release"]), request["requirements"], entry_points),
        own_packages={name: Path(place) for name, place in request["own"].items()},
        observe=inspector.note,
        record=record,
    )


def _hide_editable_installs(pythonpath: Sequence[Path]) -> None:
    """Make Python import packages through their links in the home, so that reports name files of the plugin.

    Also hides the project of which the plugin is a copy, as in a trial of repairs.
    """
    links = [path for folder in pythonpath for path in folder.iterdir() if path.is_symlink()]
    sources = {str(link.resolve().parent) for link in links}
    names = {link.name for link in links}

    def is_hidden(entry: str) -> bool:
        folder = Path(entry)
        is_project = any((one / "pyproject.toml").is_file() for one in (folder, folder.parent))
        return os.path.realpath(entry) in sources or (is_project and any((folder / name).exists() for name in names))

    sys.path[:] = [entry for entry in sys.path if not is_hidden(entry)]
