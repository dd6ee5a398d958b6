"""Misbehaving plugins: both hosts report the same errors, and the state of this process is restored."""

from __future__ import annotations

import asyncio
import builtins
import json
import locale
import logging
import logging.config
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from conformance.case import Case, plugin, run

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.inspection import show
from hermes_sdk.hosts.interface import Host, HostExited, HostKind

RELEASE = "0.19.0"

# Changes of a plugin to the process -> code, and the key in `process`, if it is not `patched`.
SPOILS = {
    "a builtin": "import builtins; builtins.print = lambda *_: None",
    "a class of the standard library": "import socket; socket.socket.connect = None; socket.socket.extra = 1",
    "a function of the standard library": "import json, time; json.dump = time.sleep = None; del json.load",
    "a hook for exceptions": "import sys; sys.excepthook = sys.unraisablehook = print",
    "a logger that it configures": """
        import logging.config
        logging.config.dictConfig({"version": 1, "root": {"level": "CRITICAL", "handlers": []}})
        logging.getLogger("asyncio").addFilter(lambda record: False)
        logging.getLogger("its own").addHandler(logging.NullHandler())
    """,
    "a recursion limit": "import sys; sys.setrecursionlimit(5000)",
    "a signal handler": "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "a warnings filter": "import warnings; warnings.filterwarnings('ignore', 'spoilt')",
    "an environment variable": "import os; os.environ['SPOILT'] = '1'; del os.environ['PATH']",
    "an event loop policy": """
        import asyncio, warnings
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            asyncio.set_event_loop_policy(asyncio.DefaultEventLoopPolicy())
    """,
    "an import path": "import sys; sys.path.clear()",
    "an import path of its own": "import sys; sys.path = ['/nowhere']",
    "logging that is off": "import logging; logging.disable()",
    "no environment": "import os; os.environ.clear()",
    "no modules": "import sys; del sys.modules['json'], sys.modules['socket']",
    "no standard streams": "import sys; sys.stdin = sys.stdout = sys.stderr = None",
    "the directory": "import os; os.chdir('/')",
    "the directory, which is gone": "import os, tempfile; d = tempfile.mkdtemp(); os.chdir(d); os.rmdir(d)",
    "the locale": """
        import locale
        locale.setlocale(locale.LC_ALL, "C" if locale.setlocale(locale.LC_ALL) != "C" else "C.UTF-8")
    """,
    "the place of temporary files": "import tempfile; tempfile.tempdir = '/nowhere'",
    "the time zone": "import os, time; os.environ['TZ'] = 'Asia/Tokyo'; time.tzset()",
    "the umask": "import os; os.umask(0o777)",
    "warnings that are logged": "import logging; logging.captureWarnings(True)",
}

CHANGED = {
    "a logger that it configures": "loggers",
    "a recursion limit": "recursion limit",
    "a signal handler": "signals",
    "a warnings filter": "filters",
    "an environment variable": "environment",
    "an import path": "path",
    "logging that is off": "disabled",
    "no environment": "environment",
    "no modules": "modules",
    "the directory": "directory",
    "the directory, which is gone": "directory",
    "the locale": "locale",
    "the time zone": "zone",
    "the umask": "umask",
}

# Plugins that fail to load, or load in an unusual way.
FAILS = {
    "raises": "1 / 0",
    "raises in register": "def register(ctx): raise ValueError('no')",
    "raises in register, after a registration": """
        def register(ctx):
            ctx.register_command("c", print)
            raise ValueError("no")
    """,
    "raises at the import of a submodule": "from . import broken",
    "raises no text": "raise ValueError",
    "raises control characters": "raise ValueError('a\\0b\\x1b[31m')",
    "raises what has no text": """
        class Mute(Exception):
            def __str__(self): raise TypeError("no text")
        raise Mute
    """,
    "raises two megabytes": "raise ValueError('x' * 2_000_000)",
    "raises for want of memory": "raise MemoryError",
    "recurses without end": "def again(): again()\nagain()",
    "is no Python": "def (",
    "imports what is not there": "import nothing_like_it",
    "runs an event loop": "import asyncio; asyncio.run(asyncio.sleep(0))",
    "leaves a thread": "import threading; threading.Thread(target=threading.Event().wait, args=[0.1]).start()",
    "leaves an exit handler": "import atexit; atexit.register(int)",
    "names itself otherwise": "__name__ = 'x'; __path__ = []; __spec__ = None",
    "writes beside itself": "import pathlib; pathlib.Path(__file__).with_name('new.py').write_text('x')",
    "writes into the home": "import os, pathlib; pathlib.Path(os.environ['HERMES_HOME'], 'new').write_text('x')",
    "switches itself off": """
        import os, pathlib
        pathlib.Path(os.environ["HERMES_HOME"], "config.yaml").write_text("plugins: {enabled: []}")
    """,
}

