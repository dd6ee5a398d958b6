def handle(event_type, context):
    if context["command"] == "help":
        return {"decision": "deny", "message": "No help today."}


def test_help_is_denied(hermes_gateway):
    assert hermes_gateway.dm("ada").receives("/help")[-1].text == "No help today."
