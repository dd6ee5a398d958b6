"""What the conformance cases of ``ctx.llm`` do not reach: promises of documents, and scripts as authors see them."""

from __future__ import annotations

from pathlib import Path

from hermes_sdk.home import Home
from hermes_sdk.llm import fail, say

ASKS = """
    import asyncio
    def register(ctx):
        def ask(line): return repr(eval(line, {"llm": ctx.llm, "asyncio": asyncio}))
        ctx.register_command("ask", ask)
"""
HELLO = "[{'role': 'user', 'content': 'hello'}]"


def allow(host, **settings) -> None:
    Home(host.home).update_config({"plugins": {"entries": {"p": {"llm": settings}}}})


def test_a_test_sees_what_a_plugin_asked_and_answers_from_it(start) -> None:
    host = start(ASKS)
    host.llm.aux.script(lambda request: request.user_text.upper())
    assert "text='HELLO'" in host.command(f"/ask llm.complete({HELLO})")
    assert [request.user_text for request in host.llm.aux.requests] == ["hello"]
    assert host.llm.problems() == []


def test_a_script_that_runs_out_is_told(start) -> None:
    host = start(ASKS)
    assert host.llm.aux.remaining == 0
    host.command(f"/ask llm.complete({HELLO})")
    assert "The aux script has no answer for request 1" in host.llm.problems()[0]


def test_two_plugins_have_an_object_each(start) -> None:
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


def test_a_plugin_that_imports_openai_catches_its_own_exceptions(start, tmp_path: Path) -> None:
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


def test_documents_promise_flags_that_are_booleans_and_names_that_are_exact(start) -> None:
    host = start(ASKS, release="documented")
    host.llm.aux.script("one")
    allow(host, allow_model_override="true")
    assert "cannot override the model" in host.command(f"/ask llm.complete({HELLO}, model='m')")
    allow(host, allow_model_override=True, allowed_models=["m"])
    assert "is not in plugins.entries.p.llm.allowed_models" in host.command(f"/ask llm.complete({HELLO}, model='M')")
    assert "text='one'" in host.command(f"/ask llm.complete({HELLO}, model='m')")


def test_documents_promise_that_max_tokens_is_sent_and_the_cost_told(start) -> None:
    host = start(ASKS, release="documented")
    host.llm.aux.script(say("one", usage={"prompt_tokens": 1, "completion_tokens": 1, "cost": 2}))
    assert host.command(f"/ask llm.complete({HELLO}, max_tokens=50).usage.cost_usd") == "2"
    assert host.llm.aux.requests[0].body["max_tokens"] == 50


def test_documents_promise_a_line_in_the_log_for_every_call(start) -> None:
    host = start(ASKS, release="documented")
    host.llm.aux.script("one")
    host.command(f"/ask asyncio.run(llm.acomplete({HELLO}, purpose='x'))")
    assert [one.message for one in host.log if one.logger == "agent.plugin_llm"] == [
        "plugin_llm.complete plugin=p provider=custom model=stub-model purpose=x tokens=110"
    ]


def test_documents_promise_the_model_of_another_agent_which_is_not_modelled(start) -> None:
    grants = {"allow_agent_id_override": True, "allow_profile_override": True}
    for choice in ("agent_id='a'", "profile='work'"):
        host = start(ASKS, release="documented")
        allow(host, **grants)
        host.command(f"/ask llm.complete({HELLO}, {choice})")
        (refused,) = host.swallowed
        assert refused.matches("NotSupported: The embedded host does not use the model and the credentials of another")
    host = start(ASKS)
    allow(host, **grants)
    host.llm.aux.script("one")
    assert "agent_id='a'" in host.command(f"/ask llm.complete({HELLO}, agent_id='a')")
