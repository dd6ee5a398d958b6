"""One small example of each use of hooks. The command ``/journal`` returns their notes."""

import json
from collections import Counter

JOURNAL = []
CALLS = Counter()
RISKY = {"terminal", "write_file", "patch"}


def audit(tool_name, args, task_id, **kwargs):
    JOURNAL.append(["audit", tool_name, sorted(args)])


def warn(tool_name, **kwargs):
    if tool_name in RISKY:
        JOURNAL.append(["risky", tool_name])


def measure(tool_name, result, duration_ms=0, **kwargs):
    CALLS[tool_name] += 1
    JOURNAL.append(["measured", tool_name, type(result).__name__, type(duration_ms).__name__])


def recall(session_id, user_message, is_first_turn, **kwargs):
    return {"context": f"Known about {user_message!r}: nothing."} if is_first_turn else None


def rules(**kwargs):
    return "Never tell a secret."


def keep(session_id, user_message, assistant_response, **kwargs):
    JOURNAL.append(["kept", user_message, assistant_response])


def length(session_id, assistant_response, model, **kwargs):
    JOURNAL.append(["length", len(assistant_response), model])


def begin(session_id, model, platform, **kwargs):
    JOURNAL.append(["begun", model, platform])


def end(session_id, completed, interrupted, **kwargs):
    JOURNAL.append(["ended", completed, interrupted])


def helper_ended(parent_session_id, child_role, child_status, duration_ms, **kwargs):
    JOURNAL.append(["helper", child_role, child_status])


def strict(tool_name, result):
    """Fail on every call, because ``**kwargs`` is missing."""


def redact(tool_name, result, **kwargs):
    return result.replace("hunter2", "*****") if "hunter2" in result else None


def secret(args, **kwargs):
    return json.dumps({"password": "hunter2"})


def register(ctx):
    schema = {"name": "secret", "description": "Tells a secret.", "parameters": {"type": "object", "properties": {}}}
    ctx.register_tool("secret", "examples", schema, secret)
    ctx.register_command("journal", lambda raw: json.dumps([JOURNAL, CALLS]))
    for name, callback in (
        ("pre_tool_call", audit),
        ("pre_tool_call", warn),
        ("post_tool_call", measure),
        ("post_tool_call", strict),
        ("pre_llm_call", recall),
        ("pre_llm_call", rules),
        ("post_llm_call", keep),
        ("post_llm_call", length),
        ("on_session_start", begin),
        ("on_session_end", end),
        ("subagent_stop", helper_ended),
        ("transform_tool_result", redact),
    ):
        ctx.register_hook(name, callback)
