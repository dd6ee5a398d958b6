def register(ctx):
    ctx.register_command("remind", lambda text: str(ctx.inject_message(text)))


def test_there_is_no_conversation_to_inject_into(hermes):
    assert hermes.command("/remind water the oak") == "False"