# Statements that end the host, and the resulting exceptions.
ENDS = {
    "exits": ("import sys; sys.exit(3)", HostExited),
    "exits in register": ("def register(ctx): raise SystemExit(2)", HostExited),
    "exits with a text": ("import sys; sys.exit('bye')", HostExited),
    "exits without a status": ("import sys; sys.exit()", HostExited),
    "quits": ("quit()", HostExited),
    "raises what is no Exception": ("class Stop(BaseException): pass\nraise Stop('now')", HermesSdkError),
    "raises GeneratorExit": ("raise GeneratorExit", HermesSdkError),
    "raises a group of both": ("raise BaseExceptionGroup('both', [KeyboardInterrupt(), ValueError()])", HermesSdkError),
}

# Statements that would end or block the tests without a separate process -> the status of the plugin, or the first
# line of the error, which is the same on both hosts.
DEADLY = {
    "interrupts": ("raise KeyboardInterrupt('stop')", "plugin 'p': the host failed with KeyboardInterrupt: stop"),
    "ends the process": ("import os; os._exit(4)", "plugin 'p' ended the host with exit status 4."),
    "ends the process well": ("import os; os._exit(0)", "plugin 'p' ended the host with exit status 0."),
    "kills the process": (
        "import os; os.kill(os.getpid(), 9)",
        "plugin 'p' ended the host with signal 9.",
    ),
    "forks": ("import os; os.fork() or os._exit(0)", "loaded"),
    "raises a text that is no Unicode": ("raise ValueError('\\ud800')", "failed"),
    "reads standard input": ("import sys; sys.stdin.read()", "loaded"),
    "never lets go": (
        """
        import atexit, signal, threading, time
        held = open(__file__)
        atexit.register(time.sleep, 1000)
        threading.Thread(target=time.sleep, args=[1000]).start()
        threading.Thread(target=lambda: 1 / 0).start()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        """,
        "loaded",
    ),
    "prints a lot": (
        "import os, sys; print('x' * 3_000_000); os.write(1, bytes(range(256))); os.write(2, bytes(3_000_000))",
        "loaded",
    ),
    "closes its output": ("import os, sys; sys.stdout.close(); sys.stderr.close(); os.close(1); os.close(2)", "loaded"),
}


def body(statements: str) -> str:
    """Return plugin code that runs these statements in an otherwise empty ``register``."""
    text = dedent(statements)
    return text if "def register" in text else f"{text}\ndef register(ctx): pass\n"


def fault(name: str, statements: str, ends: type[HermesSdkError] | None = None) -> Any:
    files = {**plugin(body(statements), name="p"), "broken.py": "1 / 0\n"}
    texts = {f"plugins/p/{file}": text for file, text in files.items()}
    one = Case("fault", name, texts, {"plugins": {"enabled": ["p"]}}, {}, lambda host: None, ends=ends)
    return pytest.param(one, id=name)


SPOILING = [fault(name, statements) for name, statements in SPOILS.items()]
FAILING = [
    *(fault(name, statements) for name, statements in FAILS.items()),
    *(fault(name, statements, ends) for name, (statements, ends) in ENDS.items()),
]


