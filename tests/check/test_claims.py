"""What rules say of a release is true there; each case is a plugin that was judged wrongly."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.model import Finding
from hermes_sdk.check.options import Options
from hermes_sdk.check.rule import MANIFEST, Example, example


def hook(name: str, callback: str, manifest: str = MANIFEST) -> Example:
    """A plugin with one hook."""
    source = f"{callback}\n\n\ndef register(ctx):\n    ctx.register_hook('{name}', callback)\n"
    return example(source, manifest=f"{manifest}provides_hooks: [{name}]\n")


ASYNC = "async def callback(user_message, **kwargs):\n    return {'context': 'tea'}"


@pytest.fixture
def find(write):
    """Check a plugin, and return its findings; `target` is a range of releases."""

    def find_problems(files: Example, release: str | None = None, target: str | None = None, static=True):
        return check(write(files), Options(release=release, target=target, static=static)).findings

    return find_problems


def brief(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(found.code, found.severity) for found in findings]


def test_async_callback_is_an_error_only_where_nobody_awaits_it(find):
    assert brief(find(hook("pre_llm_call", ASYNC), "0.20.2")) == [("HS403", "error")]
    assert find(hook("pre_llm_call", ASYNC), "0.22.2", static=False) == ()


def test_error_of_earlier_releases_is_a_warning_that_names_them(find):
    (found,) = find(hook("pre_llm_call", ASYNC), target=">=0.20")
    assert (found.code, found.severity) == ("HS403", "warning")
    assert found.releases == ("0.20.0", "0.20.1", "0.20.2", "0.20.6", "0.21.0")


@pytest.mark.parametrize(
    ("required", "severity"), [(">=0.20.1", "error"), (">=0.21.4", "warning"), ("soon", "warning")]
)
def test_error_of_the_declared_minimum_stays_an_error(find, required, severity):
    files = hook("pre_llm_call", ASYNC, f"{MANIFEST}requires_hermes: '{required}'\n")
    assert ("HS403", severity) in brief(find(files, target=">=0.20"))


def test_newest_release_decides_for_a_range_without_the_default(find):
    assert brief(find(hook("pre_llm_call", ASYNC), target=">=0.20, <0.21.1")) == [("HS403", "error")]


def test_narrow_callback_is_an_error_only_where_all_keywords_are_passed(find):
    files = hook("pre_llm_call", "def callback(user_message):\n    return None")
    assert brief(find(files, "0.19.0")) == [("HS402", "error")]
    assert find(files, "0.20.1") == find(files, "0.22.2", static=False) == ()


DIRECTIVE = "def callback(tool_name='', args=None, **kwargs):\n    return {}"


def test_pre_tool_call_may_modify_arguments_since_0_20_2(find):
    files = hook("pre_tool_call", DIRECTIVE.format('{"action": "modify", "args": {"command": "ls"}}'))
    (found,) = find(files, "0.20.1")
    assert (found.code, found.severity) == ("HS405", "error")
    assert "Hermes 0.20.1 does not know the action 'modify'" in found.message
    assert find(files, "0.20.2") == find(files, "0.22.2", static=False) == ()


def test_authors_who_return_mutate_are_pointed_to_modify(find):
    files = hook("pre_tool_call", DIRECTIVE.format('{"action": "mutate", "args": {"command": "ls"}}'))
    (found,) = find(files, "0.22.2")
    assert found.message.endswith("it knows 'block', 'approve', 'modify', not 'mutate'; did you mean 'modify'?")
    assert "modify" not in find(files, "0.19.0")[0].message


def test_modify_without_arguments_is_ignored(find):
    files = hook("pre_tool_call", DIRECTIVE.format('{"action": "modify", "command": "ls"}'))
    assert [found.message for found in find(files)] == ["'pre_tool_call' ignores this result: 'modify' needs 'args'"]


def test_action_of_a_hook_without_directives_is_not_judged(find):
    result = '{"context": "tea", "action": "approve"}'
    callback = f"def callback(**kwargs):\n    return {result}"
    assert find(hook("pre_llm_call", callback), "0.18.0") == ()


def test_middleware_registered_as_a_hook_is_pointed_to_register_middleware(find):
    (found,) = find(hook("llm_request", "def callback(request=None, **kwargs):\n    return None"))
    assert (found.code, found.message) == ("HS401", "'llm_request' is not a hook but a kind of middleware")
    assert found.fix == "Call ctx.register_middleware('llm_request', …) instead."


@pytest.mark.parametrize("static", [True, False])
def test_findings_about_registrations_have_the_column_of_the_call(find, static):
    source = "def register(ctx):\n    if True: ctx.register_hook('pre_lm_call', lambda **kwargs: None)\n"
    plain = "def register(ctx):\n    ctx.register_hook('pre_lm_call', lambda **kwargs: None)\n"
    (found,) = find(example(plain), static=static)
    assert (found.line, found.column) == (2, 5)
    if not static:
        (found,) = find(example(source), static=static)
        assert (found.line, found.column) == (2, 14)


def test_findings_about_a_lambda_have_its_column(find):
    source = "def register(ctx):\n    ctx.register_hook('on_session_start', lambda: None)\n"
    files = example(source, manifest=f"{MANIFEST}provides_hooks: [on_session_start]\n")
    (found,) = find(files, "0.19.0")
    assert (found.code, found.line, found.column) == ("HS402", 2, 43)
