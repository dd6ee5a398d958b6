"""Cases of G16 to G19: selection of backends, their arguments, and when their tools are offered."""

import re
from pathlib import Path

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
TOOLS = ("tools.image_generation_tool", "tools.video_generation_tool", "tools.web_tools")


def draw(host, *prompts, **more):
    answers = [host.call_tool("image_generate", prompt=prompt, **more).text for prompt in prompts]
    return answers, list_warnings(host)


def list_warnings(host):
    """Return what the tools logged, except at DEBUG, where other modules report missing requirements."""
    return [f"{one.level} {one.message}" for one in host.log if one.logger in TOOLS and one.level != "DEBUG"]


@case("G17", one=TWO, config={"image_gen": {"provider": " other "}})
def the_configured_image_backend_is_used(host):
    return draw(host, "a cat")


@case("G17", one=ONE)
def an_unconfigured_image_backend_is_not_used(host):
    return draw(host, "a cat")


@case("G17", one=ONE, config={"image_gen": {"provider": "absent"}})
def an_unregistered_image_backend_is_an_error(host):
    return draw(host, "a cat", "another")


@case("G17", one=ABSENT, config=MINE)
def an_unavailable_image_backend_is_used_when_configured(host):
    return draw(host, "a cat")


@case("G18", one=ONE, config={"image_gen": {"provider": "mine", "model": " big "}})
def an_image_backend_receives_the_tool_arguments(host):
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


CONTROLLED = ONE.replace(
    "def is_available(self)",
    "def capabilities(self): return {'creative_controls': ('intensity', 'creativity')}\n        def is_available(self)",
)


@case("G18", one=CONTROLLED, config=MINE)
def an_image_backend_receives_its_declared_controls(host):
    asked = [
        {"creativity": "low", "movement": 5, "intensity": 3, "image_url": "a.png", "upscale": True},
        {"movement": 5, "upscale": "yes"},
    ]
    return [host.call_tool("image_generate", {"prompt": "a cat", **one}).text for one in asked]


@case("G18", one=ONE, config=MINE)
def errors_and_odd_results_of_an_image_backend_reach_the_model(host):
    return draw(host, "raise", "mistake", "text", "error", "odd")


@case("G18", one=ONE, config=MINE)
def an_image_backend_rejects_input_images(host):
    return draw(host, "mistake", "raise", image_url="https://example.org/a.png")


OFFERED = ("image_generate", "text_to_speech", "video_generate", "web_extract", "web_search")


def list_offered_tools(host):
    host.llm.script("done")
    host.chat("draw")
    return [name for name in host.llm.requests[0].tools if name in OFFERED]


TOOLSETS = {"platform_toolsets": {"cli": ["image_gen", "web"]}}


@case("G19", one=ONE, config={**MINE, **TOOLSETS})
def the_image_tool_is_offered_with_a_configured_backend(host):
    return list_offered_tools(host)


@case("G19", one=ONE, config=TOOLSETS)
def the_image_tool_is_offered_with_an_unconfigured_backend_in_some_releases(host):
    return list_offered_tools(host)


@case("G19", one=ABSENT, config={**MINE, **TOOLSETS})
def the_image_tool_is_not_offered_with_an_unavailable_backend(host):
    return list_offered_tools(host)


@case("G19", one=ABSENT.replace("False", "None"), config={**MINE, **TOOLSETS})
def an_image_backend_that_raises_counts_as_unavailable(host):
    return list_offered_tools(host)


@case("G18", one=ONE, config={**MINE, **TOOLSETS})
def an_image_is_generated_in_a_turn(host):
    host.llm.script(call("image_generate", prompt="a cat", aspect_ratio="square"), call("image_generate"), "done")
    return [one.result.text for one in host.chat("draw").tool_calls]


