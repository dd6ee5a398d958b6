"""Cases of section G: memory providers of installed packages, which the host finds by their entry points."""

from conformance.case import case, plugin
from conformance.cases_memory import AGAIN, BUSY, REMEMBERING, WATCHING

from hermes_sdk.home import Home
from hermes_sdk.llm import say


def installed(files, *entry_points, plugins=()):
    """Return the files of a package with entry points of memory providers and of plugins."""
    groups = {"hermes_agent.memory_providers": entry_points, "hermes_agent.plugins": plugins}
    text = "".join(f"[{group}]\n" + "".join(f"{one}\n" for one in lines) for group, lines in groups.items() if lines)
    return {
        **{f"site/{name}": source for name, source in files.items()},
        "site/packaged-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: packaged\nVersion: 1.0\n",
        "site/packaged-1.0.dist-info/entry_points.txt": text,
    }


def configure(name, **more):
    return {"config": {"memory": {"provider": name}, "platform_toolsets": {"cli": ["memory", "w"]}, **more}}


def remembers(host, name, provider="BLOCK-OF-MEMO"):
    """Return whether the prompt contains the block of a provider, and its offered tools."""
    Home(host.home).update_config({"memory": {"provider": name}})
    host.llm.script(say("one"))
    host.chat("first question")
    host.finish()
    asked = host.llm.requests[-1]
    return [provider in asked.system_text, "recall" in str(asked.tools)]


def read_log(host):
    return [f"{one.level} {one.message}" for one in host.log if one.logger == "plugins.memory"]


FACTORIES = f"""
{REMEMBERING}
class Needing(Memo):
    def __init__(self, what): pass

class Registers:
    @staticmethod
    def register(ctx): ctx.register_memory_provider(Memo())

class Empty:
    register = staticmethod(lambda ctx: None)
    Memo = Memo

PROVIDER = Memo()
def make(): return Memo()
def make_nothing(): return None
def fail(): raise ValueError("no")
def keep(ctx): pass
number = 3
"""
VALUES = (
    *("", ":Memo", ":Needing", ":PROVIDER", ":register", ":make", ":make_nothing", ":fail", ":keep", ":number"),
    *(":Registers", ":Empty", ":nowhere"),
)


@case(
    "G1",
    files=installed(
        {"memo_one.py": FACTORIES},
        *(f"memo{number} = memo_one{value}" for number, value in enumerate(VALUES)),
        "absent = no_such_module",
    ),
)
def an_entry_point_of_a_provider_can_name_several_objects(host):
    names = [*(f"memo{number}" for number in range(len(VALUES))), "absent"]
    return [remembers(host, name) for name in names], read_log(host)


@case(
    "G1",
    plugins={"memo": plugin(REMEMBERING.replace("BLOCK", "HOME"))},
    files=installed({"memo_one.py": REMEMBERING}, "memo = memo_one", "other = memo_one"),
)
def a_memory_provider_of_the_home_takes_precedence_over_a_package(host):
    return remembers(host, "memo"), remembers(host, "memo", "HOME-OF-MEMO"), remembers(host, "other")


NAMED = REMEMBERING.replace('"BLOCK-OF-MEMO"', "f'BLOCK-OF-MEMO in {__name__} after {SEEN}.'")
PACKAGE = {
    "memo_package/__init__.py": "import sys\nSEEN = sorted(one for one in sys.modules if 'beside' in one)\n" + NAMED,
    "memo_package/beside.py": "",
    "memo_package/plugin.yaml": "name: memo\ndescription: Remembers it all\n",
    "memo_package/cli.py": """
def register_cli(parser):
    parser.add_argument("word")
def memo_command(args): print(__name__, args.word)
""",
    "memo_package/inner/__init__.py": REMEMBERING.replace("BLOCK", "INNER"),
    "memo_package/single.py": REMEMBERING.replace("BLOCK", "SINGLE"),
    # Nothing in the source marks it as a provider.
    "quiet/__init__.py": "from quiet.parts import *\n",
    "quiet/parts.py": REMEMBERING.replace("BLOCK", "QUIET"),
}
PACKAGED = installed(
    PACKAGE,
    "memo = memo_package:register",
    "inner = memo_package.inner",
    "single = memo_package.single",
    "quiet = quiet",
)


