async def handle(event_type, context):
    if event_type == "command:watch":
        return {"decision": "deny", "message": "not here"}
    return None
