"""What documents promise of ``image_generate``."""

from __future__ import annotations

import json

DRAWS = """
from agent.image_gen_provider import ImageGenProvider
class Provider(ImageGenProvider):
    name = "{name}"
    def is_available(self): return {available}
    def generate(self, prompt, aspect_ratio="landscape", **kwargs): return {{"success": True, "image": self.name}}
def register(ctx): ctx.register_image_gen_provider(Provider())
"""


def test_documents_promise_that_an_available_backend_draws_without_being_configured(start) -> None:
    files = {"../q/plugin.yaml": "name: q\n", "../q/__init__.py": DRAWS.format(name="there", available=True)}
    for release, drawn in (("documented", "there"), ("0.19.0", None)):
        host = start(DRAWS.format(name="away", available=False), files=files, enable=["q"], release=release)
        answer = json.loads(host.call_tool("image_generate", prompt="a house").text)
        assert answer["image"] == drawn
