"""Cases of F19 and G13: backends and context engines of the right class."""

from conformance.case import case, plugin

BACKENDS = """
    import importlib
    def backend(module, base, **members):
        cls = getattr(importlib.import_module(module), base)
        todo = {name: (lambda self, *a, **k: None) for name in cls.__abstractmethods__ if name != "name"}
        return type("Mine", (cls,), {**todo, **members})()
    OFFERS = {
        "browser": ("agent.browser_provider", "BrowserProvider", "register_browser_provider"),
        "image": ("agent.image_gen_provider", "ImageGenProvider", "register_image_gen_provider"),
        "speech": ("agent.tts_provider", "TTSProvider", "register_tts_provider"),
        "transcription": ("agent.transcription_provider", "TranscriptionProvider", "register_transcription_provider"),
        "video": ("agent.video_gen_provider", "VideoGenProvider", "register_video_gen_provider"),
        "web": ("agent.web_search_provider", "WebSearchProvider", "register_web_search_provider"),
        "engine": ("agent.context_engine", "ContextEngine", "register_context_engine"),
    }
    def register(ctx):
        for module, base, method in OFFERS.values():
            for name in (MINE, "  ", "edge", "groq", MINE):
                try: getattr(ctx, method)(backend(module, base, name=name))
                except Exception as error: print(error)
"""
HERE = BACKENDS.replace("MINE", "'Mine'")
THERE = BACKENDS.replace("MINE", "'theirs'")


@case(
    "F19",
    plugins={"p": plugin(HERE, name="p"), "q": plugin(THERE, name="q")},
    enable=["p", "q"],
)
def backends_are_registered_by_name(host):
    return {key: host.report(key)["providers"] for key in host.plugins}


FETCHING = """
    import os
    from agent.secret_sources.base import FetchResult, SecretSource
    class Mine(SecretSource):
        name = "mine"
        def fetch(self, cfg, home_path):
            result = FetchResult()
            result.secrets = {"MINE_TOKEN": "fetched"}
            return result
    def register(ctx):
        ctx.register_secret_source(Mine())
        ctx.register_command("look", lambda text: str(os.environ.get("MINE_TOKEN")))
"""


@case("F19", one=FETCHING)
def a_disabled_secret_source_fetches_nothing(host):
    return host.command("/look")


MINE_ENABLED = {"secrets": {"mine": {"enabled": True}}}


@case("F19", one=FETCHING, config=MINE_ENABLED, until="0.20.2")
def an_enabled_secret_source_fetches_nothing_when_plugins_load(host):
    return host.command("/look")


@case("F19", one=FETCHING, config=MINE_ENABLED, since="0.20.2", refused="fetch the secrets of the source 'mine'")
def an_enabled_secret_source_fetches_secrets(host):
    return host.command("/look")


@case("F19", one=FETCHING.replace("def fetch(", "def is_enabled(self, cfg): return 1 / 0\n        def fetch("))
def a_secret_source_that_raises_in_is_enabled_fetches_nothing(host):
    return host.command("/look")


@case(
    "F19",
    one="""
        from agent.secret_sources.base import SecretSource
        from hermes_cli.dashboard_auth import DashboardAuthProvider
        def source(**members): return type("Mine", (SecretSource,), {"fetch": lambda self, cfg, home_path: None, **members})()
        def login(**members):
            todo = {name: (lambda self, **k: None) for name in DashboardAuthProvider.__abstractmethods__}
            return type("Mine", (DashboardAuthProvider,), {**todo, **members})()
        def register(ctx):
            for one in (
                source(), source(name="Mine"), source(name="mine", api_version=9), source(name="mine", shape="x"),
                source(name="mine", scheme="m"), source(name="mine"), source(name="other", scheme="m"), source(name="last"),
            ):
                ctx.register_secret_source(one)
            for one in (login(), login(name="a"), login(name="a", display_name="A"), login(name="a", display_name="B")):
                ctx.register_dashboard_auth_provider(one)
    """,
)
def secret_sources_and_dashboard_logins_are_validated(host):
    return host.report("p")["providers"]


@case(
    "G13",
    one="""
        from agent.context_engine import ContextEngine
        def engine(name):
            todo = {one: (lambda self, *a, **k: None) for one in ContextEngine.__abstractmethods__}
            return type("Mine", (ContextEngine,), {**todo, "name": name})()
        def register(ctx):
            ctx.register_context_engine(object())
            ctx.register_context_engine(engine("first"))
            ctx.register_context_engine(engine("second"))
            ctx.register_context_engine(object())
    """,
)
def the_first_context_engine_wins(host):
    return host.report("p")["context_engine"]
