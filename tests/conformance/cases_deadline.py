"""Cases of load timeouts and process isolation of plugins (N22, N23, N29)."""

import time

from conformance.case import case, plugin

LATE = ("0.22.2",)

SLOW = """
    import time
    from pathlib import Path
    here = Path(__file__).parent
    def wait(name):
        while not (here / name).exists(): time.sleep(0.01)
    def register(ctx):
        ctx.register_hook("pre_llm_call", lambda **kwargs: "early")
        ctx.on_unload(lambda: (here / "unloaded").touch())
        wait("go")
        made = [ctx.register_hook("pre_llm_call", print), ctx.register_command("late", str), ctx.on_unload(print)]
        (here / "done").write_text(repr(made))
"""


@case(
    "N22",
    plugins={"slow": plugin(SLOW, name="slow"), "z": plugin(name="z")},
    config={"plugins": {"load_timeout_seconds": 0.5}},
    enable=["slow", "z"],
    releases=LATE,
    also=("N23",),
)
def a_plugin_over_the_load_timeout_is_unloaded(host):
    place = host.home / "plugins" / "slow"
    seen = [host.fire("pre_llm_call"), (place / "unloaded").exists()]
    (place / "go").touch()
    until = time.monotonic() + 20
    while not (place / "done").exists() and time.monotonic() < until:
        time.sleep(0.01)
    return [*seen, (place / "done").read_text(), host.commands]


def plugins_with_timeout(setting):
    """Return arguments of a case with two fast plugins and this load timeout."""
    plugins = {name: plugin(name=name) for name in ("a", "b")}
    return {
        "plugins": plugins,
        "config": {"plugins": {"load_timeout_seconds": setting}},
        "enable": [*plugins],
        "releases": LATE,
    }


@case("N22", **plugins_with_timeout("soon"))
def a_load_timeout_that_is_not_a_number_is_ignored(host): ...


@case("N22", **plugins_with_timeout(-1))
def a_negative_load_timeout_is_ignored(host): ...


@case("N22", **plugins_with_timeout(601))
def a_load_timeout_over_the_maximum_is_clamped(host): ...


THREAD = """
    import threading
    imported = threading.current_thread().name
    def register(ctx):
        name = threading.current_thread().name
        ctx.register_command("threads", lambda text: f"{imported} {name}")
"""


@case("N22", plugins={"p": plugin(THREAD, name="p")}, enable=["p"], releases=LATE)
def each_plugin_loads_on_its_own_thread(host):
    return host.command("/threads")


@case(
    "N22",
    plugins={"p": plugin(THREAD, name="p")},
    config={"plugins": {"load_timeout_seconds": 0}},
    enable=["p"],
    releases=LATE,
)
def plugins_load_on_the_main_thread_without_a_timeout(host):
    return host.command("/threads")


@case(
    "N29",
    plugins={"p": plugin(name="p")},
    config={"plugins": {"isolation": "full"}},
    enable=["p"],
)
def an_unknown_isolation_loads_plugins_in_process(host): ...


@case(
    "N28",
    one="async def register(ctx): ctx.register_command('c', str)\n",
)
def an_async_register_is_not_awaited(host): ...
