"""Cases of the interface of each release: members of `ctx`, arguments of hooks, fields of data classes."""

from conformance.case import RELEASES, case, plugin
from conformance.recorder import call_tools, read_notes, recorder

from hermes_sdk import contract

CONTRACTS = [contract.load(release) for release in RELEASES]
MEMBERS = sorted({name for one in CONTRACTS for name in one.context if not name.startswith("_")})
HOOKS = sorted({name for one in CONTRACTS for name in one.hooks})


@case(
    "surface",
    # Without a kind, the names of members would make it a memory provider.
    plugins={
        "p": plugin(
            recorder(f"""
        import inspect
        def signature(member):
            parameters = inspect.signature(member).parameters.values()
            return [[one.name, one.kind.name, repr(one.default)] for one in parameters]
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
)
def ctx_has_the_members_and_parameters_of_the_release(host):
    return read_notes(host)


@case(
    "surface",
    one=recorder(f"""
        for name in {HOOKS!r}: watch(name)
        tool("t"); tool("raises", lambda args, **kwargs: 1 / 0); tool("execute_code")
    """),
)
def hooks_and_handlers_get_the_arguments_of_the_release(host):
    for hook in contract.load(host.release).hooks:
        host.fire(hook)
    return [call_tools(host, "t", "raises", "execute_code", n="1"), read_notes(host)]


@case(
    "surface",
    one="""
        from gateway.config import PlatformConfig
        def register(ctx): ctx.register_command("answer", lambda line: repr(PlatformConfig(*range(9))))
    """,
)
def the_settings_of_a_platform_have_the_fields_of_the_release(host):
    return host.command("/answer")
