def register(ctx):
    ctx.register_command("remind", lambda text: str(ctx.inject_message(text)))


def test_message_is_not_injected_without_a_conversation(hermes):
    assert hermes.command("/remind water the oak") == "False"