SEARCHING = """
    from agent.web_search_provider import WebSearchProvider
    class Searches(WebSearchProvider):
        def __init__(self, name, available=True, search=True, extract=True):
            self.called, self.available, self.searches, self.extracts = name, available, search, extract
        @property
        def name(self): return self.called
        @property
        def display_name(self): return self.called.title()
        def is_available(self):
            if self.available is None: raise RuntimeError("no idea")
            return self.available
        def supports_search(self): return self.searches
        def supports_extract(self): return self.extracts
        def search(self, query, limit=5):
            if query == "raise": raise RuntimeError("no line")
            if query == "text": return "a page"
            if query == "error": return {"success": False, "error": "too busy"}
            if query == "odd": return {"success": True, "data": {"web": [{1}]}}
            return {"success": True, "data": {"web": [{"title": "é", "by": self.name, "asked": [query, limit]}]}}
        def extract(self, urls, **kwargs):
            if urls[0].endswith("raise"): raise RuntimeError("no line")
            if urls[0].endswith("none"): return []
            if urls[0].endswith("text"): return "a page"
            if urls[0].endswith("error"): return [{"url": urls[0], "error": "gone"}]
            if urls[0].endswith("long"): return [{"url": urls[0], "title": "long", "content": "line of text\\n" * 3000}]
            if urls[0].endswith("image"): return [{"url": urls[0], "content": "![a](data:image/png;base64,AAAA) b (data:image/png;base64,AAAA)"}]
            return [{"url": one, "title": self.name, "content": f"text of {one}", "raw_content": "", "metadata": {"a": 1}, "told": sorted(kwargs.items())} for one in urls]
"""


def searching(*backends):
    made = ", ".join(f"Searches({one})" for one in backends)
    return (
        SEARCHING
        + f"""
    def register(ctx):
        for one in ({made},): ctx.register_web_search_provider(one)
"""
    )


PAIR = searching("'mine'", "'other'")


def search(host, *queries):
    return [host.call_tool("web_search", query=query).text for query in queries], list_warnings(host)


@case("F19", one=PAIR, config={"web": {"search_backend": " Other ", "backend": "mine"}})
def the_configured_search_backend_is_used(host):
    return search(host, "tea")


@case("F19", one=PAIR, config={"web": {"backend": "other"}})
def the_configured_web_backend_is_used(host):
    return search(host, "tea"), extract(host, "http://93.184.216.34/")


@case("F19", one=PAIR)
def the_first_search_backend_is_used_without_configuration(host):
    return search(host, "tea")


@case("F19", one=searching("'mine'"))
def the_only_search_backend_is_used_without_configuration(host):
    return search(host, "tea"), extract(host, "http://93.184.216.34/")


@case("F19", one=searching("'Mine'"), config={"web": {"backend": "Mine"}})
def a_search_backend_with_an_uppercase_name_is_not_found(host):
    return search(host, "tea")


@case("F19", one=searching("'mine'", "'absent', False"), config={"web": {"search_backend": "absent"}})
def an_unavailable_search_backend_is_replaced(host):
    return search(host, "tea")


@case("F19", one=searching("'mine'", "'absent', False"), config={"web": {"backend": "absent"}})
def an_unavailable_web_backend_is_used_when_configured(host):
    return search(host, "tea")


@case("F19", one=searching("'absent', False", "'broken', None"))
def a_search_without_an_available_backend_is_an_error(host):
    return search(host, "tea"), extract(host, "http://93.184.216.34/")


@case("F19", one=searching("'mine', search=False"), config={"web": {"backend": "mine"}})
def a_backend_that_cannot_search_is_an_error(host):
    return search(host, "tea")


@case("F19", one=searching("'mine', extract=False"), config={"web": {"backend": "mine"}})
def a_backend_that_cannot_extract_is_an_error(host):
    return extract(host, "http://93.184.216.34/")


@case("F19", one=PAIR, config={"web": {"backend": "nobody"}})
def an_unregistered_web_backend_is_an_error(host):
    return search(host, "tea"), extract(host, "http://93.184.216.34/")


@case("F19", one=searching("'searxng'"), config={"web": {"backend": "searxng"}})
def a_plugin_replaces_a_web_backend_of_hermes(host):
    return search(host, "tea")


ALONE = {"web": {"backend": "mine", "keyless_rescue": False}}


@case("F19", one=PAIR, config=ALONE)
def errors_and_odd_results_of_a_search_backend_reach_the_model(host):
    return search(host, "raise", "text", "error", "odd", "")


