"""An installed real host loads plugins that the embedded host does not support."""

import io
import json

import on_disk
import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.check.report import json as json_report
from hermes_sdk.check.report import text
from hermes_sdk.check.rule import MANIFEST, NOTHING
from hermes_sdk.errors import UnavailableError, UsageError

tmp_path = on_disk.tmp_path

RELEASE = "0.19.0"
REFUSED = "import run_agent\n\n\ndef callback():\n    pass\n\n\n"
SOURCE = f"{REFUSED}def register(ctx):\n    ctx.register_hook('on_session_start', callback)\n"


@pytest.fixture
def write_unsupported(plugin):
    """Return a function that writes a plugin with an import that the embedded host does not support."""

    def write(source: str = SOURCE, **files: str):
        manifest = f"{MANIFEST}provides_hooks: [on_session_start]\n"
        return plugin({"plugin.yaml": manifest, "__init__.py": source, **files})

    return write


def find_errors(directory) -> list[tuple[str, str, int]]:
    found = check(directory, Options(release=RELEASE, host="auto")).findings
    return [(one.code, one.path, one.line) for one in found if one.severity == "error"]


@pytest.mark.real_host
def test_real_host_loads_unsupported_plugins(plugin, write_unsupported, real_python):
    real_python(RELEASE)
    result = check(write_unsupported(), Options(release=RELEASE, host="auto"))
    assert [(one.code, one.line) for one in result.findings if one.severity == "error"] == [("HS402", 4)]
    assert result.not_run == ()
    assert result.isolation == check(plugin({"plugin.yaml": MANIFEST, "__init__.py": NOTHING})).isolation


@pytest.mark.real_host
def test_real_host_isolates_the_plugin(write_unsupported, real_python, tmp_path):
    real_python(RELEASE)
    layers = check(write_unsupported(), Options(release=RELEASE, host="auto")).isolation.split()
    if "landlock" not in layers:
        pytest.skip("this machine has no landlock")
    source = f"{REFUSED}open({str(tmp_path / 'written')!r}, 'w')\n\n\ndef register(ctx):\n    pass\n"
    assert [code for code, _, _ in find_errors(write_unsupported(source))] == ["HS201"]
    assert not (tmp_path / "written").exists()


@pytest.mark.real_host
def test_real_host_error_has_its_place(write_unsupported, real_python):
    real_python(RELEASE)
    source = f"{REFUSED}def register(ctx):\n    from . import part\n"
    assert find_errors(write_unsupported(source, **{"part.py": "\nraise ValueError('no')\n"})) == [
        ("HS201", "part.py", 2)
    ]


@pytest.mark.real_host
def test_real_host_error_has_a_fix(write_unsupported, real_python):
    real_python(RELEASE)
    source = f"{REFUSED}def register(ctx):\n    ctx.register_skill('s', __file__)\n"
    found = check(write_unsupported(source), Options(release=RELEASE, host="auto")).findings
    assert [one.fix[:33] for one in found if one.code == "HS201"] == ["Pass the path as a pathlib.Path, "]


@pytest.mark.real_host
def test_real_host_exit_is_a_finding(write_unsupported, real_python):
    real_python(RELEASE)
    source = f"{REFUSED}def register(ctx):\n    if run_agent.__file__:\n        raise SystemExit(3)\n"
    assert [code for code, _, _ in find_errors(write_unsupported(source))] == ["HS202"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"release": RELEASE}, f"is not installed: run `hermes-sdk hosts install {RELEASE}`"),
        ({"release": "0.20.1"}, "the real Hermes 0.20.1 is not installed"),
    ],
)
def test_missing_real_host_is_the_reason_for_undecided_rules(write_unsupported, tmp_path, monkeypatch, options, reason):
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "empty"))
    result = check(write_unsupported(), Options(host="auto", **options))
    assert "HS401" in {one.code for one in result.not_run}
    assert all(reason in one.reason for one in result.not_run)
    assert not (tmp_path / "empty" / "environments").exists()


@pytest.mark.real_host
def test_check_does_not_install_requirements(write_unsupported, real_python):
    real_python(RELEASE)
    result = check(
        write_unsupported(**{"requirements.txt": "no-such-package-of-anybody==1.2.3\n"}),
        Options(release=RELEASE, host="auto"),
    )
    assert "lacks what the plugin requires" in result.not_run[0].reason
    assert f"`hermes-sdk show --host real --release {RELEASE} --install`" in result.not_run[0].reason


def as_json(result) -> dict[str, object]:
    written = io.StringIO()
    json_report.write(result, written)
    document = json.loads(written.getvalue())
    return {key: document[key] for key in ("host", "rerun", "reason")}


@pytest.mark.real_host
def test_reports_explain_the_run_in_the_real_host(write_unsupported, real_python, monkeypatch):
    real_python(RELEASE)
    monkeypatch.setenv("COLUMNS", "200")
    result = check(write_unsupported(), Options(release=RELEASE, host="auto"))
    reason = "the plugin imports host modules that the embedded host does not model: run_agent"
    assert as_json(result) == {"host": "real", "rerun": True, "reason": reason}
    report = io.StringIO()
    text.write(result, report)
    assert f"note:  Ran in the real Hermes {RELEASE}, because {reason}.\n" in report.getvalue()


@pytest.mark.real_host
def test_explicit_host_is_the_only_one_used(plugin, write_unsupported, real_python):
    real_python(RELEASE)
    result = check(write_unsupported(), Options(release=RELEASE, host="embedded"))
    assert "HS402" in {one.code for one in result.not_run}
    assert (as_json(result)["host"], as_json(result)["rerun"]) == ("embedded", False)
    result = check(plugin({"plugin.yaml": MANIFEST, "__init__.py": NOTHING}), Options(release=RELEASE, host="real"))
    assert as_json(result) == {"host": "real", "rerun": False, "reason": None}


def test_check_does_not_install_the_named_real_host(write_unsupported, tmp_path, monkeypatch):
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "empty"))
    with pytest.raises(UnavailableError) as caught:
        check(write_unsupported(), Options(release=RELEASE, host="real"))
    command = f"`hermes-sdk hosts install {RELEASE}`"
    assert str(caught.value) == f"The real Hermes {RELEASE} is not installed: run {command}."


def test_unmodelled_release_is_checked_only_statically_without_the_real_host(write_unsupported, tmp_path, monkeypatch):
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "empty"))
    with pytest.raises(UsageError, match=r"models Hermes 0\.19\.0 and later"):
        check(write_unsupported(), Options(release="0.16.0", host="embedded"))
    result = check(write_unsupported(), Options(release="0.16.0", host="auto"))
    assert {one.code for one in result.findings if one.severity == "error"} == {"HS402"}
    reasons = {one.reason.partition("; only")[0] for one in result.not_run}
    command = "`hermes-sdk hosts install 0.16.0`"
    assert reasons == {
        f"The embedded host models Hermes 0.19.0 and later; the real Hermes 0.16.0 is not installed: run {command}"
    }
