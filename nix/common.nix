# Code of both modules: computes a set of plugins, its configuration and the assertions from the options of one home.
#   path      the path of the options, for messages
#   cfg       the values of the options
#   upstream  the options of upstream's module, or null if that module is not imported
{
  lib,
  sdk,
  path,
  cfg,
  upstream,
}:
let
  core = import ./core.nix;
  inherit (lib) filter optionalAttrs;

  plugins = lib.attrValues cfg.plugins;
  memoryProviders = core.memoryProviders plugins;

  # Upstream's activation deletes every link whose name matches nix-managed-*.
  places = core.places {
    managed = upstream == null;
    providers = cfg.prefixProviders;
  };

  quoted = names: lib.concatStringsSep " and " (map (name: "'${name}'") names);
  names = map (plugin: plugin.name) (filter (plugin: plugin.name != null) plugins);

  # An assertion that fails if the list `wrong` is not empty; `message` receives the quoted items of the list.
  refuse = wrong: message: {
    assertion = wrong == [ ];
    message = "${path}: ${message (quoted wrong)}";
  };
in
rec {
  pythonPackages = lib.unique (cfg.extraPythonPackages ++ lib.concatMap (plugin: plugin.pythonPackages) plugins);

  hostConfig =
    let
      needed = core.hostConfig places plugins;
    in
    lib.recursiveUpdate needed { plugins.enabled = lib.unique (needed.plugins.enabled ++ cfg.alsoEnable); };

  # Lists of enabled plugins are joined; an assertion below rejects all other settings that both sides set.
  homeConfig = lib.recursiveUpdate cfg.baseConfig (
    lib.recursiveUpdate hostConfig {
      plugins.enabled = lib.unique ((cfg.baseConfig.plugins.enabled or [ ]) ++ hostConfig.plugins.enabled);
    }
  );

  pluginSet = sdk.buildPluginSet {
    plugins = map (
      plugin:
      let
        known = plugin.package.hermesPlugin or { };
      in
      if known != { } && known.name == plugin.name && known.kind == plugin.kind then
        plugin.package
      else
        sdk.buildHermesPlugin {
          src = plugin.package;
          inherit (plugin) name kind;
        }
    ) plugins;
    inherit places pythonPackages;
    host = cfg.package;
    inherit (cfg) directories;
    config = optionalAttrs (cfg.config == "home") homeConfig;
  };

  linkCommand = [
    "${pluginSet}/bin/hermes-plugins-link"
    "--home"
    cfg.hermesHome
    "--on-conflict"
    cfg.onConflict
  ];

  assertions = [
    (refuse (core.duplicates names) (
      twice: "${twice} is the name of two plugins, and the host would load one of them only. Remove one."
    ))
    (refuse (filter (name: !(core.validName name)) names) (
      bad: "${bad} cannot be the name of a directory. Change `name` in plugin.yaml; use letters, digits, '-' and '_'."
    ))
    (refuse (if lib.length memoryProviders > 1 then map (plugin: plugin.name) memoryProviders else [ ]) (
      several: "${several} are memory providers, and the host runs one. Set activate = false for the others."
    ))
    (refuse
      (map (plugin: toString plugin.package) (
        filter (plugin: plugin.name == null && (plugin.activate || plugin.settings != { })) plugins
      ))
      (
        unknown:
        "the name of ${unknown} is known only after a build, and the configuration needs it now. Set `name`, or activate = false."
      )
    )
    (refuse
      (lib.concatMap (
        plugin:
        let
          known = plugin.package.hermesPlugin or { };
          differs = key: (known.${key} or null) != null && plugin.${key} != null && known.${key} != plugin.${key};
        in
        lib.optional (differs "name" || differs "kind") plugin.name
      ) plugins)
      (differing: "name or kind of ${differing} is not what its plugin.yaml says. Remove the option, or change the manifest.")
    )
    (refuse pythonVersions (
      versions:
      "the host and extraPythonPackages are for Python ${versions}. Take all packages from the set of the host's Python, such as python312Packages."
    ))
    (refuse (if cfg.config == "upstream" && upstream == null then [ "upstream" ] else [ ]) (
      _: "config is \"upstream\", and upstream's module is not imported. Import it, or remove the option."
    ))
    (refuse (if upstream != null && cfg.prefixProviders then [ "prefixProviders" ] else [ ]) (
      _: "prefixProviders: beside upstream's module links have no prefix, because its activation deletes such links. Remove it."
    ))
    (refuse lost (
      settings:
      "services.hermes-agent.settings sets ${settings}, too, and one of the two would be lost. Remove it there; names of plugins go into ${path}.alsoEnable, and a plugin that is not active sets nothing."
    ))
  ];

  # Our settings that another definition also sets. When upstream merges two definitions of a list, one of them is lost
  # without a warning; our own module joins the lists of names.
  lost =
    let
      definitions =
        if cfg.config == "upstream" && upstream != null then
          upstream.settings.definitions
        else
          [
            cfg.baseConfig
            hostConfig
          ];
      isLost = setting: lib.length (filter (lib.hasAttrByPath setting) definitions) > 1;
      entries = map (key: [ "plugins" "entries" key ]) (lib.attrNames (hostConfig.plugins.entries or { }));
      lists = lib.optional (cfg.config == "upstream") [ "plugins" "enabled" ];
    in
    map (lib.concatStringsSep ".") (
      filter isLost (lists ++ entries ++ lib.optional (hostConfig ? memory) [ "memory" "provider" ])
    );

  # The versions of Python for which the packages and the host are built, or an empty list if they are the same.
  pythonVersions =
    let
      host = filter (package: package ? pythonModule) (lib.optional (cfg.package != null) cfg.package);
      versions = lib.unique (
        map (package: package.pythonModule.pythonVersion or "?") (lib.optionals (pythonPackages != [ ]) host ++ pythonPackages)
      );
    in
    if lib.length versions > 1 || versions == [ "?" ] then versions else [ ];
}
