"""`bench.reach` locates and names functions as Python does."""

from pathlib import Path

from bench.reach import find_functions

SOURCE = """\
import functools


@functools.cache
def outer():
    def inner():
        return 1

    return inner


class Thing:
    if True:

        async def act(self):
            return [one for one in ()]
"""


def test_functions_are_listed_with_first_line_and_name_of_their_code(tmp_path: Path):
    file = tmp_path / "module.py"
    file.write_text(SOURCE)
    module: dict = {}
    exec(compile(SOURCE, str(file), "exec"), module)
    codes = [module["outer"].__wrapped__.__code__, module["Thing"].act.__code__]
    found = list(find_functions(file))
    assert [(one.name, one.first, one.lines) for one in found] == [("outer", 4, 6), ("Thing.act", 15, 2)]
    assert [(one.name.rpartition(".")[2], one.first) for one in found] == [
        (code.co_name, code.co_firstlineno) for code in codes
    ]
