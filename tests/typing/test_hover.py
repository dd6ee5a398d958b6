"""Hover texts of editors for members of the context, from pyright's language server."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import pytest

SOURCE = """
from hermes_sdk.api import PluginContext


def register(ctx: PluginContext) -> None:
    ctx.register_hook("pre_llm_call", lambda **kwargs: None)
"""


class Editor:
    """A client of the language server."""

    def __init__(self, reads: IO[bytes], writes: IO[bytes]) -> None:
        self._reads, self._writes = reads, writes

    def tell(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._writes.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._writes.flush()

    def ask(self, method: str, parameters: Mapping[str, Any]) -> Any:
        """Send a request and return its response; until then, answer requests of the server."""
        self.tell(id=method, method=method, params=parameters)
        while (message := self._receive()).get("id") != method:
            if message.get("method") == "workspace/configuration":
                settings = [{"pythonPath": sys.executable} for _ in message["params"]["items"]]
                self.tell(id=message["id"], result=settings)
            elif "id" in message:
                self.tell(id=message["id"], result=None)
        return message["result"]

    def _receive(self) -> Any:
        headers = iter(lambda: self._reads.readline().strip().lower(), b"")
        lengths = [int(line.partition(b":")[2]) for line in headers if line.startswith(b"content-length")]
        return json.loads(self._reads.read(lengths[0]))


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    server = subprocess.Popen(
        [sys.executable, "-c", "from pyright.langserver import entrypoint; entrypoint()", "--stdio"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert server.stdin
    assert server.stdout
    with server:
        client = Editor(server.stdout, server.stdin)
        folder = {"uri": tmp_path.as_uri(), "name": "project"}
        hover = {"contentFormat": ["plaintext"]}
        capabilities = {"workspace": {"configuration": True}, "textDocument": {"hover": hover}}
        client.ask("initialize", {"processId": None, "workspaceFolders": [folder], "capabilities": capabilities})
        client.tell(method="initialized", params={})
        yield client
        server.terminate()


@pytest.mark.slow
def test_hover_on_register_hook_shows_arguments_instead_of_overloads(editor: Editor, tmp_path: Path) -> None:
    document = {"uri": (tmp_path / "plugin.py").as_uri(), "languageId": "python", "version": 1, "text": SOURCE}
    editor.tell(method="textDocument/didOpen", params={"textDocument": document})
    line = next(number for number, text in enumerate(SOURCE.splitlines()) if "register_hook" in text)
    place = {"textDocument": {"uri": document["uri"]}, "position": {"line": line, "character": 10}}
    shown = editor.ask("textDocument/hover", place)["contents"]["value"]
    assert shown.count("HookRegistration") == 1
    assert "Literal" not in shown
    assert "pre_llm_call``: session_id, task_id, turn_id, user_message" in shown
