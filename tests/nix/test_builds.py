"""Packages that Nix builds: checked, reduced to the files of the plugin, and reproducible."""

import json
from pathlib import Path

import pytest
from nix.running import PLUGINS, PYTHON, SITE_PACKAGES, BuildError, Nix, expression, flakes, load


def sdk(nix: Nix) -> str:
    return f"({load('nix/lib.nix')} {{ pkgs = {nix.pkgs}; }})"


def plugin(nix: Nix, source: Path, **given: object) -> str:
    arguments = " ".join(f"{name} = {expression(value)};" for name, value in given.items())
    return f"{sdk(nix)}.buildHermesPlugin {{ src = /. + {expression(source)}; {arguments} }}"


def write(directory: Path, code: str = "def register(ctx):\n    pass\n", **manifest: str) -> Path:
    directory.mkdir(parents=True)
    fields = {"kind": "standalone", "version": "1.0.0", "description": "A plugin.", **manifest}
    text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in fields.items())
    (directory / "plugin.yaml").write_text(text)
    (directory / "__init__.py").write_text(code)
    return directory


def test_project_is_built_without_tests(nix: Nix) -> None:
    (built,) = nix.build(plugin(nix, PLUGINS / "project"))
    assert {path.name for path in built.iterdir()} == {"plugin.yaml", "__init__.py"}
    assert built.name.endswith("-hermes-plugin-team-notes-1.0.0")


