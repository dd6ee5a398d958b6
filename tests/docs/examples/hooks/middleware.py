def answer_in_french(request, **kwargs):
    hint = {"role": "system", "content": "Answer in French."}
    return {"request": {**request, "messages": [hint, *request["messages"]]}}


def register(ctx):
    ctx.register_middleware("llm_request", answer_in_french)


def test_request_has_the_hint(hermes):
    hermes.llm.script("Bonjour")
    hermes.chat("Hello")
    assert "Answer in French." in hermes.llm.requests[0].system_text
