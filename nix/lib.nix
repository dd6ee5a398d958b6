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

  # The part of hermes-sdk that runs in a build sandbox and at a switch, beside the programs of nix/tools.
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
        # Checked by nothing, since all files of the store have one and the same time.
        python3 -m compileall -q --invalidation-mode unchecked-hash -s "$out" "$out"
      '';
  run = program: "python3 -E -s -B ${tools}/${program}.py";

  # What the manifest in a source says, if it can be read now: a package would have to be built first.
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
    # A project may keep its plugin anywhere; hermes-sdk finds it when it is built.
    if manifest == null && !(builtins.pathExists (directory + "/pyproject.toml")) then
      throw "no plugin.yaml in ${toString directory}; name the directory of a Hermes plugin, or of a project that holds one"
    else
      manifest;

  # Check a plugin with `hermes-sdk check`, and copy it without what a host does not need.
  buildHermesPlugin =
    {
      # A plugin directory or a project that holds one: a path, a flake input or a package such as fetchFromGitHub's.
      src,
      # The manifest's name; needed where `src` is a package and the name matters before it is built.
      name ? null,
      # The kind, likewise.
      kind ? null,
      # Patterns of file names that are left out.
      exclude ? [
        ".git"
        ".github"
        ".pytest_cache"
        "__pycache__"
        "tests"
      ],
      # Python packages that the plugin imports and the host does not have.
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
            # lib.getName, and so the assertions of upstream's extraPlugins, reads this.
            // (if known.name == null then { } else { pname = known.name; });
        }
        ''
          ${run "builder"} plugin "$src" "$out" ${toString (map quote arguments)}
        '';

  # A plugin as it is when buildHermesPlugin made it, else made by buildHermesPlugin.
  toPlugin = source: if (source.hermesPlugin or null) != null then source else buildHermesPlugin { src = source; };

  # Everything that one home links to, in one store path, with the program that links it.
  buildPluginSet =
    {
      # Plugins, or sources of plugins.
      plugins,
      # What stands before a plugin's name, by kind (see core.places).
      places ? core.places {
        managed = true;
        providers = false;
      },
      # Packages for PYTHONPATH, with what they depend on.
      pythonPackages ? [ ],
      # The host, for whose Python these are.
      host ? null,
      # Directories to make in the home.
      directories ? [ ],
      # What to add to the home's config.yaml; by default it enables the plugins.
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

  # Where the host has its own packages, as patterns; upstream's package says in which environment.
  hostSitePackages =
    host:
    if host ? hermesVenv then
      [ "${host.hermesVenv}/lib/python*/site-packages" ]
    else if host ? pythonModule then
      map sitePackages (withDependencies [ host ])
    else
      [ ];

  # PYTHONPATH for packages and what they depend on.
  pythonPath = packages: builtins.concatStringsSep ":" (map sitePackages (withDependencies packages));

  # The programs of a package, which see further Python packages.
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
