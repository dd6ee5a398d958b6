"""Cases of the built-in tools of the agent loop, called in a turn."""

from conformance.case import case

from hermes_sdk.llm import call, say

PLUGIN = "def register(ctx): pass\n"


def offer_toolsets(*toolsets):
    """Return a configuration that offers the model these toolsets."""
    return {"platform_toolsets": {"cli": list(toolsets)}}


def call_in_turns(host, tool, *calls):
    """Call a tool in a turn, repeat the last call in the next turn, and return the results."""
    host.llm.script(*(say("", call(tool, args)) for args in calls), "done", call(tool, calls[-1]), "done")
    turns = host.chat("go"), host.chat("again")
    return [one.result.text for turn in turns for one in turn.tool_calls]


TODOS = (
    {},
    {"todos": [{"id": "1", "content": "a", "status": "pending"}, {"id": "2", "content": " ", "status": "odd"}]},
    {"todos": [{"id": "2", "status": "in_progress"}, {"id": "3", "content": "new"}, {"id": ""}], "merge": True},
    {"todos": [{"id": "1", "content": "a"}, {"content": "b"}, {"id": "1", "content": "c", "status": "completed"}]},
)


@case("D33", one=PLUGIN, config=offer_toolsets("todo", "session_search", "clarify"))
def todos_are_stored_and_nobody_answers_clarify(host):
    other = call("session_search", query="zebra"), call("session_search"), call("clarify", question="Which?")
    host.llm.script(*(say("", call("todo", args)) for args in TODOS), *other, call("clarify", question=" "), "done")
    host.llm.script(call("todo"), "done")
    turns = host.chat("go"), host.chat("again")
    return [one.result.text for turn in turns for one in turn.tool_calls]


@case("D33", one=PLUGIN, config=offer_toolsets("clarify"), releases=["0.22.2"])
def nobody_answers_a_list_of_clarify_questions(host):
    questions = [{"question": "Which?", "choices": ["Alpha", "Beta"]}, {"question": "Why?"}]
    return call_in_turns(host, "clarify", {"questions": questions}, {"questions": []})


@case("D33", one=PLUGIN, config=offer_toolsets("todo"))
def todos_of_any_form_are_accepted(host):
    long = {"id": "long", "content": "x" * 5000, "status": "pending"}
    many = [{"id": str(number), "content": "y", "status": "cancelled"} for number in range(300)]
    return call_in_turns(host, "todo", {"todos": [7, long]}, {"todos": "x"}, {"todos": many})


@case("D33", one=PLUGIN, config=offer_toolsets("memory"))
def facts_are_added_to_the_named_memory(host):
    return call_in_turns(
        host,
        "memory",
        {"action": "add", "target": "memory", "content": "First fact"},
        {"action": "add", "target": "user", "content": "Likes tea"},
        {"action": "add", "content": "Second fact"},
        {"action": "add", "target": "odd", "content": "Third fact"},
        {"action": "replace", "target": "memory", "old_text": "First", "content": "Another"},
        {"action": "remove", "target": "user", "old_text": "tea"},
        {"action": "remove", "target": "memory", "old_text": "none"},
        {"action": "odd", "target": "memory"},
        {"action": "add", "target": "memory"},
        {"action": "add", "target": "memory", "content": "Third fact"},
    )


@case("D33", one=PLUGIN, config=offer_toolsets("memory"), until="0.22.2")
def memory_accepts_new_text_for_content(host):
    return call_in_turns(
        host,
        "memory",
        {"action": "add", "target": "memory", "new_text": "First"},
        {"action": "replace", "target": "memory", "old_text": "Fir", "new_text": "Second"},
        {"target": "memory", "operations": [{"action": "add", "content": "", "new_text": "third"}]},
        {"action": "add", "target": "memory", "content": "", "new_text": "b"},
    )


@case(
    "D33",
    one=PLUGIN,
    config=offer_toolsets("memory"),
    files={"memories/MEMORY.md": "a\n\n§\n\nb\n"},
    refused="change a memory file that something else wrote",
)
def facts_written_by_another_program_are_changed(host):
    return call_in_turns(host, "memory", {"action": "replace", "target": "memory", "old_text": "a", "content": "new"})


@case("D33", one=PLUGIN, config=offer_toolsets("todo"), releases=["0.22.2"])
def todo_list_stores_todos(host):
    given = [{"id": "1", "content": "a", "status": "completed"}, {"id": "2", "content": "b"}]
    wrong = [{"id": "3", "content": " "}, {"content": ""}]
    return call_in_turns(
        host,
        "todo_list",
        {},
        {"todos": given},
        {"todos": given},
        {"todos": [{"id": "2", "status": "in_progress"}, {"id": "3", "content": "new"}, {"id": ""}], "merge": True},
        {"todos": wrong},
        {"todos": wrong, "merge": True},
        {"todos": [7]},
        {"todos": "x"},
        {"todos": 5},
    )


