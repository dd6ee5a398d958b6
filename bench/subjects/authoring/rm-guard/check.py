import pytest


@pytest.mark.parametrize("command", ["rm -rf build", "rm -fr build", "cd src && rm -rf ./*"])
def test_rm_rf_asks(hermes, command):
    (answer,) = hermes.fire("pre_tool_call", tool_name="terminal", args={"command": command})
    assert (answer["action"], bool(answer["message"])) == ("approve", True)


@pytest.mark.parametrize("command", ["ls -l", "rm build.log", "git rm --cached x", "cargo run"])
def test_other_commands_run(hermes, command):
    assert hermes.fire("pre_tool_call", tool_name="terminal", args={"command": command}) == []


def test_other_tools_run(hermes):
    assert hermes.fire("pre_tool_call", tool_name="write_file", args={"path": "x", "content": "rm -rf build"}) == []
