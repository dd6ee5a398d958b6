def test_the_tool_and_the_command_work(hermes):
    assert not hermes.call_tool("team_notes_add", note="Buy tea.").error
    assert "Buy tea." in hermes.command("/team-notes")


def test_everything_is_registered(hermes):
    assert (hermes.tools, hermes.hooks) == (["team_notes_add"], ["pre_llm_call"])