@case("D33", one=PLUGIN, config=offer_toolsets("memory"))
def facts_are_stored_in_files_of_the_home(host):
    told = call_in_turns(
        host,
        "memory",
        {"action": "add", "target": "memory", "content": "First fact"},
        {"action": "add", "target": "memory", "content": "First fact"},
        {"action": "add", "content": " Second fact "},
        {"action": "add", "target": "user", "content": "Likes tea"},
        {"action": "replace", "target": "memory", "old_text": "First", "content": "Third"},
        {"action": "remove", "target": "memory", "old_text": "Third"},
        {"action": "replace", "target": "memory", "old_text": "none", "content": "x"},
        {"action": "replace", "target": "memory", "content": "x"},
        {"action": "remove", "target": "memory"},
        {"action": "replace", "target": "memory", "old_text": "fact"},
        {"action": "add", "target": "memory"},
        {"action": "add", "target": "memory", "content": " "},
        {"action": "odd", "target": "memory"},
        {"action": "add", "target": "odd", "content": "x"},
        {"action": "add", "target": "memory", "content": "Fourth"},
    )
    return told, {file.name: file.read_text() for file in sorted((host.home / "memories").iterdir())}


@case(
    "D33",
    one=PLUGIN,
    config={**offer_toolsets("memory"), "memory": {"memory_char_limit": 40}},
)
def facts_over_the_memory_limit_are_rejected(host):
    return call_in_turns(
        host,
        "memory",
        {"action": "add", "target": "memory", "content": "a fact of some length"},
        {"action": "add", "target": "memory", "content": "another of some length"},
        {"action": "add", "target": "memory", "content": "a fact more"},
        {"action": "replace", "target": "memory", "old_text": "a fact", "content": "x"},
        {"action": "replace", "target": "memory", "old_text": "more", "content": "x" * 41},
    )


@case("D33", one=PLUGIN, config=offer_toolsets("memory"))
def a_batch_of_memory_changes_is_atomic(host):
    def batch(*operations):
        keys = ("action", "content", "old_text")
        return {"target": "memory", "operations": [dict(zip(keys, one, strict=False)) for one in operations]}

    return call_in_turns(
        host,
        "memory",
        batch(("add", "one"), ("add", "two"), ("remove", None, "one")),
        batch(("add", "three"), ("replace", "four", "two")),
        batch(("add", "five"), ("remove", None, "none")),
        batch(("odd",)),
        batch(("add",)),
        batch(("replace", "x")),
        batch(("replace", None, "four")),
        batch(("add", "x" * 3000)),
    )


@case(
    "D33",
    one=PLUGIN,
    config={**offer_toolsets("memory"), "memory": {"memory_char_limit": 60, "user_profile_enabled": False}},
    releases=["0.22.2"],
)
def memory_entries_are_patched(host):
    def patch(old, new, **more):
        return {"action": "patch", "target": "memory", "old_text": old, "content": new, **more}

    def batch(*operations):
        return {"target": "memory", "operations": list(operations)}

    told = call_in_turns(
        host,
        "memory",
        {"action": "add", "target": "memory", "content": "Ann’s tea — hot, 1000"},
        {"action": "add", "target": "memory", "content": "Bob likes coffee"},
        patch("tea", "milk"),
        patch("Ann's", "x"),
        patch("00", "11"),
        patch("Bob", "Bob"),
        patch("Bob", "B" * 60),
        patch("Bob", "", new_text="Rob"),
        patch("Bob", ""),
        patch("", "x"),
        patch("likes some coffee", "x"),
        patch("o", "x"),
        patch("milk§Rob", "x"),
        {"action": "remove", "target": "memory", "old_text": "Ann's milk"},
        {"target": "memory"},
        {"action": "add", "target": "user", "content": "x"},
        {"action": "add", "content": "x"},
    )
    more = call_in_turns(
        host,
        "memory",
        batch({"action": "add", "content": "new"}, {"action": "patch", "old_text": "Rob", "content": "Zoe"}),
        batch({"action": "patch", "old_text": "Zoe", "content": " "}),
        batch({"action": "patch", "old_text": "some coffee", "content": "x"}),
        batch({"action": "patch", "old_text": "o", "content": "0"}),
        batch({"action": "remove", "old_text": "new"}, {"action": "remove", "old_text": "Zoe"}),
        batch({"action": "add", "content": "x", "target": "user"}),
    )
    return told, more, {file.name: file.read_text() for file in sorted((host.home / "memories").iterdir())}


OFF = {"memory": {"memory_enabled": False, "user_profile_enabled": False}}


@case("D33", one=PLUGIN, config={**offer_toolsets("memory"), **OFF})
def memory_can_be_disabled(host):
    return call_in_turns(host, "memory", {"action": "add", "target": "memory", "content": "x"})


ASKING_ITSELF = """
def register(ctx):
    tools = ("todo", "memory", "delegate_task", "session_search", "clarify")
    ctx.register_command("ask", lambda arguments: "\\n".join(ctx.dispatch_tool(tool, {"question": "x"}) for tool in tools))
"""


@case("D33", one=ASKING_ITSELF)
def plugins_cannot_dispatch_tools_of_the_agent_loop(host):
    host.call_tool("skills_list")
    return host.command("/ask").splitlines()[:3]
