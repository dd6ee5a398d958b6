"""What changed from release to release, shown on both sides of each change; and the surface of every release.

The numbers are those of `conformance.changes`, which says what each change is and between which releases it lies.
"""

from conformance.case import case, plugin
from conformance.changes import CHANGES
from conformance.noting import called, registering, seen
from conformance.shell import printing

from hermes_sdk import contract

EVERY = contract.releases()
MEMBERS = sorted({name for release in EVERY for name in contract.load(release).context if not name.startswith("_")})
HOOKS = sorted({name for release in EVERY for name in contract.load(release).hooks})


def change(name, **options):
    """A case on the last release before a change and on the first after it."""
    return case(f"change.{name}", releases=[CHANGES[name].before, CHANGES[name].after], **options)


# --- Every release


@case(
    "surface",
    # The names of members would make it a provider of memory.
    plugins={
        "p": plugin(
            registering(f"""
        import inspect
        def signature(member):
            parameters = inspect.signature(member).parameters.values()
            return [[one.name, one.kind.name, repr(one.default)] for one in parameters]
        present = [name for name in {MEMBERS!r} if hasattr(ctx, name)]
        SEEN.append([name for name in dir(ctx) if not name.startswith("_")])
        for name in {MEMBERS!r}:
            failed(getattr, ctx, name)
            member = getattr(ctx, name, None)
            if callable(member):
                SEEN.append([name, signature(member)])
                failed(member)
                failed(member, unknown=1)
                failed(member, *range(20))
        SEEN.append(repr(ctx.manifest))
    """),
            name="p",
            kind="standalone",
        )
    },
    enable=["p"],
    releases=EVERY,
)
def ctx_has_the_members_and_parameters_of_the_release(host):
    return seen(host)


@case(
    "surface",
    one=registering(f"""
        for name in {HOOKS!r}: watch(name)
        tool("t"); tool("raises", lambda args, **kwargs: 1 / 0); tool("execute_code")
    """),
    releases=EVERY,
)
def hooks_and_handlers_get_the_arguments_of_the_release(host):
    for hook in contract.load(host.release).hooks:
        host.fire(hook)
    return [called(host, "t", "raises", "execute_code", n="1"), seen(host)]


# --- What broke plugins


@change("1", one=registering("tool('t', lambda args, **kwargs: 1 / 0)"))
def errors_of_tools_have_a_prefix(host):
    return host.call_tool("t").json


@change(
    "5",
    one=registering("""
        ctx.register_hook("pre_llm_call", lambda user_message, **kwargs: "open")
        ctx.register_hook("pre_llm_call", lambda session_id, user_message, conversation_history, is_first_turn, model, platform, sender_id: "closed")
        watch("pre_llm_call")
    """),
)
def a_callback_without_kwargs_stops_working(host):
    return [host.fire("pre_llm_call"), seen(host)]


@change(
    "7",
    one=registering("""
        tool("t")
        ctx.register_hook("pre_tool_call", lambda **kwargs: {"action": "block", "message": "no"})
        watch("post_tool_call")
    """),
)
def hooks_after_a_call_fire_for_blocked_ones(host):
    return [host.call_tool("t").json, seen(host)]


@change("8", one=registering("tool('t', lambda args, task_id=None, user_task=None: 'closed'); tool('u')"))
def a_handler_with_a_closed_list_of_keywords_fails(host):
    return called(host, "t", "u")


@change("11", one=registering("tool('before'); tool('read_file', override=True); tool('after')"))
def an_override_without_consent_aborts_registration(host):
    return called(host, *host.tools)


@change(
    "15",
    one=registering("""
        tool("t")
        ctx.register_hook("pre_tool_call", lambda **kwargs: {"action": "approve", "message": "why"})
        ctx.register_hook("pre_tool_call", lambda **kwargs: {"action": "block", "message": "hidden"})
        watch("post_tool_call")
    """),
)
def a_request_for_approval_hides_a_later_block(host):
    return [host.call_tool("t").json, seen(host)]


@change(
    "17",
    one=registering("""
        results = {"dict": {"a": 1}, "none": None, "int": 3, "text": "x", "multimodal": {"_multimodal": True, "content": []}}
        for name, result in results.items(): tool(name, lambda args, result=result, **kwargs: result)
    """),
)
def results_that_are_no_text_become_errors(host):
    return called(host, *host.tools)