@case("F19", one=PAIR, config={"web": {"backend": "mine"}})
def a_search_backend_receives_the_tool_arguments(host):
    asked = [{"limit": 0}, {"limit": 500}, {"limit": "7"}, {"limit": "x"}, {"limit": None}, {"seed": 1}]
    answers = [host.call_tool("web_search", {"query": f"tea {n}", **one}).text for n, one in enumerate(asked)]
    return answers, host.call_tool("web_search").text


def extract(host, *urls, **more):
    return host.call_tool("web_extract", urls=list(urls), **more).text


@case("F19", one=PAIR, config=ALONE)
def extracted_pages_and_errors_reach_the_model(host):
    names = ("raise", "none", "text", "error", "image", "page")
    return [extract(host, f"http://93.184.216.34/{name}") for name in names]


COUNTS = (
    searching("'mine'", "'other'")
    .replace(
        "def search(self, query, limit=5):",
        """calls = []
        def search(self, query, limit=5):
            self.calls.append([query, limit])
            if query == "many": return {"success": True, "data": {"web": [{"at": n} for n in range(limit)]}}""",
    )
    .replace(
        "def extract(self, urls, **kwargs):", "def extract(self, urls, **kwargs):\n            self.calls.append(urls)"
    )
    + """
        ctx.register_command("calls", lambda a: repr(one.calls))
"""
)


def _searched_and_read(host):
    answers = [search(host, "many", " MANY ", "tea", "error", "error")]
    answers += [
        host.call_tool("web_search", query=query, limit=limit).text for query, limit in (("many", 7), ("many", 15))
    ]
    ip = "http://93.184.216.34/"
    pages = [f"{ip}a"], [f"{ip}b", "http://10.0.0.1/", f"{ip}a", f"{ip}c"], [f"{ip}c", f"{ip}a"], [f"{ip}error"] * 2
    answers += [extract(host, *urls) for urls in pages]
    return answers, host.command("/calls"), sorted(p.name for p in host.home.glob("cache/web/*.cache.md"))


CACHED = "answer from the cache of web searches and pages"


@case("F19", one=COUNTS, config=ALONE, since="0.20.6", refused=CACHED)
def search_results_are_cached(host):
    return search(host, "many", " MANY ")


@case("F19", one=COUNTS, config=ALONE, since="0.20.6", refused=CACHED)
def extracted_pages_are_cached(host):
    return [extract(host, f"http://93.184.216.34/{name}") for name in ("a", "b", "a")]


@case("F19", one=COUNTS, config={"web": {**ALONE["web"], "cache_enabled": False}})
def caching_of_searches_and_pages_can_be_disabled(host):
    return _searched_and_read(host)


@case(
    "F19",
    one=searching("'mine'").replace(
        'if urls[0].endswith("none")', "if True: raise TimeoutError('slow')\n            if False"
    ),
    config=ALONE,
)
def an_extraction_that_times_out_is_reported(host):
    return extract(host, "http://93.184.216.34/"), [line for line in list_warnings(host) if line.startswith("WARNING")]


@case("F19", one=PAIR, config={"web": {"backend": "mine"}}, refused="shorten a long page for web_extract")
def a_long_page_is_truncated(host):
    return extract(host, "http://93.184.216.34/long")


@case("F19", one=PAIR, config={"web": {"backend": "mine"}})
def a_long_page_is_complete_when_the_call_raises_the_limit(host):
    return extract(host, "http://93.184.216.34/long", char_limit=90000)


@case("F19", one=PAIR, config={"web": {"backend": "mine"}})
def private_and_invalid_addresses_are_rejected(host):
    ip = "http://93.184.216.34/"
    lists = (
        [f"{ip}b", "http://127.0.0.1/a", f"{ip}a"],
        ["http://localhost/", "http://10.0.0.1/"],
        ["http://169.254.169.254/", "http://[::1]/"],
        [{"url": ip}, {"no": 1}, 7],
        [f"{ip}{n}" for n in range(7)],
        [],
        ["93.184.216.34"],
    )
    return [host.call_tool("web_extract", urls=urls).text for urls in lists] + [
        host.call_tool("web_extract", urls="x").text
    ]