def test_build_excludes_tests_and_caches(nix: Nix, tmp_path: Path) -> None:
    source = write(tmp_path / "dice", name="dice")
    for name in (".git/config", "tests/test_dice.py", "inner/tests/data.txt", "inner/__pycache__/a.pyc", "inner/b.txt"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text("")
    (built,) = nix.build(plugin(nix, source))
    assert {str(path.relative_to(built)) for path in built.rglob("*") if path.is_file()} == {
        "plugin.yaml",
        "__init__.py",
        "inner/b.txt",
    }


def test_source_that_is_a_derivation_is_built(nix: Nix) -> None:
    fetched = f'({nix.pkgs}.runCommand "source" {{ }} "cp -r ${{/. + {expression(PLUGINS / "project")}}} $out")'
    (built,) = nix.build(f"{sdk(nix)}.buildHermesPlugin {{ src = {fetched}; }}")
    assert (built / "plugin.yaml").read_text().startswith("name: team-notes\n")


@pytest.mark.parametrize(
    ("source", "given", "message"),
    [
        ("alpha", {"name": "gamma"}, "plugin.yaml says name 'alpha', the Nix expression says 'gamma'"),
        ("alpha", {"kind": "exclusive"}, "takes the plugin for kind 'standalone', the Nix expression says 'exclusive'"),
        ("no-manifest", {}, "no plugin"),
    ],
)
def test_invalid_plugin_is_not_built(nix: Nix, source: str, given: dict[str, str], message: str) -> None:
    with pytest.raises(BuildError) as refused:
        nix.build(plugin(nix, PLUGINS / source, **given))
    assert message in str(refused.value)
    assert "Traceback" not in str(refused.value)


def test_check_error_stops_the_build(nix: Nix, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"error HS203 not valid Python(.|\n)*hermes-sdk check found errors"):
        nix.build(plugin(nix, write(tmp_path / "dice", "def register(ctx)\n    pass\n", name="dice")))


def test_link_out_of_the_plugin_is_rejected(nix: Nix, tmp_path: Path) -> None:
    source = write(tmp_path / "dice", name="dice")
    (source / "data").symlink_to("/etc/hostname")
    (source / "code.py").symlink_to("__init__.py")
    with pytest.raises(BuildError, match="data is a link to /etc/hostname, which the plugin does not hold"):
        nix.build(plugin(nix, source))


def test_entry_point_without_manifest_is_rejected_with_advice(nix: Nix, tmp_path: Path) -> None:
    project = tmp_path / "dice"
    project.mkdir()
    (project / "dice.py").write_text("def register(ctx):\n    pass\n")
    entry = '[project]\nname = "dice"\n\n[project.entry-points."hermes_agent.plugins"]\ndice = "dice"\n'
    (project / "pyproject.toml").write_text(entry)
    with pytest.raises(BuildError, match="Put it into extraPythonPackages"):
        nix.build(plugin(nix, project))


def test_set_with_duplicate_names_is_rejected(nix: Nix) -> None:
    both = " ".join(f"({plugin(nix, PLUGINS / source)})" for source in ("alpha", "alpha-v2"))
    with pytest.raises(BuildError, match=r"'alpha' is the name of .* and of "):
        nix.build(f"{sdk(nix)}.buildPluginSet {{ plugins = [ {both} ]; }}")


def python_package(nix: Nix, folder: str, distribution: str) -> str:
    made = f'mkdir -p "$out/{folder}/{distribution}-1.0.dist-info"'
    module = 'pythonModule = { pythonVersion = "3.11"; sitePackages = "lib/python3.11/site-packages"; }'
    return f"({nix.pkgs}.runCommand {expression(distribution)} {{ passthru = {{ {module}; }}; }} {expression(made)})"


def test_overlapping_python_packages_are_reported(nix: Nix) -> None:
    site = "lib/python3.11/site-packages"
    packages = " ".join(python_package(nix, f"{site}", name) for name in ("Some_Name", "some.name"))
    code = f"{sdk(nix)}.buildPluginSet {{ plugins = [ ]; pythonPackages = [ {packages} ]; }}"
    (built,) = nix.build(code)
    assert (built / "python-path").read_text().count(site) == 2
    log = nix.run("nix-store", "--read-log", str(built)).stdout
    assert "some-name is in " in log
    assert "the first one counts" in log


def host(nix: Nix, version: str) -> str:
    """Return an expression for Hermes Agent as upstream packages it, with one package in its environment."""
    made = f'mkdir -p "$out/lib/{version}/site-packages/some_name-2.0.dist-info"'
    return f'{{ hermesVenv = {nix.pkgs}.runCommand "env" {{ }} {expression(made)}; }}'


def test_overlaps_with_packages_of_the_host_are_reported(nix: Nix) -> None:
    package = python_package(nix, "lib/python3.11/site-packages", "some.name")
    given = f"plugins = [ ]; pythonPackages = [ {package} ]; host = {host(nix, 'python3.11')};"
    (built,) = nix.build(f"{sdk(nix)}.buildPluginSet {{ {given} }}")
    assert "-env/lib/python3.11/site-packages and in " in nix.run("nix-store", "--read-log", str(built)).stdout


@pytest.mark.parametrize("version", ["python3.12", "python3.11"])
def test_package_for_another_python_is_rejected(nix: Nix, version: str) -> None:
    # The package declares Python 3.11.
    package = python_package(nix, f"lib/{version}/site-packages", "dice")
    given = f"plugins = [ ]; pythonPackages = [ {package} ]; host = {host(nix, 'python3.12')};"
    with pytest.raises(BuildError, match="these are no Python packages for the host"):
        nix.build(f"{sdk(nix)}.buildPluginSet {{ {given} }}")


def whole_set(nix: Nix) -> str:
    plugins = " ".join(f"({plugin(nix, PLUGINS / name)})" for name in ("alpha", "memo", "model", "spaced"))
    return f"{sdk(nix)}.buildPluginSet {{ plugins = [ {plugins} ]; }}"


def build_twice(nix: Nix, *options: str) -> None:
    """Build a plugin and a set twice; Nix compares the bytes."""
    code = f"[ ({plugin(nix, PLUGINS / 'alpha')}) ({whole_set(nix)}) ]"
    derivations = nix.run("nix-instantiate", "--expr", code).stdout.split()
    first = nix.run("nix-store", "--realise", *derivations)
    again = nix.run("nix-store", "--realise", "--check", *options, *derivations, check=False)
    assert (again.returncode, again.stdout) == (0, first.stdout), again.stderr


def test_builds_are_reproducible(nix: Nix) -> None:
    build_twice(nix)


def test_builds_work_in_the_sandbox(nix: Nix) -> None:
    machine = ["/bin", "/usr", "/lib", "/lib64", str(PYTHON.parent.parent), str(SITE_PACKAGES)]
    there = " ".join(path for path in machine if Path(path).exists())
    options = ["--option", "sandbox", "true", "--option", "sandbox-fallback", "false", "--option", "sandbox-paths"]
    try:
        nix.build(f'{nix.pkgs}.runCommand "probe" {{ }} "mkdir $out"', *options, there)
    except BuildError as error:
        pytest.skip(f"this machine has no sandbox for builds: {str(error).strip().splitlines()[-1]}")
    build_twice(nix, *options, there)


def test_flake_check_passes(nix: Nix, tmp_path: Path) -> None:
    flake, nixpkgs = flakes(nix, tmp_path)
    done = nix.run(
        "nix",
        "flake",
        "check",
        flake,
        "--override-input",
        "nixpkgs",
        nixpkgs,
        "--no-write-lock-file",
    )
    assert "-linking.drv'" in done.stderr
