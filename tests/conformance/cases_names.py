"""Cases of later hooks and members of ``ctx`` (N31, N46, N53, N54, N58, N59)."""

from conformance.case import case, plugin
from conformance.recorder import read_notes, recorder

from hermes_sdk import contract

HOOKS = sorted({*contract.load("0.19.0").hooks, *contract.load("0.22.2").hooks, "no_such_hook"})


@case("N46", one=recorder(f"for name in {HOOKS!r}: ctx.register_hook(name, print)"))
def unknown_hooks_of_a_release_are_reported(host): ...


@case(
    "N31",
    one=recorder("ctx.register_command('members', lambda text: ' '.join(n for n in dir(ctx) if n[0] != '_'))"),
)
def the_context_has_the_members_of_the_release(host):
    return host.command("/members")


HAS = """
def register(ctx):
    has = hasattr(ctx, "register_memory_provider")
    ctx.register_command("has", lambda text: str(has))
"""


@case("F17", plugins={"p": plugin(HAS, name="p", kind="standalone")}, enable=["p"])
def ctx_of_a_plugin_registers_memory_providers_in_some_releases(host):
    return host.command("/has")


def recording_plugin(*hooks):
    """Return a plugin that records the keywords of these hooks."""
    return recorder(f"""
        for name in {hooks!r}:
            ctx.register_hook(name, lambda name=name, **kwargs: SEEN.append([name, kwargs]))
    """)


BOARD = tuple(name for name in HOOKS if name.startswith("on_kanban_"))
ROOM = ("agent_loop_stopped", "on_room_member_activity")


def _fire(host, hooks):
    for name in hooks:
        host.fire(name)
    return read_notes(host)


@case("N54", one=recording_plugin("gateway_platform_event"), releases=["0.20.2", "0.22.2"])
def gateway_platform_event_receives_its_arguments(host):
    return _fire(host, ["gateway_platform_event"])


@case("N53", one=recording_plugin("pre_transcription"), releases=["0.20.2", "0.22.2"])
def pre_transcription_receives_its_arguments(host):
    return _fire(host, ["pre_transcription"])


@case("N59", one=recording_plugin(*BOARD), releases=["0.20.2", "0.22.2"])
def kanban_hooks_receive_their_arguments(host):
    return _fire(host, BOARD)


@case("N58", one=recording_plugin(*ROOM), releases=["0.22.2"])
def agent_and_room_hooks_receive_their_arguments(host):
    return _fire(host, ROOM)
