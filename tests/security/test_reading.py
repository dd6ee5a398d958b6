"""Files that a plugin may read: its own, programs and packages, but not those of the user."""

from __future__ import annotations

import json
import os
import pwd
import ssl
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

import pytest

from hermes_sdk.hosts.processes import process
from hermes_sdk.hosts.processes.isolation.readable import find_readable


@pytest.fixture(autouse=True)
def require_landlock() -> None:
    if "landlock" not in process.find_layers():
        pytest.skip("this machine has no Landlock")


def read_isolated(file: Path, *, readable: list[Path] | None = None, packages: Path | None = None) -> str:
    """Read a file with full isolation in another process, and return its text or the name of the error."""
    program = """
        import json, pathlib, sys
        from hermes_sdk.hosts.processes.isolation import enter
        file, readable, packages, writable = json.loads(sys.argv[1])
        sys.path += packages
        enter([writable], 30, readable)
        try:
            print(pathlib.Path(file).read_text(), end="")
        except OSError as error:
            print(type(error).__name__, end="")
    """
    with TemporaryDirectory() as name:
        given = [str(file), [str(one) for one in readable or ()], [str(packages)] if packages else [], name]
        argv = [sys.executable, "-c", dedent(program), json.dumps(given)]
        return subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True).stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "a project"
    folder.mkdir()
    (folder / "module.py").write_text("as it was", encoding="utf-8")
    return folder


def test_file_of_the_user_is_not_readable(project):
    assert read_isolated(project / "module.py") == "PermissionError"


def test_project_is_readable(project):
    assert read_isolated(project / "module.py", readable=[project]) == "as it was"


def test_missing_readable_path_is_ignored(project):
    assert read_isolated(project / "module.py", readable=[project / "absent", project]) == "as it was"


def test_link_to_the_project_is_readable(project, tmp_path):
    (tmp_path / "link").symlink_to(project)
    assert read_isolated(tmp_path / "link" / "module.py", readable=[tmp_path / "link"]) == "as it was"


@pytest.mark.parametrize(("editable", "found"), [(True, "as it was"), (False, "PermissionError")])
def test_project_installed_in_editable_mode_is_readable(project, tmp_path, editable, found):
    record = tmp_path / "packages" / "demo-1.dist-info" / "direct_url.json"
    record.parent.mkdir(parents=True)
    record.write_text(json.dumps({"url": project.as_uri(), "dir_info": {"editable": editable}}), encoding="utf-8")
    assert read_isolated(project / "module.py", packages=tmp_path / "packages") == found


@pytest.mark.parametrize(
    "text", ["", "[]", "[" * 100_000, '{"dir_info": {"editable": true}}', '{"dir_info": 1}', "\xff"]
)
def test_invalid_direct_url_record_is_ignored(project, tmp_path, text):
    record = tmp_path / "packages" / "demo-1.dist-info" / "direct_url.json"
    record.parent.mkdir(parents=True)
    record.write_text(text, encoding="latin-1")
    assert read_isolated(project / "module.py", readable=[project], packages=tmp_path / "packages") == "as it was"


def test_parents_of_the_home_are_not_readable_even_on_the_module_path():
    home = os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir)
    below = os.path.join(home, "project")  # noqa: PTH118
    found = find_readable([home, os.path.dirname(home), "/", below])  # noqa: PTH120
    assert below in found
    assert not {home, "/"} & set(found)


@pytest.mark.parametrize("name", ["shadow", "sudoers", "ssh/sshd_config", "ssl/private", "machine-id"])
def test_files_of_the_administrator_are_not_readable(name):
    path = Path("/etc", name)
    if not path.exists():
        pytest.skip(f"this machine has no {path}")
    assert read_isolated(path) == "PermissionError"


def test_name_resolution_and_certificates_work(tmp_path):
    program = """
        import pwd, socket, ssl, sys
        from hermes_sdk.hosts.processes.isolation import enter
        enter([sys.argv[1]], 30)
        print(len(ssl.create_default_context().get_ca_certs()), pwd.getpwuid(0).pw_name)
        print(socket.getaddrinfo("localhost", 80, socket.AF_INET)[0][4])
    """
    done = subprocess.run(
        [sys.executable, "-c", dedent(program), tmp_path], capture_output=True, text=True, timeout=60, check=False
    )
    certificates = len(ssl.create_default_context().get_ca_certs())
    assert done.stdout == f"{certificates} root\n('127.0.0.1', 80)\n", done.stderr


