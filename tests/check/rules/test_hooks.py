"""Rules about the arguments and the results of hook callbacks."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.check.rule import MANIFEST


def hook_plugin(source: str, *hooks: str) -> dict[str, str]:
    calls = "".join(f"    ctx.register_hook('{hook}', callback)\n" for hook in hooks)
    return {
        "plugin.yaml": f"{MANIFEST}provides_hooks: [{', '.join(hooks)}]\n",
        "__init__.py": f"{source}\n\n\ndef register(ctx):\n{calls}",
    }


def find(directory, release: str | None = None) -> list[tuple[str, str, int]]:
    return [(one.code, one.severity, one.line) for one in check(directory, Options(release=release)).findings]


def callback(*body: str, parameters: str = "**kwargs") -> str:
    return "\n    ".join([f"def callback({parameters}):", *body])


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (callback("print(text)", parameters="text, **kwargs"), [("HS404", "error", 1)]),
        (callback("print(text)", parameters="*, text, **kwargs"), [("HS404", "error", 1)]),
        (callback("print(text)", parameters="text='', **kwargs"), [("HS404", "warning", 1)]),
        (callback("print(kwargs['text'])"), [("HS404", "error", 2)]),
        (callback("print(kwargs.get('text'))"), [("HS404", "warning", 2)]),
        ("callback = lambda text, **kwargs: None", [("HS404", "error", 1)]),
        (callback("print(output, returncode)", parameters="output, returncode, **kwargs"), []),
        (callback("print(kwargs['output'])"), []),
        (callback("print(kwargs.get('text') or kwargs.get('output'))"), []),
        (callback("print(kwargs.get('text', kwargs.get('output')))"), []),
        (callback("if 'text' in kwargs:", "    print(kwargs['text'])"), []),
        (callback("print(args)", parameters="*args, **kwargs"), []),
        (callback("kwargs['text'] = 1"), []),
    ],
)
def test_unknown_arguments_that_a_callback_reads_are_reported(plugin, source, expected):
    assert find(plugin(hook_plugin(source, "transform_terminal_output"))) == expected


def test_misspelt_argument_gets_a_suggestion(plugin):
    directory = plugin(
        hook_plugin(callback("print(outputs)", parameters="outputs, **kwargs"), "transform_terminal_output")
    )
    assert "did you mean 'output'?" in check(directory).findings[0].message


def test_argument_passed_only_by_some_calls_needs_a_default(plugin):
    directory = plugin(hook_plugin(callback("print(reason)", parameters="reason, **kwargs"), "on_session_end"))
    assert find(directory) == [("HS404", "warning", 1)]


def test_callback_of_two_hooks_may_read_arguments_of_both(plugin):
    source = callback("print(result, user_message)", parameters="result=None, user_message=None, **kwargs")
    assert find(plugin(hook_plugin(source, "post_tool_call", "pre_llm_call"))) == []


def test_optional_argument_of_another_release_is_allowed(plugin):
    source = callback("print(kwargs.get('turn_id'))")
    assert find(plugin(hook_plugin(source, "pre_llm_call")), release="0.13.0") == []


def test_self_of_a_bound_method_is_not_an_argument(plugin):
    source = "class Watch:\n    def see(self, output, **kwargs):\n        print(output)\n\n\ncallback = Watch().see"
    assert find(plugin(hook_plugin(source, "transform_terminal_output"))) == []


@pytest.mark.parametrize(
    ("hook", "result", "severity"),
    [
        ("pre_tool_call", "{'action': 'block', 'message': 'no'}", None),
        ("pre_tool_call", "{'action': 'approve'}", None),
        ("pre_tool_call", "{'action': 'allow'}", None),
        ("pre_tool_call", "{}", None),
        ("pre_tool_call", "{**kwargs}", None),
        ("pre_tool_call", "decide(kwargs)", None),
        ("pre_tool_call", "{'action': 'block'}", "error"),
        ("pre_tool_call", "{'action': 'block', 'message': ''}", "error"),
        ("pre_tool_call", "{'action': 'deny', 'message': 'no'}", "error"),
        ("pre_tool_call", "{'block': True}", "error"),
        ("pre_tool_call", "'no'", "error"),
        ("pre_llm_call", "'context'", None),
        ("pre_llm_call", "{'context': 'c'}", None),
        ("pre_llm_call", "{'text': 'c'}", "error"),
        ("pre_verify", "{'action': 'continue', 'message': 'm'}", None),
        ("pre_verify", "{'decision': 'block', 'reason': 'm'}", None),
        ("pre_verify", "{'action': 'block'}", "error"),
        ("pre_gateway_dispatch", "{'action': 'skip'}", None),
        ("pre_gateway_dispatch", "{'action': 'rewrite', 'text': 't'}", None),
        ("pre_gateway_dispatch", "{'action': 'rewrite'}", "error"),
        ("pre_gateway_dispatch", "{'action': 'drop'}", "error"),
        ("transform_tool_result", "f'{kwargs}'", None),
        ("transform_tool_result", "{'result': 'r'}", "error"),
        ("post_tool_call", "None", None),
        ("post_tool_call", "True", None),
        ("post_tool_call", "{'action': 'block'}", "warning"),
    ],
)
def test_results_of_callbacks_are_checked(plugin, hook, result, severity):
    source = f"def decide(kwargs):\n    return None\n\n\n{callback(f'return {result}')}"
    expected = [("HS405", severity, 6)] if severity else []
    assert find(plugin(hook_plugin(source, hook))) == expected


@pytest.mark.parametrize(("release", "expected"), [("0.18.0", [("HS405", "error", 2)]), ("0.18.1", [])])
def test_known_actions_depend_on_the_release(plugin, release, expected):
    directory = plugin(hook_plugin(callback("return {'action': 'approve'}"), "pre_tool_call"))
    assert find(directory, release) == expected


@pytest.mark.parametrize(
    ("body", "parameters", "severity"),
    [
        ("print(dict(event='x', **kwargs))", "**kwargs", "warning"),
        ("print(dict(tool_name='x', **kwargs))", "**kwargs", "error"),
        ("print(dict(tool_name=tool_name, **kwargs))", "tool_name, **kwargs", None),
        ("print(dict(**kwargs))", "**kwargs", None),
        ("kwargs.pop('event', None)\n    print(dict(event='x', **kwargs))", "**kwargs", None),
    ],
)
def test_forwarded_keywords_are_checked(plugin, body, parameters, severity):
    directory = plugin(hook_plugin(callback(body, parameters=parameters), "pre_tool_call"))
    assert [one[:2] for one in find(directory)] == ([("HS406", severity)] if severity else [])


@pytest.mark.parametrize(("kind", "expected"), [("tool_request", []), ("tool_call", [("HS407", "error", 2)])])
def test_middleware_kinds_are_checked(plugin, kind, expected):
    source = f"def register(ctx):\n    ctx.register_middleware('{kind}', lambda **kwargs: None)\n"
    assert find(plugin({"__init__.py": source})) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("time.sleep(2)", 5),
        ("urllib.request.urlopen('https://example.org')", 5),
        ("requests.get('https://example.org')", 5),
        ("requests.get('https://example.org', timeout=None)", 5),
        ("subprocess.run(['true'])", 5),
        ("helper()", 9),
        ("time.sleep(0.01)", None),
        ("urllib.request.urlopen('https://example.org', None, 2)", None),
        ("requests.get('https://example.org', timeout=2)", None),
        ("subprocess.run(['true'], timeout=2)", None),
        ("subprocess.run(['true'], **OPTIONS)", None),
        ("threading.Thread(target=helper).start()", None),
        ("threading.Thread(target=lambda: time.sleep(2)).start()", None),
        ("other.helper()", None),
    ],
)
def test_blocking_callback_is_reported(plugin, body, expected):
    head = "import requests, subprocess, threading, time, urllib.request\n\n\n"
    helper = "def helper():\n    time.sleep(2)\n    helper()\n"
    directory = plugin(hook_plugin(f"{head}{callback(body)}\n\n\n{helper}", "on_session_start"))
    blocking = [one.line for one in check(directory).findings if one.code == "HS409"]
    assert blocking == ([expected] if expected else [])


@pytest.mark.parametrize(
    "call",
    [
        "ctx.register_hook('on_session_start', None)",
        "ctx.register_hook('on_session_start', 'callback')",
        "ctx.register_middleware('tool_request', {})",
        "ctx.register_command('roll', None)",
        "ctx.register_cli_command('roll', 'Roll.', None)",
    ],
)
def test_callback_must_be_callable(plugin, call):
    manifest = f"{MANIFEST}provides_hooks: [on_session_start]\n" if "hook" in call else MANIFEST
    directory = plugin({"plugin.yaml": manifest, "__init__.py": f"def register(ctx):\n    {call}\n"})
    assert find(directory) == [("HS408", "error", 2)]


@pytest.mark.parametrize(
    ("hook", "requires", "source", "expected"),
    [
        ("pre_api_request", ">=0.19", callback("print(a)", parameters="system_prompt, **kwargs"), [("HS410", 1)]),
        ("pre_api_request", ">=0.20", callback("print(kwargs['system_prompt'])"), [("HS410", 2)]),
        ("pre_api_request", ">=0.20.1", callback("print(kwargs['system_prompt'])"), []),
        ("post_api_request", ">=0.21.5", callback("print(kwargs['context_length'])"), [("HS410", 2)]),
        ("post_api_request", ">=0.22", callback("print(kwargs['context_length'])"), []),
        ("pre_api_request", ">=0.13", callback("print(kwargs.get('system_prompt'))"), []),
        ("pre_api_request", ">=0.13", callback("print(a)", parameters="system_prompt=None, **kwargs"), []),
        ("pre_api_request", ">=0.13", callback("if 'system_prompt' in kwargs:", "    kwargs['system_prompt']"), []),
        ("pre_api_request", ">=0.13", callback("print(kwargs['model'])"), []),
        ("pre_api_request", "newest", callback("print(kwargs['system_prompt'])"), [("HS127", 6)]),
    ],
)
def test_required_arguments_must_exist_on_all_admitted_releases(plugin, hook, requires, source, expected):
    directory = plugin(hook_plugin(source, hook))
    with (directory / "plugin.yaml").open("a") as manifest:
        manifest.write(f"requires_hermes: '{requires}'\n")
    assert [(code, line) for code, _, line in find(directory)] == expected


def test_newest_release_without_an_argument_is_named(plugin):
    files = hook_plugin(callback("print(kwargs['system_prompt'])"), "pre_api_request")
    files["plugin.yaml"] += "requires_hermes: '>=0.13'\n"
    (one,) = check(plugin(files)).findings
    assert one.message == "'pre_api_request' passes no 'system_prompt' in Hermes 0.20.0, which requires_hermes admits"