@case("F19", one=searching("'mine'"), config=TOOLSETS)
def the_web_tools_are_offered_with_a_backend(host):
    return list_offered_tools(host)


@case("F19", one=searching("'mine'"), config={"web": {"backend": "mine"}, **TOOLSETS})
def the_web_tools_are_offered_with_the_configured_backend(host):
    return list_offered_tools(host)


@case("F19", one=searching("'mine', False"), config={"web": {"backend": "mine"}, **TOOLSETS})
def the_web_tools_are_offered_with_an_unavailable_configured_backend(host):
    return list_offered_tools(host)


@case("F19", one=searching("'mine'").replace("def extract", "async def extract"), config={"web": {"backend": "mine"}})
def a_web_backend_can_extract_asynchronously(host):
    return extract(host, "http://93.184.216.34/")


@case("F19", one=PAIR, config={"web": {"backend": "mine"}, **TOOLSETS})
def the_web_is_searched_in_a_turn(host):
    page = call("web_extract", urls=["http://93.184.216.34/"])
    host.llm.script(call("web_search", query="tea", limit=3), page, call("web_search"), "done")
    return [one.result.text for one in host.chat("search").tool_calls]


FILMING = """
    from agent.video_gen_provider import VideoGenProvider
    class Films(VideoGenProvider):
        def __init__(self, name, available=True): self.called, self.available = name, available
        @property
        def name(self): return self.called
        def is_available(self): return self.available
        def default_model(self): return "usual"
        def generate(self, prompt, **kwargs):
            if prompt == "raise": raise RuntimeError("no film")
            if prompt == "mistake": raise TypeError("what is that")
            if prompt == "text": return "a film"
            return {"success": True, "video": "/tmp/a.mp4", "by": self.name, "asked": [prompt, list(kwargs.items())]}
"""


def filming(*backends):
    made = ", ".join(f"Films({one})" for one in backends)
    return (
        FILMING
        + f"""
    def register(ctx):
        for one in ({made},): ctx.register_video_gen_provider(one)
"""
    )


def generate_videos(host, *prompts):
    return [host.call_tool("video_generate", prompt=prompt).text for prompt in prompts], list_warnings(host)


@case("F19", one=filming("'mine'", "'other'"), config={"video_gen": {"provider": " other ", "model": "big"}})
def the_configured_video_backend_is_used(host):
    return generate_videos(host, "a cat", "raise", "mistake", "text", " ")


@case("F19", one=filming("'mine'"))
def the_only_video_backend_is_used(host):
    return generate_videos(host, "a cat", "raise")


@case("F19", one=filming("'mine'", "'absent', False"))
def the_only_available_video_backend_is_used_in_some_releases(host):
    return generate_videos(host, "a cat")


@case("F19", one=filming("'mine'"), config={"video_gen": {"provider": "nobody"}})
def an_unregistered_video_backend_is_an_error(host):
    return generate_videos(host, "a cat")


@case("F19", one=filming("'mine', False"))
def a_video_without_an_available_backend_is_an_error(host):
    return generate_videos(host, "a cat")


@case("F19", one=filming("'mine'"))
def a_video_backend_receives_the_tool_arguments(host):
    asked = [
        {"model": " big ", "image_url": " a.png ", "reference_image_urls": ["b.png", " "], "duration": "5", "seed": 0},
        {"audio": "yes", "negative_prompt": "", "aspect_ratio": "9:16", "resolution": " "},
        {"audio": "perhaps", "duration": "long", "reference_image_urls": "c.png"},
        {"video_url": "a.mp4"},
    ]
    return [host.call_tool("video_generate", {"prompt": "a cat", **one}).text for one in asked]


@case("F19", one=filming("'mine'"), config={"platform_toolsets": {"cli": ["video_gen"]}})
def the_video_tool_is_offered_with_a_backend(host):
    return list_offered_tools(host)