PLUGIN = """\
import pathlib, {module}
text = (pathlib.Path(__file__).parent / "data").read_text()

def register(ctx):
    ctx.register_command(text + {module}.text, lambda line: line)
"""


def test_plugin_and_package_below_the_home_load(tmp_path):
    plugin, packages = tmp_path / "plugin", tmp_path / "venv"
    for folder in (plugin, packages):
        folder.mkdir()
    (plugin / "plugin.yaml").write_text("name: example\nversion: '1.0'\nkind: standalone\n", encoding="utf-8")
    (plugin / "__init__.py").write_text(PLUGIN.format(module="helper_below_home"), encoding="utf-8")
    (plugin / "data").write_text("it", encoding="utf-8")
    (packages / "helper_below_home.py").write_text("text = '-works'\n", encoding="utf-8")
    code = f"import sys; sys.path.append({str(packages)!r}); from hermes_sdk.cli.main import run; run()"
    done = subprocess.run(
        [sys.executable, "-c", code, "show", "--json", str(plugin)],
        env={**os.environ, "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert '"it-works"' in done.stdout, done.stdout + done.stderr


def test_programs_of_a_version_manager_are_readable(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", f"{tmp_path}/manager/shims:{tmp_path}/bin:relative:")
    found = find_readable([])
    assert {f"{tmp_path}/manager", f"{tmp_path}/bin"} <= set(found)
    assert not {str(tmp_path), "relative", ""} & set(found)


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """Create a virtual environment next to a file of the user, with its Python in another folder."""
    made = tmp_path / "user" / "env"
    base = tmp_path / "user" / "python"
    for folder in (made / "bin", made / "lib", base / "bin", base / "lib" / "python3.11"):
        folder.mkdir(parents=True)
    (made / "pyvenv.cfg").write_text(f"home = {base}/bin\nversion = 3.11.7\n", encoding="utf-8")
    (base / "bin" / "python3").touch(0o755)
    for file in ("env/lib/module.py", "python/lib/python3.11/os.py", "python/notes", "notes"):
        (tmp_path / "user" / file).write_text("as it was", encoding="utf-8")
    return made


def test_only_the_virtual_environment_on_the_path_is_readable(environment, monkeypatch):
    monkeypatch.setenv("PATH", f"{environment}/bin:{os.environ['PATH']}")
    assert read_isolated(environment / "lib" / "module.py") == "as it was"
    assert read_isolated(environment.parent / "python" / "lib" / "python3.11" / "os.py") == "as it was"
    assert read_isolated(environment.parent / "notes") == "PermissionError"
    assert read_isolated(environment.parent / "python" / "notes") == "PermissionError"


@pytest.mark.parametrize("settings", ["", "home = {0}\n", "home = {0}/../user\n", "home = notes\n", "\xff"])
def test_invalid_home_in_pyvenv_cfg_makes_nothing_readable(environment, monkeypatch, settings):
    monkeypatch.setenv("PATH", f"{environment}/bin:{os.environ['PATH']}")
    (environment / "pyvenv.cfg").write_text(settings.format(environment.parent), encoding="latin-1")
    assert read_isolated(environment.parent / "notes") == "PermissionError"


def test_python_of_a_virtual_environment_on_the_path_runs(tmp_path, monkeypatch):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    monkeypatch.setenv("PATH", f"{tmp_path}/env/bin:{os.environ['PATH']}")
    program = """
        import subprocess, sys
        from hermes_sdk.hosts.processes.isolation import enter
        enter([sys.argv[1]], 30)
        subprocess.run(["python3", "-c", "import json, sys; print(sys.prefix)"], check=True)
    """
    argv = [sys.executable, "-c", dedent(program), tmp_path]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == f"{tmp_path}/env\n", done.stderr


def test_plugin_in_the_home_itself_loads_with_its_requirements(tmp_path):
    (tmp_path / "plugin.yaml").write_text("name: example\nversion: '1.0'\nkind: standalone\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["cookiecutter"]\n', encoding="utf-8")
    source = "import cookiecutter\ndef register(ctx): ctx.register_command('greet', lambda line: line)\n"
    (tmp_path / "__init__.py").write_text(source, encoding="utf-8")
    program = """
        import pathlib, pwd, sys, types
        home = sys.argv[1]
        pwd.getpwuid = lambda user: types.SimpleNamespace(pw_dir=home)
        from hermes_sdk.hosts.inspection import inspect_plugin
        print(inspect_plugin(pathlib.Path(home), in_fork=True)["report"]["commands"])
    """
    argv = [sys.executable, "-c", dedent(program), str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "['greet']\n", done.stderr
