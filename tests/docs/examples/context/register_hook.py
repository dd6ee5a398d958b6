def shout(response_text, **kwargs):
    return response_text.upper()


def register(ctx):
    ctx.register_hook("transform_llm_output", shout)


def test_the_reply_is_in_capitals(hermes):
    hermes.llm.script("hello")
    assert hermes.chat("Hi").reply == "HELLO"