SPEAKING = """
    from pathlib import Path
    from agent.tts_provider import TTSProvider
    class Speaks(TTSProvider):
        name = "mine"
        voice_compatible = VOICE
        def is_available(self): return AVAILABLE
        def synthesize(self, text, output_path, **kwargs):
            if text == "raise": raise RuntimeError("hoarse")
            if text == "mistake": raise ValueError("no such voice")
            if text == "missing": raise FileNotFoundError("no tool")
            if text == "silence": return None
            path = Path(output_path).with_suffix(".ogg")
            path.write_text(repr((text, sorted(kwargs.items()))))
            return str(path)
    def register(ctx): ctx.register_tts_provider(Speaks())
"""
SPEAKS = SPEAKING.replace("VOICE", "False").replace("AVAILABLE", "True")
SPOKEN = {"tts": {"provider": "Mine", "voice": "low", "speed": 2, "mine": {"max_text_length": 7}}}


def speak(host, *words, **more):
    answers = [host.call_tool("text_to_speech", text=text, **more) for text in words]
    files = [Path(one.json["file_path"]).read_text() for one in answers if one.json.get("file_path")]
    return [re.sub(r"tts_\d+(_\d+)+", "tts_<time>", one.text) for one in answers], files


@case("F19", one=SPEAKS, config=SPOKEN)
def the_configured_speech_backend_is_used(host):
    return speak(host, "hello", "raise", "mistake", "missing", "silence", " ")


@case("F19", one=SPEAKS, config=SPOKEN)
def speech_is_written_to_the_output_path(host):
    places = ("sub/said.mp3", "../said.mp3")
    return [host.call_tool("text_to_speech", text="hello", output_path=place).text for place in places]


@case("F19", one=SPEAKS, config=SPOKEN)
def a_call_sets_the_speed_of_speech(host):
    return speak(host, "hello", speed=9)


@case("F19", one=SPEAKS, config=SPOKEN, until="0.20.1")
def a_long_text_is_truncated_for_speech(host):
    return speak(host, "much too long")


@case("F19", one=SPEAKS, config=SPOKEN, since="0.20.1", refused="split long texts for speech")
def a_long_text_is_split_for_speech(host):
    return speak(host, "much too long")


TINY = {"tts": {"provider": "mine", "delivery_profiles": {"default": {"max_file_bytes": 90}}}}


@case("F19", one=SPEAKS, config=TINY, since="0.20.1", refused="refuse speech files that are too large")
def speech_files_over_the_size_limit_are_rejected(host):
    return speak(host, "hello " * 40 + "hello")


@case(
    "F19",
    one=SPEAKS.replace(
        "def synthesize(self, text, output_path, **kwargs):",
        """def synthesize(self, text, output_path, **kwargs):
            if text == "named": output_path = str(Path(output_path).with_name("named-" + str(Path(output_path).name == "said.ogg")))""",
    ),
    config=SPOKEN,
)
def speech_replaces_an_existing_file_only_on_success(host):
    file = host.home / "said.ogg"
    file.write_text("before")
    failed = host.call_tool("text_to_speech", text="raise", output_path=str(file)).text
    left = file.exists()
    file.write_text("before")
    named = speak(host, "named", output_path=str(file))
    return failed, left, named, sorted(p.name for p in host.home.glob("*said*"))


@case("F19", one=SPEAKS.replace("= False", "= True"), config=SPOKEN)
def speech_can_be_sent_as_a_voice_message(host):
    return speak(host, "hello")


@case("F19", one=SPEAKS, config={**SPOKEN, "platform_toolsets": {"cli": ["tts"]}})
def the_speech_tool_is_offered_with_a_backend_in_some_releases(host):
    return list_offered_tools(host)


@case(
    "F19",
    one=SPEAKING.replace("VOICE", "False").replace("AVAILABLE", "False"),
    config={**SPOKEN, "platform_toolsets": {"cli": ["tts"]}},
)
def the_speech_tool_is_not_offered_without_an_available_backend(host):
    return list_offered_tools(host)


@case("F19", one=PAIR, config={"web": {"backend": "mine"}}, until="0.20.6")
def a_failed_search_is_an_error(host):
    return search(host, "raise")


@case("F19", one=PAIR, config={"web": {"backend": "mine"}}, since="0.20.6", refused="free public services")
def a_failed_search_is_retried_with_free_services(host):
    return search(host, "raise")
