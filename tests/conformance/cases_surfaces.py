"""Cases of D5: hooks that fire in the same conversation on the CLI and in a gateway."""

from conformance.case import case, plugin

from hermes_sdk.hosts.inspection.surface_conversation import converse

WATCHER = """
from hermes_cli.plugins import VALID_HOOKS
def register(ctx):
    for name in sorted(VALID_HOOKS):
        ctx.register_hook(name, lambda **more: None)
"""


def _show_hooks(host, surface, **options):
    """Return the fired hooks, and on the surface itself their platforms."""
    calls = converse(host, surface, **options)
    platforms = {(one.name, one.arguments["platform"]) for one in calls if "platform" in one.arguments}
    return {"fired": sorted(set(calls.names)), "platforms": sorted(platforms, key=str)}


@case(
    "D5",
    plugins={"p": plugin(WATCHER, name="p")},
    enable=["p"],
    stateless=True,
    record=True,
)
def hooks_fire_on_the_cli(host):
    return _show_hooks(host, "cli")


@case("D5", plugins={"p": plugin(WATCHER, name="p")}, enable=["p"], record=True)
def hooks_fire_in_a_gateway(host):
    return _show_hooks(host, "gateway", delegates=False)
