"""Cases of G16 to G19: which backend the configuration chooses, what it is asked, and when its tool is offered."""

from conformance.case import case

from hermes_sdk.llm import call

DRAWING = """
    from agent.image_gen_provider import ImageGenProvider
    SAID = {}
    class Draws(ImageGenProvider):
        def __init__(self, name, available=True): self.called, self.available = name, available
        @property
        def name(self): return self.called
        def is_available(self):
            if self.available is None: raise RuntimeError("no idea")
            return self.available
        def generate(self, prompt, aspect_ratio="landscape", **kwargs):
            if prompt == "raise": raise RuntimeError("out of paint")
            if prompt == "mistake": raise TypeError("what is that")
            if prompt == "text": return "a picture"
            if prompt == "error": return {"success": False, "image": None, "error": "too dark", "error_type": "refused"}
            if prompt == "odd": return {"success": True, "image": {1}}
            return {"success": True, "image": f"/tmp/{self.name}.png", "asked": [prompt, aspect_ratio, kwargs]}
"""
TWO = (
    DRAWING
    + """
    def register(ctx):
        for one in ("mine", "other"): ctx.register_image_gen_provider(Draws(one))
"""
)
ONE = (
    DRAWING
    + """
    def register(ctx): ctx.register_image_gen_provider(Draws("mine"))
"""
)
ABSENT = (
    DRAWING
    + """
    def register(ctx): ctx.register_image_gen_provider(Draws("mine", available=False))
"""
)
MINE = {"image_gen": {"provider": "mine"}}
TOOLS = ("tools.image_generation_tool", "tools.web_tools")


def drawn(host, *prompts, **more):
    answers = [host.call_tool("image_generate", prompt=prompt, **more).text for prompt in prompts]
    return answers, warned(host)


def warned(host):
    """What the tools told the log; their other modules say there what they lack."""
    return [f"{one.level} {one.message}" for one in host.log if one.logger in TOOLS and one.level != "DEBUG"]


@case("G17", one=TWO, config={"image_gen": {"provider": " other "}})
def the_image_backend_that_is_configured_is_asked(host):
    return drawn(host, "a cat")


@case("G17", one=ONE)
def the_only_image_backend_is_not_asked_unless_it_is_configured(host):
    return drawn(host, "a cat")


@case("G17", one=ONE, config={"image_gen": {"provider": "absent"}})
def an_image_backend_that_nobody_registered_is_an_error(host):
    return drawn(host, "a cat", "another")


@case("G17", one=ABSENT, config=MINE)
def an_image_backend_that_is_not_available_is_asked_all_the_same(host):
    return drawn(host, "a cat")


@case("G18", one=ONE, config={"image_gen": {"provider": "mine", "model": " big "}})
def an_image_backend_gets_the_arguments(host):
    asked = [
        {"prompt": "a cat"},
        {"prompt": "a cat", "aspect_ratio": "wide"},
        {"prompt": "a cat", "aspect_ratio": "square", "seed": 1},
        {"prompt": "a cat", "image_url": " https://example.org/a.png ", "reference_image_urls": [" b.png", "", 3]},
        {"prompt": "a cat", "image_url": "  ", "reference_image_urls": "c.png"},
        {"prompt": "a cat", "reference_image_urls": []},
        {"prompt": ""},
        {"prompt": 7},
        {},
    ]
    return [host.call_tool("image_generate", one).text for one in asked]


@case("G18", one=ONE, config=MINE)
def what_an_image_backend_answers_reaches_the_model(host):
    return drawn(host, "raise", "mistake", "text", "error", "odd")


@case("G18", one=ONE, config=MINE)
def an_image_backend_that_takes_no_images_says_so(host):
    return drawn(host, "mistake", "raise", image_url="https://example.org/a.png")


def offered(host):
    host.llm.script("done")
    host.chat("draw")
    return [name for name in host.llm.requests[0].tools if name in ("image_generate", "web_search", "web_extract")]


TOOLSETS = {"platform_toolsets": {"cli": ["image_gen", "web"]}}


@case("G19", one=ONE, config={**MINE, **TOOLSETS})
def the_tool_for_images_is_offered_with_a_backend(host):
    return offered(host)


@case("G19", one=ONE, config=TOOLSETS)
def a_backend_for_images_that_is_not_configured_is_enough_by_release(host):
    return offered(host)


@case("G19", one=ABSENT, config={**MINE, **TOOLSETS})
def the_tool_for_images_is_not_offered_with_a_backend_that_is_not_available(host):
    return offered(host)


@case("G19", one=ABSENT.replace("False", "None"), config={**MINE, **TOOLSETS})
def a_backend_for_images_that_raises_is_not_available(host):
    return offered(host)


@case("G18", one=ONE, config={**MINE, **TOOLSETS})
def an_image_is_drawn_in_a_turn(host):
    host.llm.script(call("image_generate", prompt="a cat", aspect_ratio="square"), call("image_generate"), "done")
    return [one.result.text for one in host.chat("draw").tool_calls]