def process() -> dict[str, Any]:
    """Return the state of this process that a host promises to restore."""
    patched = (
        asyncio.events,
        builtins,
        json,
        logging,
        socket,
        socket.socket,
        subprocess,
        sys,
        tempfile,
        time,
        warnings,
    )
    loggers = [logging.getLogger(name) for name in ("root", "asyncio", "hermes_sdk", "its own")]
    umask = os.umask(0o022)
    os.umask(umask)
    return {
        "directory": directory(),
        "disabled": logging.root.manager.disable,
        "environment": dict(os.environ),
        "filters": warnings.filters[:],
        "finders": sys.meta_path[:],
        "locale": locale.setlocale(locale.LC_ALL),
        "loggers": [(one.handlers[:], one.filters[:], one.level, one.disabled, one.propagate) for one in loggers],
        "modules": {name: id(sys.modules.get(name)) for name in MODULES},
        "patched": {owner.__name__: dict(vars(owner)) for owner in patched},
        "path": sys.path[:],
        "plugins": sorted(name for name in sys.modules if name.startswith("hermes_plugins")),
        "recursion limit": sys.getrecursionlimit(),
        "signals": {number: signal.getsignal(number) for number in signal.valid_signals()},
        "umask": umask,
        "zone": time.localtime(0).tm_gmtoff,
    }


def directory() -> str | None:
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return None


MODULES = frozenset(sys.modules)


@pytest.fixture(autouse=True, scope="module")
def _warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Import the modules that every host needs and that stay loaded after it is closed."""
    (polite,) = fault("polite", "").values
    run(polite, "embedded", RELEASE, tmp_path_factory.mktemp("warm"))


@pytest.mark.parametrize("one", [*SPOILING, *FAILING])
def test_host_restores_process(one: Case, tmp_path: Path) -> None:
    before = process()
    with suppress(*filter(None, [one.ends])):
        run(one, "embedded", RELEASE, tmp_path)
    assert process() == before


@pytest.mark.parametrize("one", SPOILING)
def test_plugin_changes_process_while_loaded(one: Case, tmp_path: Path) -> None:
    (polite,) = fault("polite", "").values
    states: list[dict[str, Any]] = []
    for number, each in enumerate((polite, one)):
        run(replace(each, act=lambda _: states.append(process())), "embedded", RELEASE, tmp_path / str(number))
    changed = CHANGED.get(one.name, "patched")
    assert states[0][changed] != states[1][changed]


@pytest.mark.parametrize(
    "name", ["a builtin", "a signal handler", "a warnings filter", "logging that is off", "the locale"]
)
def test_nested_host_does_not_see_changes(name: str, tmp_path: Path) -> None:
    (outer,), (inner,) = fault(name, SPOILS[name]).values, fault("polite", "").values
    kept = ("disabled", "filters", "locale", "patched", "signals")
    unspoilt = process()
    seen: list[dict[str, Any]] = []

    def nest(_: Host) -> None:
        spoilt = process()
        run(replace(inner, act=lambda _: seen.append(process())), "embedded", RELEASE, tmp_path / "inner")
        assert process() == spoilt

    run(replace(outer, act=nest), "embedded", RELEASE, tmp_path / "outer")
    assert [{key: one[key] for key in kept} for one in seen] == [{key: unspoilt[key] for key in kept}]


def test_patch_undone_while_host_is_open_stays_undone(tmp_path: Path) -> None:
    original, (polite,) = json.dump, fault("polite", "").values
    patch = pytest.MonkeyPatch()
    patch.setattr(json, "dump", None)
    run(replace(polite, act=lambda _: patch.undo()), "embedded", RELEASE, tmp_path)
    assert json.dump is original


@pytest.mark.real_host
@pytest.mark.parametrize("one", [*SPOILING, *FAILING])
def test_hosts_agree_on_each_fault(one: Case, tmp_path: Path, real_python) -> None:
    real_python(RELEASE)
    embedded, real = (run(one, kind, RELEASE, tmp_path / kind) for kind in KINDS)
    assert embedded == real


KINDS: tuple[HostKind, HostKind] = ("embedded", "real")


@pytest.mark.real_host
@pytest.mark.parametrize("name", DEADLY)
def test_both_hosts_report_statement_that_ends_process(name: str, tmp_path: Path, real_python) -> None:
    real_python(RELEASE)
    statements, told = DEADLY[name]
    folder = tmp_path / "source"
    folder.mkdir()
    for file, text in plugin(body(statements), name="p").items():
        (folder / file).write_text(text)
    embedded, real = (outcome(folder, kind) for kind in KINDS)
    assert embedded == real
    assert told in (embedded, embedded["status"] if isinstance(embedded, dict) else None)


def outcome(folder: Path, kind: HostKind) -> Any:
    """Return the report of a plugin, or the first line of the error."""
    try:
        return {**show(folder, host=kind, release=RELEASE), "host": None}
    except HermesSdkError as error:
        return error.message.splitlines()[0]
