import pytest

from hermes_sdk.testing import call

TOKENS = ("acme_" + "Ab3" * 8, "acme_" + "9" * 24)


@pytest.mark.hermes(config={"platform_toolsets": {"cli": ["file"]}})
def test_the_model_sees_no_tokens(hermes, tmp_path):
    file = tmp_path / "settings.txt"
    file.write_text(f"first = {TOKENS[0]}\nsecond = {TOKENS[1]}\nname = acme_west\n")
    hermes.llm.script(call("read_file", path=str(file)), "Done.")
    (read,) = hermes.chat("What are the settings?").tool_calls
    assert [token in read.result.text for token in TOKENS] == [False, False]
    assert (read.result.text.count("[hidden]"), "name = acme_west" in read.result.text) == (2, True)


def test_results_without_tokens_are_unchanged(hermes):
    assert hermes.fire("transform_tool_result", tool_name="terminal", result="acme_short") == []
