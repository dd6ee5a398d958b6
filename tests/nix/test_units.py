"""systemd and ShellCheck accept the generated units and programs."""

import subprocess
from pathlib import Path

import pytest
from nix.conftest import require_program
from nix.running import PLUGINS, Nix, expression, load

AWKWARD = "/var/lib/a home/100% $HOME 'x'/.hermes"


def verify(unit: Path) -> list[str]:
    """Return the messages of systemd about a unit, except for those about missing users and programs."""
    done = subprocess.run(["systemd-analyze", "verify", unit], text=True, capture_output=True, check=False)
    expected = ("Unknown user", "is not executable", "network-online.target", "hermes-plugins.service not found")
    return [line for line in done.stderr.splitlines() if unit.name in line and not any(one in line for one in expected)]


@pytest.fixture(params=[("none", "/var/lib/hermes/.hermes"), ("none", AWKWARD), ("ours", AWKWARD)], ids=repr)
def units(request: pytest.FixtureRequest, nix: Nix, tmp_path: Path) -> list[Path]:
    agent, home = request.param
    options = {"environmentFiles": ["/run/a secret%"], "environment": {"A": "b c"}} if agent == "ours" else {}
    built = nix.build(f"({nix.system(Path(home), ['alpha'], agent=agent, options=options)}).units")
    # systemd requires a file to be named after its unit, but names in the store start with a hash.
    copies = [tmp_path / path.name.split("-", 1)[1] for path in built]
    for path, copy in zip(built, copies, strict=True):
        copy.write_text(path.read_text())
    return [copy for copy in copies if "ExecStart" in copy.read_text()]


def test_systemd_accepts_the_units(units: list[Path]) -> None:
    require_program("systemd-analyze")
    assert units
    assert [line for unit in units for line in verify(unit)] == []


def test_systemd_reports_invalid_units(units: list[Path]) -> None:
    require_program("systemd-analyze")
    unit = units[0]
    unit.write_text(unit.read_text().replace("NoNewPrivileges", "NoNewPrivilege"))
    assert "NoNewPrivilege" in verify(unit)[0]


def test_shellcheck_accepts_generated_programs(nix: Nix, tmp_path: Path) -> None:
    require_program("shellcheck")
    stubs = f"({load('nix/testing/stubs.nix')} {{ lib = {nix.lib}; }})"
    package = f'{nix.pkgs}.runCommand "package" {{ passthru.pythonModule = python; }}'
    code = f"""
      let
        python = {{ pythonVersion = "3.11"; sitePackages = "lib/python3.11/site-packages"; }};
        lib = {nix.lib} // {{ hm.dag.entryAfter = after: data: {{ inherit after data; }}; }};
        config = (lib.evalModules {{
          specialArgs.lib = lib;
          modules = [
            {load("nix/home-manager.nix")}
            {stubs}.homeManager
            {{
              _module.args.pkgs = {nix.pkgs};
              programs.hermes-plugins = {{
                enable = true;
                plugins.alpha.src = /. + {expression(PLUGINS / "alpha")};
                package = {package} "mkdir -p $out/bin $out/lib/python3.11/site-packages; touch $out/bin/hermes";
                extraPythonPackages = [ ({package} "mkdir -p $out/lib/python3.11/site-packages") ];
              }};
            }}
          ];
        }}).config;
      in
      [
        config.programs.hermes-plugins.pluginSet
        ({nix.pkgs}.writeText "activation" config.home.activation.hermesPlugins.data)
      ] ++ config.home.packages
    """
    plugins, activation, hermes = nix.build(code)
    # home-manager runs this text with bash.
    (tmp_path / "activation").write_text("#!/bin/bash\nset -eu\n" + activation.read_text())
    programs = [plugins / "bin" / "hermes-plugins-link", tmp_path / "activation", hermes / "bin" / "hermes"]
    done = subprocess.run(["shellcheck", *programs], text=True, capture_output=True, check=False)
    assert done.stdout == ""
    assert f"PYTHONPATH={hermes.parent}" in programs[2].read_text()
