"""What the public documents promise: their examples on the profile ``documented``, where real releases differ too.

`test_conformance` holds the same cases against the real host.
"""

from conformance import cases_documents as documents
from conformance import cases_guide as guide
from conformance.case import CASES, run


def _on(release, act, directory):
    one = next(one for one in CASES if one.act is act)
    return run(one, "embedded", release, directory / release)


def _documented(act, directory):
    return _on("documented", act, directory)


def _outcome(seen, key="p"):
    report = seen["reports"][key]
    return report["status"], report["error"]


def test_the_calculator_works_as_in_the_guide(tmp_path):
    seen = _documented(guide.the_calculator, tmp_path)
    report = seen["reports"]["calculator"]
    assert (report["status"], report["plugin"]["version"]) == ("loaded", "1.0.0")
    assert (report["tools"], report["hooks"]) == (["calculate", "unit_convert"], ["post_tool_call"])
    results = seen["answer"]["results"]
    assert [result.get("result") for result in results] == [65536, 12.0, None, None, 37.7778, 1536.0, 3.1069, None]
    assert results[4] == {"input": "100 F", "result": 37.7778, "output": "37.7778 C"}
    assert len(seen["answer"]["noted"]) == len(results)
    assert [one["function"]["name"] for one in seen["answer"]["offered"]] == ["calculate", "unit_convert"]
    assert seen["swallowed"] == []


def test_a_tool_needs_no_toolset(tmp_path):
    seen = _documented(guide.tools_without_toolset, tmp_path)
    assert _outcome(seen) == ("loaded", None)
    assert seen["answer"] == {"offered": ["other"], "called": ["done", "done"]}
    status, error = _outcome(_on("0.19.0", guide.tools_without_toolset, tmp_path))
    assert (status, "'toolset'" in error) == ("failed", True)


def test_data_files_are_read_at_import(tmp_path):
    assert _documented(guide.data_files_read_at_import, tmp_path)["answer"] == "Python Nix"


def test_a_skill_is_served_with_its_siblings(tmp_path):
    seen = _documented(guide.a_bundle_of_skills, tmp_path)
    assert seen["skills"] == ["my-plugin:my-checklist", "my-plugin:my-workflow"]
    banner, _, content = seen["answer"].partition("]")
    assert "my-checklist" in banner
    assert content.strip().endswith("First this.")


def test_a_missing_variable_disables_the_plugin(tmp_path):
    seen = _documented(guide.a_plugin_whose_key_is_missing, tmp_path)
    assert _outcome(seen, "weather") == ("skipped", "Plugin weather disabled (missing: WEATHER_API_KEY)")
    assert _outcome(_on("0.19.0", guide.a_plugin_whose_key_is_missing, tmp_path), "weather") == ("loaded", None)


def test_all_missing_variables_are_named(tmp_path):
    seen = _documented(guide.a_plugin_whose_keys_are_missing, tmp_path)
    assert _outcome(seen, "weather")[1] == "Plugin weather disabled (missing: WEATHER_API_KEY, OTHER_KEY)"


def test_a_plugin_with_its_variables_loads(tmp_path):
    assert _outcome(_documented(guide.a_plugin_whose_keys_are_there, tmp_path), "weather") == ("loaded", None)


def test_a_cli_command_runs_its_subcommands(tmp_path):
    seen = _documented(guide.a_cli_command_with_subcommands, tmp_path)
    assert seen["answer"] == [[0, "fine\n"], [0, "empty\n"], [0, "status or config?\n"]]


def test_slash_commands_answer_and_builtin_ones_stay(tmp_path):
    seen = _documented(guide.slash_commands_plain_and_async, tmp_path)
    assert seen["answer"] == ["all is well", "help or check", "checked it", None]
    assert any("conflicts with a built-in command" in line for line in seen["log"])


def test_an_installed_package_is_active_at_once(tmp_path):
    act = guide.a_package_that_nobody_enabled
    assert _documented(act, tmp_path)["answer"] == "here"
    seen = _on("0.19.0", act, tmp_path)
    assert (seen["answer"], seen["reports"]["my-plugin"]["status"]) == (None, "skipped")


def test_the_common_mistakes_fail_the_call(tmp_path):
    answers = _documented(guide.the_common_mistakes_of_handlers, tmp_path)["answer"]
    errors = {name: answer["error"] for name, answer in answers.items()}
    assert errors["a_dict"].endswith("unsupported result type: dict")
    assert "TypeError" in errors["no_kwargs"]
    assert "ZeroDivisionError" in errors["raises"]


