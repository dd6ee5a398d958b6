"""What the embedded host does not do for backends of plugins: ask services of the internet, or treat speech."""

from __future__ import annotations

import pytest

from hermes_sdk.home import Home
from hermes_sdk.hosts.interface import NotSupported

SEARCHES = """
from agent.web_search_provider import WebSearchProvider
class Mine(WebSearchProvider):
    name = display_name = "mine"
    def is_available(self): return True
    def supports_extract(self): return True
    def search(self, query, limit=5): return {"success": False, "error": "too busy"}
    def extract(self, urls, **kwargs): raise OSError("no line")
def register(ctx): ctx.register_web_search_provider(Mine())
"""
SPEAKS = """
from pathlib import Path
from agent.tts_provider import TTSProvider
class Mine(TTSProvider):
    name = "mine"
    def is_available(self): return True
    def synthesize(self, text, output_path, **kwargs): Path(output_path).write_bytes(b"ID3")
def register(ctx): ctx.register_tts_provider(Mine())
"""
CALLS = {"web_search": ({"query": "tea"}, "too busy"), "web_extract": ({"urls": ["http://93.184.216.34/"]}, "no line")}


@pytest.mark.parametrize("tool", CALLS)
def test_services_that_replace_a_failing_backend_are_not_asked(tool: str, start) -> None:
    args, problem = CALLS[tool]
    host = start(SEARCHES, release="0.22.2")
    with pytest.raises(NotSupported, match=rf"free public services .*\({problem}\)") as refused:
        host.call_tool(tool, args)
    assert "web.keyless_rescue to false" in str(refused.value.fix)


@pytest.mark.parametrize("tool", CALLS)
@pytest.mark.parametrize(
    ("release", "switch"), [("0.20.2", ""), ("0.22.2", "keyless_rescue"), ("0.22.2", "keyless_fallback")]
)
def test_without_such_services_the_model_gets_the_error_of_the_backend(
    tool: str, release: str, switch: str, start
) -> None:
    args, problem = CALLS[tool]
    host = start(SEARCHES, release=release)
    Home(host.home).update_config({"web": {"backend": "mine", **({switch: False} if switch else {})}})
    assert problem in host.call_tool(tool, args).text


def test_what_nous_portal_manages_is_not_asked(start) -> None:
    host = start(SEARCHES, release="0.22.2")
    Home(host.home).update_config({"web": {"search_backend": "nous"}})
    with pytest.raises(NotSupported, match="Nous Portal"):
        host.call_tool("web_search", query="tea")


@pytest.mark.parametrize("text", ["5 km", "a *b*", "see https://example.org", "one\ntwo"])
def test_a_text_with_more_than_words_is_not_prepared_for_speech(text: str, start) -> None:
    host = start(SPEAKS, release="0.20.2")
    Home(host.home).update_config({"tts": {"provider": "mine"}})
    with pytest.raises(NotSupported, match="digits and symbols"):
        host.call_tool("text_to_speech", text=text)
    assert host.call_tool("text_to_speech", text=" Well, it's good. ").json["chunk_count"] == 1
