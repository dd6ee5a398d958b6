# hermes-sdk itself; its name, version and dependencies come from pyproject.toml.
{ lib, python3Packages }:
let
  inherit (fromTOML (builtins.readFile ../pyproject.toml)) build-system project;
  root = toString ../.;
  shipped = [
    "LICENSE"
    "NOTICE"
    "README.md"
    "cookiecutter.json"
    "docs"
    "hatch_build.py"
    "hermes_sdk"
    "hermes_sdk_pytest.py"
    "pyproject.toml"
    "templates"
  ];
  topLevel = path: builtins.head (builtins.match "/([^/]*).*" (lib.removePrefix root path));
  packageOf = requirement: python3Packages.${builtins.head (builtins.match "([A-Za-z0-9-]+).*" requirement)};
in
python3Packages.buildPythonPackage {
  pname = project.name;
  inherit (project) version;
  pyproject = true;
  src = builtins.path {
    name = "hermes-sdk-source";
    path = ../.;
    filter = path: _type: lib.elem (topLevel path) shipped && baseNameOf path != "__pycache__";
  };
  build-system = map packageOf build-system.requires;
  dependencies = map packageOf project.dependencies;
  pythonImportsCheck = [ "hermes_sdk" ];
  meta = {
    inherit (project) description;
    mainProgram = "hermes-sdk";
    license = lib.licenses.mit;
  };
}
