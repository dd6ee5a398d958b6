def register(ctx):
    ctx.register_system_prompt_section("trees", lambda facts: f"The user likes trees on {facts['platform']}.")


def test_prompt_has_the_section(hermes):
    hermes.llm.script("Hello")
    hermes.chat("Hi")
    assert "The user likes trees on cli." in hermes.llm.requests[0].system_text
