"""What the comparison of the fuzzer leaves out."""

from fuzz.comparison import _portable

USAGE = """\
usage: hermes [-h] [--version]
              {chat,notes}
              ...
hermes: error: argument command: invalid choice: 'note' (choose from 'chat', 'notes')
"""


def test_the_options_of_hermes_are_left_out_and_its_error_is_not() -> None:
    assert _portable(USAGE) == USAGE[USAGE.index("hermes: error") :]


def test_the_options_of_a_plugins_command_are_compared() -> None:
    usage = USAGE.replace("hermes [-h]", "hermes notes [-h]").replace("hermes: error", "hermes notes: error")
    assert _portable(usage) == usage
