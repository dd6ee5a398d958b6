"""``ctx.llm``: documented behaviour and scripts of authors that the conformance cases do not cover."""

from __future__ import annotations

from pathlib import Path

from hermes_sdk.home import Home
from hermes_sdk.llm import fail

ASKS = """
    import asyncio
    def register(ctx):
        def ask(line): return repr(eval(line, {"llm": ctx.llm, "asyncio": asyncio}))
        ctx.register_command("ask", ask)
"""
HELLO = "[{'role': 'user', 'content': 'hello'}]"


def allow(host, **settings) -> None:
    Home(host.home).update_config({"plugins": {"entries": {"p": {"llm": settings}}}})


def test_script_receives_request_of_plugin(start) -> None:
    host = start(ASKS)
    host.llm.aux.script(lambda request: request.user_text.upper())
    assert "text='HELLO'" in host.command(f"/ask llm.complete({HELLO})")
    assert [request.user_text for request in host.llm.aux.requests] == ["hello"]
    assert host.llm.problems() == []


def test_exhausted_script_is_reported(start) -> None:
    host = start(ASKS)
    assert host.llm.aux.remaining == 0
    host.command(f"/ask llm.complete({HELLO})")
    assert "The aux script has no answer for request 1" in host.llm.problems()[0]


def test_each_plugin_has_its_own_llm_object(start) -> None:
    files = {
        "../q/plugin.yaml": "name: q\n",
        "../q/__init__.py": "def register(ctx):\n"
        + " " * 4
        + ("ctx.register_command('other', lambda line: str(ctx.llm.complete([]).audit['plugin_id']))\n"),
    }
    host = start(ASKS, files=files, enable=["q"])
    host.llm.aux.script("one", "two")
    assert host.command("/other") == "q"
    assert "'plugin_id': 'p'" in host.command(f"/ask llm.complete({HELLO}).audit")


OPENAI = """
class APIStatusError(Exception):
    def __init__(self, message, *, response, body):
        super().__init__(message)
        self.response, self.body, self.status_code = response, body, response.status_code
class RateLimitError(APIStatusError): pass
"""
HTTPX = """
class Request:
    def __init__(self, method, url): self.url = url
class Response:
    def __init__(self, status, *, request): self.status_code, self.request = status, request
"""


def test_plugin_can_catch_exceptions_of_openai(start, tmp_path: Path) -> None:
    (tmp_path / "openai.py").write_text(OPENAI)
    (tmp_path / "httpx.py").write_text(HTTPX)
    host = start(
        """
        def register(ctx):
            import openai
            def ask(line):
                try: ctx.llm.complete([])
                except openai.RateLimitError as error: return f"{error.response.status_code} {error.body['message']}"
            ctx.register_command("ask", ask)
        """,
        pythonpath=[tmp_path],
    )
    host.llm.aux.script(fail(429, "slow down"), fail(429, "stop"))
    assert host.command("/ask") == "429 stop"


def test_agent_id_override_is_passed_on_when_allowed(start) -> None:
    host = start(ASKS)
    allow(host, allow_agent_id_override=True)
    host.llm.aux.script("one")
    assert "agent_id='a'" in host.command(f"/ask llm.complete({HELLO}, agent_id='a')")
