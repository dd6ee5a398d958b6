# The few functions of nixpkgs that nix/*.nix uses, as raw derivations with the tools of the machine, so that builds are
# possible without nixpkgs. `python` is an interpreter, `yaml` the directory with its YAML libraries.
{
  python ? "/usr/bin/python3",
  yaml ? "/usr/lib/python3/dist-packages",
  system ? builtins.currentSystem,
}:
let
  lib = import ./lib.nix;
  shell = "/bin/bash";
  notForTheBuilder = [
    "meta"
    "nativeBuildInputs"
    "passthru"
  ];

  runCommand =
    name: env: script:
    derivation (
      removeAttrs env notForTheBuilder
      // {
        inherit name system;
        builder = shell;
        PATH = builtins.concatStringsSep ":" (
          map (package: "${package}/bin") (env.nativeBuildInputs or [ ]) ++ [ "/usr/bin:/bin" ]
        );
        # End with a builtin: bash replaces itself with a last program, coreutils close stdout before they exit, and
        # Nix 2.8 treats that as the end of the build and kills it.
        args = [
          "-euo"
          "pipefail"
          "-c"
          (script + "\n:\n")
        ];
      }
    )
    // (env.passthru or { })
    // {
      meta = env.meta or { };
    };

  # An environment as nixpkgs makes one, with its YAML libraries and nothing else.
  python3 = runCommand "python3-env" { passthru.withPackages = _: python3; } ''
    version=$(${python} -I -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    mkdir -p "$out/bin" "$out/lib/python$version/site-packages"
    ln -s ${python} "$out/bin/python3"
    printf 'home = %s\n' "$(dirname ${python})" > "$out/pyvenv.cfg"
    ln -s ${yaml}/yaml ${yaml}/_yaml ${yaml}/ruamel ${yaml}/_ruamel_yaml* "$out/lib/python$version/site-packages"
  '';

  # Python packages are only named here, never built: the ones that pyproject.toml asks for.
  inherit (fromTOML (builtins.readFile ../../pyproject.toml)) build-system project;
  python3Packages =
    builtins.listToAttrs (
      map (requirement: rec {
        name = builtins.head (builtins.match "([A-Za-z0-9-]+).*" requirement);
        value = runCommand name { } ''mkdir "$out"'';
      }) (build-system.requires ++ project.dependencies)
    )
    // {
      buildPythonPackage = arguments: runCommand arguments.pname { passthru = arguments; } ''mkdir "$out"'';
    };
in
{
  inherit lib python3 python3Packages runCommand;
  callPackage = file: overrides: import file ({ inherit lib python3Packages; } // overrides);
  runtimeShell = shell;
  writeText =
    name: text:
    runCommand name {
      inherit text;
      passAsFile = [ "text" ];
    } ''cp "$textPath" "$out"'';
  nixfmt = runCommand "nixfmt" { } ''mkdir "$out"'';
}
