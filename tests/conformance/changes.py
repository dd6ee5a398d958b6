"""What breaks or changes for authors of plugins between releases, each with the two releases that it lies between.

The numbered changes broke plugins; a letter tells the parts of one change apart. `cases_drift` shows a change on both
hosts. Where the embedded host does not model the place yet, `later` says why, and the change is proven by facts of the
contract, which are held against the real releases, and by probes, which run on the real hosts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import dedent, indent
from typing import Any

from conformance.case import Case, plugin

from hermes_sdk.hosts.interface import Host

MODULES = "The embedded host has stand-ins for other modules of the host."
TOOLS = "The embedded host has no built-in tools that use providers."
GATEWAY = "The embedded host has no gateway."
BUNDLED = "The embedded host has no bundled plugins."


@dataclass(frozen=True)
class Probe:
    """Something to run on the real host.

    Attributes:
        body: The body of a function in a plugin, which has ``ctx``.
        outcomes: What it returns on the last release before the change and on the first after it; of an exception, its
            type and message.
        config: The content of ``config.yaml``.
    """

    body: str
    outcomes: tuple[Any, Any]
    config: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    """One change.

    Attributes:
        before: The last release before it.
        after: The first release after it.
        what: What changes.
        later: Why the embedded host cannot show it yet; None when cases show it on both hosts.
        facts: Paths in the contract, each with what is there on both sides, see `test_drift.fact`.
        probe: How the real host shows it.
    """

    before: str
    after: str
    what: str
    later: str | None = None
    facts: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    probe: Probe | None = None


def moved(before: str, after: str, what: str, *modules: str) -> Change:
    """Modules that the first release has and the second has not."""
    facts = {f"host_modules/{module}": (True, None) for module in modules}
    # Python names the package that is gone, which of a module `base` is the one above it.
    gone = [f"No module named {module.removesuffix('.base')!r}" for module in modules]
    body = f"""
            import importlib
            def imported(name):
                try: return importlib.import_module(name).__name__
                except ModuleNotFoundError as error: return str(error)
            return [imported(name) for name in {modules!r}]
            """
    return Change(before, after, what, MODULES, facts, Probe(body, (list(modules), gone)))


def _fields(name: str, first: str, between: tuple[str, ...], then: str) -> dict[str, tuple[Any, Any]]:
    """Fields of a dataclass that came between two others."""
    return {f"dataclasses/{name}/fields/{first}..{then}": ([first, then], [first, *between, then])}


CHANGES = {
    "1": Change("0.13.0", "0.14.0", "Errors of tools begin with `[TOOL_ERROR]`."),
    "2": Change(
        "0.14.0",
        "0.15.0",
        "Web search providers no longer crawl.",
        facts={
            "classes/WebSearchProvider/members/crawl": ("(url, **kwargs)", None),
            "classes/WebSearchProvider/members/supports_crawl": ("()", None),
        },
    ),
    "3": moved(
        "0.14.0",
        "0.15.0",
        "Browser providers have another base class, and two platforms became plugins.",
        "tools.browser_providers.base",
        "gateway.platforms.discord",
        "gateway.platforms.mattermost",
    ),
    "4a": Change(
        "0.14.0",
        "0.15.0",
        "Context engines are called with `force`; one that refuses it is called with less.",
        None,
        {
            "host_calls/ContextEngine.compress/0/always": (
                ["current_tokens", "focus_topic"],
                ["current_tokens", "focus_topic", "force"],
            ),
            "classes/ContextEngine/members/update_model/parameters/api_mode/default": (None, "''"),
        },
    ),
    "4b": Change(
        "0.18.2",
        "0.19.0",
        "Context engines get those keywords that their signature accepts, and `memory_context` is one.",
        None,
        {
            "host_calls/ContextEngine.compress/#": (2, 0),
            "host_calls/ContextEngine.compress, if accepted/0/always": (
                None,
                ["current_tokens", "focus_topic", "force", "memory_context"],
            ),
            "classes/ContextEngine/members/compress": (
                "(messages, current_tokens=None, focus_topic=None)",
                "(messages, current_tokens=None, focus_topic=None, force=False, memory_context='')",
            ),
        },
    ),
    "5": Change(
        "0.15.2",
        "0.16.0",
        "Every call of a hook carries one more keyword, and 13 hooks gain further ones.",
        facts={"injected_hook_arguments/telemetry_schema_version": (None, "hermes.observer.v1")},
    ),
    "6": Change(
        "0.15.2",
        "0.16.0",
        "Video providers always get `_model_override_explicit`.",
        TOOLS,
        {"host_calls/VideoGenProvider.generate/0/sometimes/_model_override_explicit": (None, True)},
        Probe(
            """
            from agent.video_gen_provider import VideoGenProvider
            from tools.video_generation_tool import _handle_video_generate
            class Provider(VideoGenProvider):
                name = "closed"
                def generate(self, prompt, *, model=None, aspect_ratio=None, resolution=None): return {"made": prompt}
            ctx.register_video_gen_provider(Provider())
            answer = json.loads(_handle_video_generate({"prompt": "a film"}))
            return [answer.get("made"), answer.get("error_type")]
            """,
            (["a film", None], [None, "provider_contract"]),
            {"video_gen": {"provider": "closed"}},
        ),
    ),
    "7": Change("0.15.2", "0.16.0", "`post_tool_call` fires for calls that were blocked."),
    "8": Change("0.16.0", "0.17.0", "Handlers of tools get `session_id`."),
    "9": moved("0.16.0", "0.17.0", "A platform became a plugin.", "gateway.platforms.homeassistant"),
    "10": Change(
        "0.17.0",
        "0.18.0",
        "The gateway connects an adapter with `is_reconnect`.",
        GATEWAY,
        {
            "host_calls/platform adapter connect/0/always": ([], ["is_reconnect"]),
            "classes/BasePlatformAdapter/members/connect": ("()", "(*, is_reconnect=False)"),
        },
        Probe(
            """
            import asyncio
            from gateway.run import GatewayRunner
            class Adapter:
                async def connect(self): return True
            runner = GatewayRunner.__new__(GatewayRunner)
            return asyncio.run(runner._connect_adapter_with_timeout(Adapter(), None))
            """,
            (
                True,
                "TypeError: probe.<locals>.Adapter.connect() got an unexpected keyword argument 'is_reconnect'",
            ),
        ),
    ),
    "11": Change("0.17.0", "0.18.0", "`register_tool(override=True)` needs the operator's consent."),
    "12": moved(
        "0.17.0",
        "0.18.0",
        "More platforms became plugins, and a package of plugins has another name.",
        *(f"gateway.platforms.{name}" for name in ("dingtalk", "email", "feishu", "matrix", "slack")),
        *(f"gateway.platforms.{name}" for name in ("sms", "telegram", "wecom", "whatsapp")),
        "plugins.cron",
    ),
    "13": Change(
        "0.17.0",
        "0.18.0",
        "Each agent gets a deep copy of a context engine; one that cannot be copied is not used.",
        probe=Probe(
            """
            import threading
            from agent.context_engine import ContextEngine
            from run_agent import AIAgent
            class Engine(ContextEngine):
                name = "locked"
                context_length = threshold_tokens = 99_999
                def __init__(self): self.lock = threading.Lock()
                def should_compress(self, prompt_tokens=None): return False
                def update_from_response(self, usage): pass
                def compress(self, messages, **kwargs): return messages
            ctx.register_context_engine(Engine())
            agent = AIAgent(model="m", api_key="k", base_url="http://127.0.0.1:9/v1", quiet_mode=True)
            return type(agent.context_compressor).__name__
            """,
            ("Engine", "ContextCompressor"),
            {"context": {"engine": "locked"}},
        ),
    ),
    "14": Change(
        "0.17.0",
        "0.18.0",
        "An agent delegates in the background, so `subagent_stop` fires later or never.",
        probe=Probe(
            """
            import tools.delegate_tool
            from run_agent import AIAgent
            tools.delegate_tool.delegate_task = lambda **kwargs: kwargs["background"]
            return AIAgent._dispatch_delegate_task(AIAgent.__new__(AIAgent), {"goal": "g"})
            """,
            (None, True),
        ),
    ),
    "15": Change("0.18.0", "0.18.1", "`pre_tool_call` may ask for approval."),
    "16": Change(
        "0.18.0",
        "0.18.1",
        "Long context from `pre_llm_call` goes to a file.",
        None,
        {
            "host_modules/tools.hook_output_spill": (None, True),
            "constants/tools.hook_output_spill/DEFAULT_MAX_CHARS": (None, 10_000),
            "keys_read/config hooks.output_spill/#": (None, 5),
        },
    ),
    "17": Change("0.18.2", "0.19.0", "The result of a tool must be text or multimodal."),
    "18": Change(
        "0.18.2",
        "0.19.0",
        "A model approves commands by default, so `pre_approval_request` may fire twice.",
        probe=Probe(
            """
            from hermes_cli.config import DEFAULT_CONFIG
            return DEFAULT_CONFIG["approvals"]["mode"]
            """,
            ("manual", "smart"),
        ),
    ),
    "19a": Change(
        "0.15.2",
        "0.16.0",
        "Fields came between others: positional construction means something else.",
        facts=_fields("ProviderProfile", "supports_health_check", ("supports_vision",), "fallback_models"),
    ),
    "19b": Change(
        "0.17.0",
        "0.18.0",
        "Fields came between others: positional construction means something else.",
        facts={
            **_fields("SendResult", "retryable", ("retry_after",), "continuation_message_ids"),
            **_fields("SessionSource", "is_bot", ("scope_id",), "guild_id"),
            **_fields("PlatformConfig", "gateway_restart_notification", ("typing_indicator",), "extra"),
            **_fields(
                "MessageEvent",
                "reply_to_text",
                ("reply_to_author_id", "reply_to_author_name", "reply_to_is_own_message"),
                "auto_skill",
            ),
        },
    ),
    "19c": Change(
        "0.18.2",
        "0.19.0",
        "Fields came between others: positional construction means something else.",
        facts=_fields("PlatformConfig", "typing_indicator", ("typing_status_text",), "channel_overrides"),
    ),
    "override": Change("0.13.0", "0.14.0", "`register_tool` has `override`."),
    "names": Change("0.16.0", "0.17.0", "More slash commands and auxiliary tasks are built in."),
    "credit": Change("0.16.0", "0.17.0", "A hook that several plugins register is credited to each of them."),
    "safe_mode": Change("0.16.0", "0.17.0", "`HERMES_SAFE_MODE` keeps plugins from being discovered."),
    "middleware": Change("0.16.0", "0.17.0", "There is middleware."),
    "siblings": Change("0.15.2", "0.16.0", "A user's memory provider may import modules beside it."),
    "dashboard": Change("0.15.2", "0.16.0", "The package behind `register_dashboard_auth_provider` is in the wheel."),
    "has_hook": Change(
        "0.15.2",
        "0.16.0",
        "The plugin manager tells whether anybody listens to a hook.",
        facts={"classes/PluginManager/members/has_hook": (None, "(hook_name)")},
    ),
    "shell_block": Change(
        "0.14.0",
        "0.15.0",
        "A shell hook that blocks without a message has a default one.",
        None,
        {"shell_hooks/default_block_message": (None, "Blocked by shell hook.")},
    ),
    "pre_verify": Change(
        "0.17.0",
        "0.18.0",
        "There is a hook before a turn's result is taken as final.",
        None,
        {"hooks/pre_verify/always/#": (None, 7)},
    ),
    "engine_commands": Change(
        "0.14.0",
        "0.15.0",
        "A directory of a context engine may register slash commands.",
        BUNDLED,
        {
            "loader_contexts/plugins.context_engine/register_command": (
                None,
                "(name, handler, description='', args_hint='')",
            )
        },
    ),
    "bundled": Change(
        "0.15.1", "0.15.2", "The wheel has manifests of bundled plugins.", BUNDLED, {"bundled_plugins/#": (0, 69)}
    ),
    "deferred": Change(
        "0.17.0",
        "0.18.0",
        "Bundled platforms are imported when they are first needed.",
        BUNDLED,
        {"dataclasses/LoadedPlugin/fields/deferred/default": (None, "False")},
    ),
    "python": Change(
        "0.15.2",
        "0.16.0",
        "Python 3.14 is declared as too new.",
        "It is about installing.",
        {"requires_python": (">=3.11", "<3.14,>=3.11")},
    ),
    "rl_tools": Change(
        "0.13.0",
        "0.14.0",
        "Tools for reinforcement learning are gone.",
        MODULES,
        {"tools/rl_list_runs": ("rl", None)},
    ),
    "send_message": Change(
        "0.16.0", "0.17.0", "A built-in tool is gone.", MODULES, {"tools/send_message": ("messaging", None)}
    ),
    "mixture_of_agents": Change(
        "0.17.0", "0.18.0", "A built-in tool is gone.", MODULES, {"tools/mixture_of_agents": ("moa", None)}
    ),
}


def probes() -> dict[str, Case]:
    """Return the probe of each change as a case: a plugin whose ``/answer`` is what the body of the probe returns."""
    return {name: _probing(name, change.probe) for name, change in CHANGES.items() if change.probe}


def _probing(name: str, probe: Probe) -> Case:
    body = (
        "import json\n"
        f"def probe(ctx):\n{indent(dedent(probe.body), '    ')}"
        "def answer(ctx):\n"
        "    try: return probe(ctx)\n"
        "    except Exception as error: return f'{type(error).__name__}: {error}'\n"
        "def register(ctx): ctx.register_command('answer', lambda arguments: json.dumps(answer(ctx)))\n"
    )
    files = {f"plugins/p/{file}": text for file, text in plugin(body, name="p").items()}
    return Case("probe", name, files, {"plugins": {"enabled": ["p"]}, **probe.config}, {}, _ask)


def _ask(host: Host) -> Any:
    return json.loads(host.command("/answer"))