@case("G3", files=PACKAGED, **configure("memo"))
def a_packaged_memory_provider_is_executed_like_a_directory(host):
    told = [remembers(host, name, f"{name.upper()}-OF-MEMO") for name in ("inner", "single", "quiet")]
    told.append(remembers(host, "memo"))
    lines = host.llm.requests[-1].system_text.splitlines()
    return told, [line for line in lines if "BLOCK-OF-MEMO" in line], read_log(host)


@case("G10", files=PACKAGED, **configure("memo"))
def a_packaged_memory_provider_has_a_cli_command(host):
    done = host.cli("memo", "said")
    return done.exit_code, done.stdout if not done.exit_code else None


@case(
    "G1",
    files=PACKAGED,
    enable=["off"],
    **configure("memo", plugins={"disabled": ["memo", "single"]}),
)
def a_packaged_memory_provider_can_be_disabled(host):
    return [remembers(host, "memo"), remembers(host, "single", "SINGLE-OF-MEMO"), read_log(host)]


@case("G4", files=installed({"memo_one.py": BUSY.replace("ASKED", "")}, "memo = memo_one"))
def a_packaged_memory_provider_registers_other_parts(host):
    before = [host.tools, host.hooks, host.commands]
    return before, remembers(host, "memo"), [host.hooks, host.commands], read_log(host)


RAISING = {
    "late.py": BUSY.replace("ASKED", "raise ValueError('late')"),
    "early.py": "# MemoryProvider\ndef register(ctx): raise ValueError('early')\n",
    "broken.py": "1 / 0\n",
    "broken_package/__init__.py": "1 / 0\n",
    "late_package/__init__.py": BUSY.replace("ASKED", "raise ValueError('late')"),
    "missing/__init__.py": "",
}


@case(
    "G4",
    files=installed(RAISING, *(f"{name} = {name}" for name in (one.split(".")[0].split("/")[0] for one in RAISING))),
)
def a_packaged_memory_provider_raises(host):
    names = ("late", "early", "broken", "broken_package", "late_package", "missing")
    told = [remembers(host, name) for name in names]
    # The host logs more at DEBUG.
    return told, [line for line in read_log(host) if not line.startswith("DEBUG")]


def heard_in_sessions(host, name):
    heard = []
    for _ in range(3):
        remembers(host, name)
        heard.append(len(host._fire("post_tool_call", {"tool_name": "t"})))
    return heard


BOTH = installed(
    {"memo_one.py": AGAIN, "memo_package/__init__.py": AGAIN},
    *("memo = memo_one", "packaged = memo_package", "made = memo_one:register"),
    plugins=("memo = memo_one", "packaged = memo_package"),
)


@case("N96", plugins={"w": plugin(WATCHING, name="w")}, files=BOTH, enable=["w", "memo", "packaged"])
def a_packaged_memory_provider_registers_in_every_session(host):
    before = len(host._fire("post_tool_call", {"tool_name": "t"}))
    told = [heard_in_sessions(host, name) for name in ("memo", "packaged", "made")]
    host.rescan()
    return before, told, len(host._fire("post_tool_call", {"tool_name": "t"}))


ASKING = """
import plugins.memory as m
def register(ctx):
    def asked(line):
        names = ("memo", "packaged", "made")
        return repr([
            [one for one in m.list_memory_provider_names() if one in names],
            [one for one in m.discover_memory_providers() if one[0] in names],
            [getattr(m.find_provider_dir(one), "name", None) for one in (*names, "nothing")],
            [type(m.load_memory_provider(one)).__name__ for one in (*names, "nothing")],
        ])
    ctx.register_command("asked", asked)
"""


@case("N96", plugins={"asking": plugin(ASKING, name="asking")}, files=BOTH, enable=["asking"])
def packaged_memory_providers_are_discovered(host):
    told = host.command("/asked")
    return told, host.command("/asked"), len(host._fire("post_tool_call", {"tool_name": "t"}))