def test_context_is_collected_in_order_and_failures_are_skipped(tmp_path):
    seen = _documented(guide.context_before_a_turn, tmp_path)
    assert seen["answer"] == [[{"context": "they like tea"}, "be careful"], ["be careful"]]
    assert seen["swallowed"] == [["hook pre_llm_call", "TimeoutError: no store"]] * 2


def test_a_crashing_register_leaves_nothing(tmp_path):
    act = guide.a_register_that_crashes
    seen = _documented(act, tmp_path)
    assert _outcome(seen) == ("failed", "late")
    assert seen["answer"] == ['{"error": "Unknown tool: early"}', [], []]
    assert _on("0.19.0", act, tmp_path)["answer"] == ["done", ["early"], ["early"]]


def test_an_exiting_register_does_not_end_the_host(tmp_path):
    act = guide.a_register_that_exits
    seen = _documented(act, tmp_path)
    assert (_outcome(seen), seen["answer"]) == (("failed", "late"), [])
    assert _on("0.19.0", act, tmp_path) == {"error": "HostExited", "told": "late"}


def test_register_runs_once(tmp_path):
    act = guide.a_rescan_does_not_register_again
    assert _documented(act, tmp_path)["answer"] == "1"
    assert _on("0.19.0", act, tmp_path)["answer"] == "2222"


def test_the_hook_of_hello_world_raises_everywhere(tmp_path):
    seen = _documented(documents.hello_world, tmp_path)
    greetings = [answer["greeting"] for answer in seen["answer"]]
    assert (_outcome(seen, "hello-world"), greetings) == (("loaded", None), ["Hello, Ada!", "Hello, World!"])
    assert [where for where, _ in seen["swallowed"]] == ["hook post_tool_call"] * 2
    assert all("unexpected keyword argument" in error for _, error in seen["swallowed"])


def test_commands_dispatch_tools_and_cannot_inject_without_a_chat(tmp_path):
    seen = _documented(documents.dispatching_and_injecting_from_commands, tmp_path)
    assert seen["answer"] == [{"success": True, "greeting": "Hello, Ada!"}, "False"]


def test_plugins_are_opt_in_and_the_deny_list_wins(tmp_path):
    reports = _documented(documents.opted_in_denied_and_neither, tmp_path)["reports"]
    assert {key: report["status"] for key, report in reports.items()} == {
        "my-tool-plugin": "loaded",
        "noisy-plugin": "skipped",
        "third": "skipped",
    }
    assert reports["noisy-plugin"]["error"] == "disabled via config"


def test_an_upgrade_enables_what_was_installed(tmp_path):
    act = documents.a_home_from_before_opt_in
    seen = _documented(act, tmp_path)
    assert (_outcome(seen, "old"), _outcome(seen, "noisy")) == (("loaded", None), ("skipped", "disabled via config"))
    assert _outcome(_on("0.19.0", act, tmp_path), "old")[0] == "skipped"


def test_the_weather_is_offered_with_its_key(tmp_path):
    answer = _documented(documents.the_weather_with_its_key, tmp_path)["answer"]
    assert answer["offered"] == ["weather", "weather_later", "weather_of_task"]
    assert [result["task_id"] for result in answer["called"]] == ["", "", "task"]
    assert {(result["location"], result["units"]) for result in answer["called"]} == {("London", "metric")}


def test_the_weather_is_left_out_silently_without_its_key(tmp_path):
    act = documents.the_weather_without_its_key
    seen = _documented(act, tmp_path)
    assert (seen["answer"]["offered"], _warnings(seen)) == ([], [])
    assert len(_warnings(_on("0.19.0", act, tmp_path))) == 1


def _warnings(seen):
    return [line for line in seen["log"] if line.startswith("WARNING")]


def test_callbacks_after_a_block_are_not_called(tmp_path):
    act = documents.the_first_block_and_the_callbacks_after_it
    called, audited = _documented(act, tmp_path)["answer"]
    assert called == ['{"error": "too dangerous"}', "{'n': 1}"]
    assert audited == "[['harmless', {'n': '1'}]]"
    assert _on("0.19.0", act, tmp_path)["answer"][1] == "[['terminal_like', {'n': 1}], ['harmless', {'n': 1}]]"


def test_a_transform_gets_arguments(tmp_path):
    act = documents.a_result_that_is_redacted
    seen = _documented(act, tmp_path)
    assert (seen["answer"], seen["swallowed"]) == ("a ***", [])
    seen = _on("0.19.0", act, tmp_path)
    assert (seen["answer"], len(seen["swallowed"])) == ("a secret", 1)
