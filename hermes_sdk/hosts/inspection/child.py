"""The child process of an inspection: it opens an embedded host on one home and reports what the host got."""

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
    # A host that hides PyYAML from plugins would import another copy of it, which they could then find.
    import_module("hermes_sdk.home.edit")
    read_installed()
    fork_server.serve(_answer_one, open_once)


def open_once() -> None:
    """Open a host on a plugin of ours, so that no fork has to read and compute again what every host needs."""
    import_module("tomllib")
    find_readable([])
    # Without it, where there is no place for the home, all of them are only slower.
    with contextlib.suppress(OSError), Home.temporary() as home:
        (plugin := home.path / "plugins" / "first").mkdir(parents=True)
        (plugin / "plugin.yaml").write_text("name: first\n", encoding="utf-8")
        (plugin / "__init__.py").write_text("def register(ctx): pass\n", encoding="utf-8")
        home.update_config({"plugins": {"enabled": ["first"]}})
        request = {"home": home.path, "release": contract.DEFAULT, "requirements": [], "own": {}}
        open_embedded({**request, "pythonpath": [], "entry_points": []}, Inspector()).close()


def _answer_one() -> None:
    """Answer one request, and exit without the threads and exit handlers of the plugin, which may never end."""
    process.serve(answer)
    os._exit(0)


def answer(request: Any) -> Any:
    """Open a host for the request, and return what it got; the process cannot be used afterwards."""
    # The modules of a plugin that is an entry point are not copied, so nothing may be written beside them.
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
        return {"failed": _describe_end(error, request["key"])}
    registrations = inspector.registrations(host.home)
    return {"report": report, "registrations": registrations, "failure": failure}


def _describe_end(error: BaseException, key: str) -> str:
    """Describe what ended the host, and where; here, even an interrupt is the plugin's doing."""
    summary = "".join(traceback.format_exception_only(error)).strip()
    message = error.message if isinstance(error, HermesSdkError) else f"plugin '{key}': the host failed with {summary}"
    return f"{message}\n{''.join(traceback.format_exception(error.__cause__ or error))}".rstrip()


def open_embedded(
    request: Any, inspector: Inspector, *, record: bool = False, environment: Mapping[str, str] | None = None
) -> EmbeddedHost:
    """Open a host that notes the calls of ``ctx``, and in which a plugin finds only what a user of it has."""
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
    """Let Python import packages by their links in the home, by which files of the plugin are known."""
    links = [path for folder in pythonpath for path in folder.iterdir() if path.is_symlink()]
    sources = {str(link.resolve().parent) for link in links}
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry) not in sources]
