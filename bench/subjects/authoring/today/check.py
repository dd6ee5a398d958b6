from datetime import date


def test_each_session_gets_the_date_once(hermes):
    hermes.llm.script("Hi.", "Yes.", "Hi.")
    hermes.chat("Hello")
    hermes.chat("Are you there?")
    hermes.command("/new")
    hermes.chat("Hello")
    first, second, third = (request.user_text for request in hermes.llm.requests)
    assert (date.today().isoformat() in first, second) == (True, "Are you there?")
    assert date.today().isoformat() in third
