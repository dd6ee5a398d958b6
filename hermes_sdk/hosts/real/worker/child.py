"""Turns a fork of the server into the process of one host, and answers its requests."""

from __future__ import annotations

import json
import os
import site
import socket
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

from ...in_worker.network_guard import LoopbackOnly
from ...in_worker.recording import Recording
from ...processes.forks import enter_environment
from ...processes.isolation import enter
from . import module_code
from .json_values import as_json, encode
from .session import Session, UsageProblem
from .time_limit import call_when_late, current_line


def run(channel: socket.socket, output: int, config: dict[str, Any], guard: LoopbackOnly) -> None:
    """Be a host until the other side closes the channel.

    Args:
        channel: Carries requests and answers, one JSON object a line.
        output: The descriptor that receives standard output and standard error.
        config: ``home``, ``cwd``, ``environment``, ``path`` (directories to append to ``sys.path``), ``record``
            (whether to keep what callbacks see), ``isolated`` (null, or the arguments of `isolation.enter`).
        guard: Keeps sockets on this machine, until requests of plugins are to be sent and recorded.
    """
    server_folder = Path.cwd()
    become(config)
    # Before there is another thread, which would stay outside.
    layers = enter(*isolated) if (isolated := config["isolated"]) else ()
    os.dup2(output, 1)
    os.dup2(output, 2)
    answers = _Answers(channel)
    session = Session(Path(config["home"]), Path(config["cwd"]), answers.begin, layers, guard, record=config["record"])
    with channel.makefile("rb") as lines:
        for line in lines:
            request = json.loads(line)
            answers.doing = request["doing"]
            # Recorded, to know which callback runs when the time is over.
            with (
                call_when_late(request["time_limit"], lambda: answers.late(session.recording)),
                session.recording.section(),
            ):
                answer = _answer(session, request["method"], request["arguments"])
            if request["method"] == "finish":
                module_code.list_new(server_folder)
            answers.send(answer)


class _Answers:
    """Messages to the other side: notes of what is running, and the answers. Threads may share it."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self.doing = ""

    def begin(self, doing: str) -> None:
        """Note what is going to run, so that a crash can be attributed."""
        self.doing = doing
        self.send({"doing": doing})

    def late(self, recording: Recording) -> None:
        """Report what runs although its time is over."""
        self.send({"late": recording.stuck() or f"{self.doing}{current_line()}"})

    def send(self, message: dict[str, Any]) -> None:
        with self._lock:
            self._channel.sendall(encode(message))


def become(config: dict[str, Any]) -> None:
    """Take on the environment, directory and search path of one host."""
    enter_environment(config["environment"], config["cwd"])
    site.USER_BASE = site.USER_SITE = None
    site.getusersitepackages()
    if "rich" in sys.modules:
        vars(sys.modules["rich"])["_IMPORT_CWD"] = config["cwd"]
    # At the end, as for installed packages: a project's own `tools` or `utils` must not hide the host's.
    sys.path.extend(config["path"])


def _answer(session: Session, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"value": as_json(getattr(session, method)(**arguments))}
    except UsageProblem as problem:
        return {"usage": str(problem)}
    except SystemExit as stop:
        return {"exit": as_json(stop.code)}
    except BaseException as error:
        return {"error": "".join(traceback.format_exception_only(error)).strip(), "traceback": traceback.format_exc()}
