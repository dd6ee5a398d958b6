"""The oldest release that has everything a plugin uses."""

import pytest

from hermes_sdk import contract
from hermes_sdk.contract.floor import Floor, Uses, find_floor


def test_uses_available_in_every_release_set_no_minimum_version():
    oldest = contract.api_releases()[0]
    assert find_floor(Uses()) == Floor(oldest, ())
    assert find_floor(Uses(context=["register_tool"], hooks=["pre_tool_call"])) == Floor(oldest, ())


@pytest.mark.parametrize(
    ("uses", "floor"),
    [
        (Uses(context=["register_middleware"]), Floor("0.17.0", ("ctx.register_middleware",))),
        (Uses(hooks=["pre_verify"]), Floor("0.18.0", ("the hook pre_verify",))),
        (Uses(middleware=["tool_request"]), Floor("0.17.0", ("the middleware tool_request",))),
        (
            Uses(context=["register_middleware"], hooks=["pre_verify"]),
            Floor("0.18.0", ("the hook pre_verify",)),
        ),
        (Uses(context=["subagent_lifecycle"]), Floor("0.19.1", ("ctx.subagent_lifecycle",))),
        (Uses(context=["get_config"]), Floor("0.20.1", ("ctx.get_config",))),
        (Uses(hooks=["post_auxiliary_call"]), Floor("0.21.5", ("the hook post_auxiliary_call",))),
        (
            Uses(context=["register_command"], keywords=[("register_command", "argument_mode")]),
            Floor("0.21.0", ("ctx.register_command(argument_mode=)",)),
        ),
    ],
)
def test_newest_required_release_is_the_minimum_version(uses, floor):
    assert find_floor(uses) == floor


def test_use_available_in_no_release_does_not_raise_the_minimum_version():
    assert find_floor(Uses(context=["register_gadget"], hooks=["pre_verify"])).release == "0.18.0"
    assert find_floor(Uses(hooks=["on_full_moon"])) == Floor(contract.api_releases()[0], ())


def test_module_requires_the_release_that_added_it():
    first, last = (contract.load(name).host_modules for name in (contract.api_releases()[0], contract.DEFAULT))
    module = min(last - first)
    having = [release for release in contract.api_releases() if module in contract.load(release).host_modules]
    assert find_floor(Uses(modules=[module])) == Floor(having[0], (f"the module {module}",))
