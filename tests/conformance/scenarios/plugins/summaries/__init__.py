"""Two commands that request text, and JSON with a schema, from the user's model."""

TASKS = {
    "type": "object",
    "properties": {
        "tasks": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "owner": {"type": "string"},
                    "action": {"type": "string"},
                    "due": {"type": "string", "description": "A date, or nothing."},
                },
                "required": ["action"],
            },
        }
    },
    "required": ["tasks"],
}


def tldr(llm, raw):
    text = raw.strip()
    if not text:
        return "What shall I shorten?"
    messages = [{"role": "system", "content": "Shorten what the user says."}, {"role": "user", "content": text}]
    return llm.complete(messages=messages, max_tokens=256, temperature=0.3, purpose="tldr").text


def paste_to_tasks(llm, raw):
    if not raw.strip():
        return "Which notes?"
    found = llm.complete_structured(
        instructions="List what somebody has to do.",
        input=[{"type": "text", "text": raw}],
        json_schema=TASKS,
        schema_name="meeting.tasks",
        purpose="paste-to-tasks",
        temperature=0.0,
        max_tokens=512,
    )
    if found.parsed is None:
        return f"No JSON came back:\n{found.text}"
    return (
        "\n".join(f"- [{one.get('owner') or '?'}] {one['action']}" for one in found.parsed["tasks"])
        or "(nothing to do)"
    )


def register(ctx):
    ctx.register_command(
        name="tldr", handler=lambda raw: tldr(ctx.llm, raw), description="Shorten.", args_hint="<text>"
    )
    ctx.register_command(
        name="paste-to-tasks",
        handler=lambda raw: paste_to_tasks(ctx.llm, raw),
        description="Find tasks.",
        args_hint="<text>",
    )
