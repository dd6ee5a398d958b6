"""Values that the comparison of the fuzzer ignores."""

from fuzz.comparison import _portable

USAGE = """\
usage: hermes [-h] [--version]
              {chat,notes}
              ...
hermes: error: argument command: invalid choice: 'note' (choose from 'chat', 'notes')
"""


def test_only_error_in_usage_message_of_hermes_is_compared() -> None:
    assert _portable(USAGE) == USAGE[USAGE.index("hermes: error") :]


def test_options_of_plugin_commands_are_compared() -> None:
    usage = USAGE.replace("hermes [-h]", "hermes notes [-h]").replace("hermes: error", "hermes notes: error")
    assert _portable(usage) == usage
