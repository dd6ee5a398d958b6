"""Rules about read-only directories."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options

HEAD = (
    "import os\nimport sqlite3\nimport subprocess\nfrom pathlib import Path\n\nHERE = Path(__file__).resolve().parent\n"
)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("(HERE / 'state.json').write_text('')", ["HS771"]),
        ("open(HERE / 'state.json', 'w')", ["HS771"]),
        ("open(os.path.join(os.path.dirname(__file__), 'log.txt'), mode='a')", ["HS771"]),
        ("sqlite3.connect(str(HERE / 'notes.db'))", ["HS771"]),
        ("os.makedirs(HERE / 'cache', exist_ok=True)", ["HS771"]),
        ("(HERE / 'state.json').open('x')", ["HS771"]),
        ("(HERE / 'words.txt').read_text()", []),
        ("open(HERE / 'words.txt')", []),
        ("open(HERE / 'words.bin', 'rb')", []),
        ("Path(home, 'state.json').write_text('')", []),
        ("(home / HERE.name).mkdir()", []),
        ("open((HERE / 'name.txt').read_text(), 'w')", []),
        ("subprocess.run(['pip', 'install', 'x'])", ["HS772"]),
        ("subprocess.run(['pip', 'list'])", []),
    ],
)
def test_writing_to_the_plugins_directory_is_reported(plugin, line, expected):
    directory = plugin({"__init__.py": f"{HEAD}\n\ndef register(ctx):\n    home = Path('/')\n    {line}\n"})
    found = check(directory, Options(static=True)).findings
    assert [one.code for one in found if one.code.startswith("HS77")] == expected
