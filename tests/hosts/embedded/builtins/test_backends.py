"""Backends of plugins: the embedded host does not use internet services, and does not process speech."""

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
def test_fallback_services_of_failed_backend_are_not_supported(tool: str, start) -> None:
    args, problem = CALLS[tool]
    host = start(SEARCHES, release="0.22.2")
    with pytest.raises(NotSupported, match=rf"free public services .*\({problem}\)") as refused:
        host.call_tool(tool, args)
    assert "web.keyless_rescue to false" in str(refused.value.fix)


@pytest.mark.parametrize("tool", CALLS)
@pytest.mark.parametrize(
    ("release", "switch"), [("0.20.2", ""), ("0.22.2", "keyless_rescue"), ("0.22.2", "keyless_fallback")]
)
def test_model_receives_error_of_backend_without_fallback(tool: str, release: str, switch: str, start) -> None:
    args, problem = CALLS[tool]
    host = start(SEARCHES, release=release)
    Home(host.home).update_config({"web": {"backend": "mine", **({switch: False} if switch else {})}})
    assert problem in host.call_tool(tool, args).text


def test_tools_managed_by_nous_portal_are_not_supported(start) -> None:
    host = start(SEARCHES, release="0.22.2")
    Home(host.home).update_config({"web": {"search_backend": "nous"}})
    with pytest.raises(NotSupported, match="Nous Portal"):
        host.call_tool("web_search", query="tea")


@pytest.mark.parametrize("text", ["5 km", "a *b*", "see https://example.org", "one\ntwo"])
def test_text_with_markup_is_not_supported_for_speech(text: str, start) -> None:
    host = start(SPEAKS, release="0.20.2")
    Home(host.home).update_config({"tts": {"provider": "mine"}})
    with pytest.raises(NotSupported, match="digits and symbols"):
        host.call_tool("text_to_speech", text=text)
    assert host.call_tool("text_to_speech", text=" Well, it's good. ").json["chunk_count"] == 1
