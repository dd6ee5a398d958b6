# Build plugins, and the set of plugins that one HERMES_HOME links to. `pkgs` is nixpkgs.
{ pkgs }:
let
  core = import ./core.nix;
  python = pkgs.python3.withPackages (ps: [
    ps.pyyaml
    ps.ruamel-yaml
    ps.ruamel-yaml-clib
  ]);
  quote = word: "'${builtins.replaceStrings [ "'" ] [ "'\\''" ] (toString word)}'";

  # The modules of hermes-sdk that build sandboxes and switches need, next to the programs of nix/tools.
  tools =
    pkgs.runCommand "hermes-plugins-tools"
      {
        programs = ./tools;
        sdk = builtins.path {
          name = "hermes_sdk";
          path = ../hermes_sdk;
          filter = path: _type: baseNameOf path != "__pycache__";
        };
        nativeBuildInputs = [ python ];
      }
      ''
        mkdir "$out"
        cp "$programs"/*.py "$out"
        cp -r "$sdk" "$out/hermes_sdk"
        chmod -R u+w "$out"
        # Use unchecked bytecode, because all files in the store have the same modification time.
        python3 -m compileall -q --invalidation-mode unchecked-hash -s "$out" "$out"
      '';
  run = program: "python3 -E -s -B ${tools}/${program}.py";

  # The fields of the manifest in a source, if they can be read without building a package.
  manifestOf =
    source:
    let
      context = builtins.attrValues (builtins.getContext "${source}");
      isPackage = builtins.any (part: part ? outputs) context;
    in
    if builtins.isPath source then
      read source
    else if isPackage then
      null
    else
      read "${source}";

  read =
    directory:
    let
      manifest = core.readManifest directory;
    in
    # The plugin may be in any directory of a project; hermes-sdk finds it during the build.
    if manifest == null && !(builtins.pathExists (directory + "/pyproject.toml")) then
      throw "no plugin.yaml in ${toString directory}; name the directory of a Hermes plugin, or of a project that holds one"
    else
      manifest;

  # Check a plugin with `hermes-sdk check`, and copy only the files that a host needs.
  buildHermesPlugin =
    {
      # A plugin directory, or a project that contains one: a path, a flake input or a package (as of fetchFromGitHub).
      src,
      # The name in the manifest; required if `src` is a package and the name is used before the package is built.
      name ? null,
      # The kind in the manifest; required in the same cases.
      kind ? null,
      # Patterns of file names to omit.
      exclude ? [
        ".git"
        ".github"
        ".pytest_cache"
        "__pycache__"
        "tests"
      ],
      # Python packages that the plugin imports and the host lacks.
      pythonPackages ? [ ],
      passthru ? { },
      meta ? { },
    }:
    let
      manifest = manifestOf src;
      pick = given: key: if given != null || manifest == null then given else manifest.${key};
      known = {
        name = pick name "name";
        kind = pick kind "kind";
        version = pick null "version";
      };
      arguments =
        (if known.name == null then [ ] else [ "--name=${known.name}" ])
        ++ (if known.kind == null then [ ] else [ "--kind=${known.kind}" ])
        ++ map (pattern: "--exclude=${pattern}") exclude;
    in
    if known.name != null && !(core.validName known.name) then
      throw "buildHermesPlugin: '${known.name}' cannot be the name of a directory; change `name` in plugin.yaml"
    else
      pkgs.runCommand
        (core.storeName (
          "hermes-plugin"
          + (if known.name == null then "" else "-${known.name}")
          + (if known.version == null then "" else "-${known.version}")
        ))
        {
          inherit src meta;
          nativeBuildInputs = [ python ];
          passthru =
            passthru
            // {
              hermesPlugin = known // {
                inherit pythonPackages;
              };
            }
            # lib.getName reads this attribute, and with it the assertions of upstream's extraPlugins.
            // (if known.name == null then { } else { pname = known.name; });
        }
        ''
          ${run "builder"} plugin "$src" "$out" ${toString (map quote arguments)}
        '';

  # Build a plugin, unless it is already a result of buildHermesPlugin.
  toPlugin = source: if (source.hermesPlugin or null) != null then source else buildHermesPlugin { src = source; };

  # Build everything to which one home links as a single store path, including the program that creates the links.
  buildPluginSet =
    {
      # Plugins, or sources of plugins.
      plugins,
      # The prefixes of the plugins' paths, by kind (see core.places).
      places ? core.places {
        managed = true;
        providers = false;
      },
      # Packages for PYTHONPATH; their dependencies are added.
      pythonPackages ? [ ],
      # The host, whose version of Python these packages must support.
      host ? null,
      # Directories to create in the home.
      directories ? [ ],
      # Settings to add to the home's config.yaml; by default, they enable the plugins.
      config ? core.hostConfig places (map described (map toPlugin plugins)),
    }:
    let
      packages = map toPlugin plugins;
    in
    pkgs.runCommand "hermes-plugins"
      {
        plan = builtins.toJSON {
          plugins = map toString packages;
          pythonPackages = map sitePackages (withDependencies pythonPackages);
          host = if pythonPackages == [ ] then [ ] else hostSitePackages host;
          inherit places directories config;
        };
        passAsFile = [ "plan" ];
        launcher = ''
          #!${pkgs.runtimeShell}
          exec ${python}/bin/${run "link"} --set @out@ "$@"
        '';
        nativeBuildInputs = [ python ];
        meta.mainProgram = "hermes-plugins-link";
        passthru.plugins = packages;
      }
      ''
        ${run "builder"} set "$planPath" "$out"
        mkdir "$out/bin"
        printf %s "''${launcher//@out@/$out}" > "$out/bin/hermes-plugins-link"
        chmod +x "$out/bin/hermes-plugins-link"
      '';

  described =
    package:
    if package.hermesPlugin.name == null || package.hermesPlugin.kind == null then
      throw "buildPluginSet: the name and kind of ${package} are known only after a build; give both to buildHermesPlugin"
    else
      package.hermesPlugin
      // {
        activate = true;
        settings = { };
      };

  withDependencies =
    packages:
    builtins.foldl' (known: package: if builtins.elem package known then known else known ++ [ package ]) [ ] (
      packages ++ builtins.concatMap (package: package.requiredPythonModules or [ ]) packages
    );

  sitePackages = package: "${package}/${package.pythonModule.sitePackages}";

  # Patterns for the directories with the host's own packages; upstream's package names the environment.
  hostSitePackages =
    host:
    if host ? hermesVenv then
      [ "${host.hermesVenv}/lib/python*/site-packages" ]
    else if host ? pythonModule then
      map sitePackages (withDependencies [ host ])
    else
      [ ];

  # The PYTHONPATH for packages and their dependencies.
  pythonPath = packages: builtins.concatStringsSep ":" (map sitePackages (withDependencies packages));

  # The programs of a package, with further Python packages on their path.
  withPython =
    package: packages:
    if packages == [ ] then
      package
    else
      pkgs.runCommand "hermes-agent-with-python"
        {
          launcher = ''
            #!${pkgs.runtimeShell}
            export PYTHONPATH=${pythonPath packages}''${PYTHONPATH:+:$PYTHONPATH}
            exec @program@ "$@"
          '';
        }
        ''
          mkdir -p "$out/bin"
          for program in ${package}/bin/*; do
            printf %s "''${launcher//@program@/$program}" > "$out/bin/''${program##*/}"
            chmod +x "$out/bin/''${program##*/}"
          done
        '';
in
{
  inherit
    buildHermesPlugin
    buildPluginSet
    pythonPath
    toPlugin
    withPython
    ;
}