# --- Modules that went away: where they are gone, both hosts say so in the same words.


def moved_modules_are_not_found(host): ...


for _name in ("3", "9", "12"):
    _gone = [path.removeprefix("host_modules/") for path in CHANGES[_name].facts]
    case(
        f"change.{_name}",
        plugins={
            f"p{number}": plugin(f"import {module}\ndef register(ctx): pass\n", name=f"p{number}")
            for number, module in enumerate(_gone)
        },
        enable=[f"p{number}" for number in range(len(_gone))],
        releases=[CHANGES[_name].after],
    )(moved_modules_are_not_found)


# --- What changed besides


@change("override", one=registering("tool('before'); failed(tool, 't', override=False); tool('t')"))
def registering_a_tool_has_one_more_keyword(host):
    return [seen(host), called(host, *host.tools)]


@change(
    "names",
    one=registering("""
        for name in ("memory", "suggestions", "v", "credits", "mine"): failed(ctx.register_command, name, echo, "d")
        for key in ("tts_audio_tags", "vision", "mine"): failed(ctx.register_auxiliary_task, key, "Name", "About")
    """),
)
def names_that_became_builtin_are_refused(host):
    return seen(host)


SHARING = registering("watch('pre_llm_call', 'post_llm_call')")


@change("credit", plugins={key: plugin(SHARING, name=key) for key in "pq"}, enable=["p", "q"])
def a_hook_of_two_plugins_is_credited_to_both(host): ...


@change("safe_mode", one=registering("tool('t')"), environment={"HERMES_SAFE_MODE": "1"})
def safe_mode_discovers_nothing(host): ...


@change(
    "middleware",
    one=registering("tool('t'); ctx.register_middleware('tool_request', lambda args, **kwargs: {'args': {'n': 7}})"),
)
def middleware_changes_the_arguments(host):
    return host.call_tool("t", n="1").value


PROVIDER = """
    # register_memory_provider
    from . import names
    class Provider:
        name = names.NAME
    def register(ctx): ctx.register_memory_provider(Provider())
"""


@change(
    "siblings",
    plugins={"p": {**plugin(PROVIDER, name="p", kind="exclusive"), "names.py": "NAME = 'remembers'\n"}},
    enable=["p"],
)
def a_memory_provider_imports_a_module_beside_it(host): ...


@change(
    "dashboard",
    plugins={
        "p": plugin(registering("failed(ctx.register_dashboard_auth_provider, object())"), name="p"),
        "q": plugin("def register(ctx): ctx.register_dashboard_auth_provider(None)\n", name="q"),
    },
    enable=["p", "q"],
)
def the_package_of_dashboard_providers_may_be_missing(host):
    return seen(host)


@change("shell_block", config={"hooks": {"pre_tool_call": printing('{"action": "block"}')}}, accept_hooks=True)
def a_shell_hook_blocks_without_a_message(host):
    return host.fire("pre_tool_call")


# --- Modules of the host


def evaluating(module, expression):
    """A plugin whose ``/answer`` is the value of an expression with a module of the host."""
    return f"""
        import importlib
        def register(ctx):
            def answer(line):
                m = importlib.import_module({module!r})
                return repr({expression})
            ctx.register_command("answer", answer)
    """


MEMBERS_OF_SEARCH = "[hasattr(m.WebSearchProvider, name) for name in ('crawl', 'supports_crawl', 'search')]"


@change("2", one=evaluating("agent.web_search_provider", MEMBERS_OF_SEARCH))
def a_search_provider_no_longer_crawls(host):
    return host.command("/answer")


@change("19a", one=evaluating("providers.base", "m.ProviderProfile(*range(12))"))
def fields_of_a_provider_of_models_moved(host):
    return host.command("/answer")


@change("19b", one=evaluating("gateway.platforms.base", "m.SendResult(True, 'id', None, None, False, ('more',))"))
def fields_of_what_was_sent_moved(host):
    return host.command("/answer")


@change("19c", one=evaluating("gateway.config", "m.PlatformConfig(*range(9))"))
def fields_of_the_settings_of_a_platform_moved(host):
    return host.command("/answer")


@change("has_hook", one=evaluating("hermes_cli.plugins", "m.get_plugin_manager().has_hook('pre_llm_call')"))
def the_plugin_manager_tells_whether_anybody_listens(host):
    return host.command("/answer")
