#!/bin/sh
set -eu
cd push-guard
hermes-sdk docs how-to/shell-hooks#input-and-output
sed -i '/^RULES = {$/a\    r"\\bgit\\b.*\\breset\\b.*\\s--hard\\b": "That deletes changes which nobody committed. Use git stash.",' \
    agent-hooks/push_guard.py
cat >> tests/test_hook.py <<'END'


def test_a_hard_reset_is_blocked(host: Host) -> None:
    (answer,) = host.fire("pre_tool_call", tool_name="terminal", args={"command": "git reset --hard HEAD~1"})

    assert "git stash" in answer["message"]
    assert host.fire("pre_tool_call", tool_name="terminal", args={"command": "git reset --soft HEAD~1"}) == []
END
hermes-sdk verify
