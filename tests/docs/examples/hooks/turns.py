def add_date(is_first_turn, **kwargs):
    return {"context": "The fair is on 1 May."} if is_first_turn else None


def register(ctx):
    ctx.register_hook("pre_llm_call", add_date)


def test_model_reads_the_date(hermes):
    hermes.llm.script("On 1 May.")
    hermes.chat("When is the fair?")
    assert "The fair is on 1 May." in hermes.llm.requests[0].user_text
