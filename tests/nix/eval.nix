# Tests of the modules that build nothing. The value is the list of failed tests, so [ ] means that all pass.
#   nix-instantiate --eval --strict --json tests/nix/eval.nix --arg lib 'import ./nix/testing/lib.nix'
{
  lib,
  pkgs ? import ../../nix/testing/pkgs.nix { },
}:
let
  sdk = import ../../nix/lib.nix { inherit pkgs; };
  core = import ../../nix/core.nix;
  stubs = import ../../nix/testing/stubs.nix { inherit lib; };
  source = name: ./plugins + "/${name}";
  plugin = name: sdk.buildHermesPlugin { src = source name; };
  # Like the result of fetchFromGitHub: its content is unknown before it is built.
  fetched = name: pkgs.runCommand "source" { } ''cp -r ${source name} "$out"'';
  pythonPackage =
    version: pname:
    pkgs.runCommand pname {
      passthru = {
        inherit pname;
        requiredPythonModules = [ ];
        pythonModule = {
          pythonVersion = version;
          sitePackages = "lib/python${version}/site-packages";
        };
      };
    } ''mkdir "$out"'';

  evalWith =
    moduleLib: modules:
    (lib.evalModules {
      modules = modules ++ [ { _module.args = { inherit pkgs; }; } ];
      specialArgs.lib = moduleLib;
    }).config;
  nixos = modules: evalWith lib ([ ../../nix/nixos.nix stubs.nixos ] ++ modules);
  beside = modules: nixos ([ stubs.upstream ] ++ modules);
  gateway = modules: evalWith lib ([ ../../nix/hermes-agent.nix stubs.nixos ] ++ modules);
  homeLib = lib // {
    hm.dag.entryAfter = after: data: { inherit after data; };
  };
  home = modules: evalWith homeLib ([ ../../nix/home-manager.nix stubs.homeManager ] ++ modules);

  with' = plugins: {
    services.hermes-plugins = {
      enable = true;
      inherit plugins;
    };
  };
  set = options: { services.hermes-plugins = options; };
  agent = options: { services.hermes-agent = { enable = true; package = pkgs.python3; } // options; };
  inHome = options: { programs.hermes-plugins = { enable = true; } // options; };

  refusals = config: map (a: a.message) (lib.filter (a: !a.assertion) config.assertions);
  throws = value: !(builtins.tryEval (builtins.deepSeq value value)).success;
  has = needle: text: lib.length (builtins.split needle text) > 1;
  refuses = needle: config: map (has needle) (refusals config);
  planOf = set: builtins.fromJSON (builtins.unsafeDiscardStringContext set.plan);
  plan = config: planOf config.services.hermes-plugins.pluginSet;
  commandOf = package: package.buildCommand or (lib.last package.args);

  every = with' (lib.genAttrs [ "alpha" "memo" "model" "chat" ] (name: { src = source name; }));
  alone = nixos [ every ];
  upstream = beside [ every ];
  everyConfig = {
    plugins.enabled = [ "alpha" "chat-platform" ];
    memory.provider = "memo";
  };
  unit = alone.systemd.services.hermes-plugins;
in
lib.runTests {
  # -- links and settings ----------------------------------------------------------------------------------------------
  testOffIsNothing = {
    expr = (beside [ ]).systemd.services;
    expected = { };
  };
  testLinksHaveThePrefixButThoseOfProviders = {
    expr = (plan alone).places;
    expected = {
      standalone = "nix-managed-";
      backend = "nix-managed-";
      platform = "nix-managed-";
      exclusive = "";
      model-provider = "model-providers/";
    };
  };
  testAllHaveThePrefix = {
    expr =
      let
        config = nixos [ every (set { prefixProviders = true; }) ];
      in
      {
        inherit (plan config) places;
        provider = config.services.hermes-plugins.hostConfig.memory.provider;
        refused = refusals config;
      };
    expected = {
      places = lib.genAttrs [ "standalone" "backend" "platform" "exclusive" ] (_: "nix-managed-") // {
        model-provider = "model-providers/nix-managed-";
      };
      provider = "nix-managed-memo";
      refused = [ ];
    };
  };
  testBesideUpstreamNoneHasThePrefix = {
    expr = lib.unique (lib.attrValues (plan upstream).places);
    expected = [ "" "model-providers/" ];
  };
  testAllPrefixedBesideUpstreamIsRefused = {
    expr = refuses "its activation deletes such links" (beside [ every (set { prefixProviders = true; }) ]);
    expected = [ true ];
  };
  testTheHomeIsTold = {
    expr = (plan alone).config;
    expected = everyConfig;
  };
  testUpstreamIsTold = {
    expr = { inherit (upstream.services.hermes-agent.settings) plugins memory; home = (plan upstream).config; };
    expected = everyConfig // { home = { }; };
  };
  testEtcIsTold = {
    expr =
      let
        config = nixos [ every (set { config = "etc"; }) ];
      in
      {
        etc = builtins.fromJSON config.environment.etc."hermes/config.yaml".text;
        home = (plan config).config;
      };
    expected = { etc = everyConfig; home = { }; };
  };
  testEtcIsOptIn = {
    expr = alone.environment.etc;
    expected = { };
  };
  testNobodyIsTold = {
    expr = (plan (nixos [ every (set { config = "none"; }) ])).config;
    expected = { };
  };
  testInactive = {
    expr = (plan (nixos [ every (set { plugins.alpha.activate = false; plugins.memo.activate = false; }) ])).config;
    expected.plugins.enabled = [ "chat-platform" ];
  };
  testAlsoEnable = {
    expr = (plan (nixos [ every (set { alsoEnable = [ "disk-cleanup" "alpha" ]; }) ])).config.plugins.enabled;
    expected = [ "alpha" "chat-platform" "disk-cleanup" ];
  };
  testSettings = {
    expr =
      (plan (nixos [
        every
        (set { plugins.alpha.settings.allow_tool_override = true; plugins.model.settings.llm.x = 1; })
      ])).config.plugins.entries;
    expected = { alpha.allow_tool_override = true; "model-providers/nix-model".llm.x = 1; };
  };
  testAPlainSetEnablesItsPlugins = {
    expr = (planOf (sdk.buildPluginSet { plugins = [ (source "alpha") (plugin "memo") ]; })).config;
    expected = { plugins.enabled = [ "alpha" ]; memory.provider = "memo"; };
  };
  testAPlainSetOfUnknownNames = {
    expr = throws (sdk.buildPluginSet { plugins = [ (fetched "alpha") ]; }).plan;
    expected = true;
  };

  # -- sources -------------------------------------------------------------------------------------------------------
  testProject = {
    expr = { inherit (plugin "project") pname; inherit ((plugin "project").hermesPlugin) version kind; };
    expected = { pname = "team-notes"; version = "1.0.0"; kind = "standalone"; };
  };
  testFlakeInput = {
    expr = (sdk.buildHermesPlugin { src = { outPath = toString (source "memo"); }; }).hermesPlugin.name;
    expected = "memo";
  };
  testSourceAsText = {
    expr = (sdk.buildHermesPlugin { src = "${source "memo"}"; }).hermesPlugin.kind;
    expected = "exclusive";
  };
  testPackageIsReadWhenItIsBuilt = {
    expr = { inherit ((sdk.buildHermesPlugin { src = fetched "memo"; }).hermesPlugin) name kind; };
    expected = { name = null; kind = null; };
  };
  testPackageGoesByItsAttribute = {
    expr = (plan (nixos [ (with' { alpha.package = fetched "alpha"; }) ])).config.plugins.enabled;
    expected = [ "alpha" ];
  };
  testPackageIsCheckedAgainstTheOptions = {
    expr = has "--name=alpha.*--kind=standalone" (
      commandOf (lib.head (nixos [ (with' { alpha.package = fetched "alpha"; }) ]).services.hermes-plugins.pluginSet.plugins)
    );
    expected = true;
  };
  testPackageForUpstreamsExtraPlugins = {
    expr = map lib.getName [ (plugin "alpha") (plugin "chat") ];
    expected = [ "alpha" "chat-platform" ];
  };
  testHomesFromModules = {
    expr =
      (beside [ every { services.hermes-agent = { user = "bot"; stateDir = "/srv/bot"; }; } ]).services.hermes-plugins.hermesHome;
    expected = "/srv/bot/.hermes";
  };

  # -- failed assertions -----------------------------------------------------------------------------------------------
  testNothingIsRefused = {
    expr = refusals alone ++ refusals upstream;
    expected = [ ];
  };
  testTwoOfOneName = {
    expr = refuses "'alpha' is the name of two plugins" (
      nixos [ (with' { one.src = source "alpha"; two.src = source "alpha-v2"; }) ]
    );
    expected = [ true ];
  };
  testUnusableName = {
    expr = refuses "'../x' cannot be the name of a directory" (
      nixos [ (with' { a = { package = fetched "alpha"; name = "../x"; }; }) ]
    );
    expected = [ true ];
  };
  testTwoMemoryProviders = {
    expr = refuses "'memo' and 'other' are memory providers" (
      nixos [ (with' { a.src = source "memo"; b = { package = fetched "memo"; name = "other"; kind = "exclusive"; }; }) ]
    );
    expected = [ true ];
  };
  testNameIsNotThatOfTheManifest = {
    expr = refuses "'gamma' is not what its plugin.yaml says" (
      nixos [ (with' { a = { src = source "alpha"; name = "gamma"; }; }) ]
    );
    expected = [ true ];
  };
  testKindIsNotThatOfTheManifest = {
    expr = refuses "'alpha' is not what its plugin.yaml says" (
      nixos [ (with' { a = { src = source "alpha"; kind = "exclusive"; }; }) ]
    );
    expected = [ true ];
  };
  testUnknownNameThatIsNeeded = {
    expr = refuses "is known only after a build" (nixos [ (with' { a = { package = fetched "alpha"; name = null; }; }) ]);
    expected = [ true ];
  };
  testMissingManifest = {
    expr = throws (nixos [ (with' { a.src = source "no-manifest"; }) ]).services.hermes-plugins.pluginSet.plan;
    expected = true;
  };
  testNeitherSourceNorPackage = {
    expr = throws (nixos [ (with' { a = { }; }) ]).services.hermes-plugins.pluginSet.plan;
    expected = true;
  };
  testUnknownKind = {
    expr = throws (nixos [ (with' { a = { src = source "alpha"; kind = "tool"; }; }) ]).services.hermes-plugins.pluginSet.plan;
    expected = true;
  };
  testUnknownOption = {
    expr = throws (nixos [ every (set { plugin.a = 1; }) ]).systemd.services;
    expected = true;
  };
  testListThatUpstreamWouldLose = {
    expr = refuses "sets 'plugins.enabled', too.*services.hermes-plugins.alsoEnable" (
      beside [ every { services.hermes-agent.settings.plugins.enabled = [ "mine" ]; } ]
    );
    expected = [ true ];
  };
  testProviderThatUpstreamWouldLose = {
    expr = refuses "sets 'memory.provider', too" (beside [ every { services.hermes-agent.settings.memory.provider = "x"; } ]);
    expected = [ true ];
  };
  testEntriesThatUpstreamWouldLose = {
    expr = refuses "sets 'plugins.entries.alpha', too" (beside [
      every
      (set { plugins.alpha.settings.x = 1; })
      { services.hermes-agent.settings.plugins.entries.alpha.x = 2; }
    ]);
    expected = [ true ];
  };
  testOtherSettingsOfUpstreamStay = {
    expr = refusals (beside [ every { services.hermes-agent.settings = { model = "x"; plugins.disabled = [ "y" ]; }; } ]);
    expected = [ ];
  };
  testUpstreamIsNotThere = {
    expr = refuses "upstream's module is not imported" (nixos [ every (set { config = "upstream"; }) ]);
    expected = [ true ];
  };

  # -- Python packages -----------------------------------------------------------------------------------------------
  testPythonPathOfTheUnits = {
    expr =
      let
        package = pythonPackage "3.12" "notes";
        config = nixos [ every (set { extraPythonPackages = [ package ]; alsoEnable = [ "notes" ]; }) ];
      in
      config.systemd.services.hermes-agent.environment == { PYTHONPATH = "${package}/lib/python3.12/site-packages"; }
      && refusals config == [ ];
    expected = true;
  };
  testPythonPackagesGoToUpstream = {
    expr =
      let
        config = beside [ every (set { extraPythonPackages = [ (pythonPackage "3.12" "notes") ]; }) ];
      in
      {
        names = map lib.getName config.services.hermes-agent.extraPythonPackages;
        inherit (config.systemd.services.hermes-agent) environment;
      };
    expected = { names = [ "notes" ]; environment = { }; };
  };
  testPythonPackagesOfPlugins = {
    expr =
      let
        package = sdk.buildHermesPlugin { src = source "alpha"; pythonPackages = [ (pythonPackage "3.12" "dice") ]; };
      in
      has "/lib/python3.12/site-packages" (builtins.head (plan (nixos [ (with' { alpha = { inherit package; }; }) ])).pythonPackages);
    expected = true;
  };
  testPackagesForTwoPythons = {
    expr = refuses "are for Python '3.11' and '3.12'" (
      nixos [ every (set { extraPythonPackages = [ (pythonPackage "3.11" "a") (pythonPackage "3.12" "b") ]; }) ]
    );
    expected = [ true ];
  };
  testPackagesForAnotherPythonThanTheHosts = {
    expr = refuses "are for Python '3.11' and '3.12'" (
      gateway [ (agent { package = pythonPackage "3.11" "hermes-agent"; extraPythonPackages = [ (pythonPackage "3.12" "b") ]; }) ]
    );
    expected = [ true ];
  };
  testNoPythonPackage = {
    expr = refuses "are for Python '[?]'" (nixos [ every (set { extraPythonPackages = [ (plugin "beta") ]; }) ]);
    expected = [ true ];
  };

  # -- units ---------------------------------------------------------------------------------------------------------
  testTheUnitIsUnprivileged = {
    expr = { inherit (unit.serviceConfig) User Group Type NoNewPrivileges ProtectSystem ReadWritePaths; };
    expected = {
      User = "hermes";
      Group = "hermes";
      Type = "oneshot";
      NoNewPrivileges = true;
      ProtectSystem = "strict";
      ReadWritePaths = [ ''"/var/lib/hermes"'' ];
    };
  };
  testTheUnitComesFirstAndTriggersRestarts = {
    expr = {
      inherit (unit) before;
      inherit (alone.systemd.services.hermes-agent) after wants;
      same = unit.restartTriggers == alone.systemd.services.hermes-agent.restartTriggers && unit.restartTriggers != [ ];
    };
    expected = {
      before = [ "hermes-agent.service" ];
      after = [ "hermes-plugins.service" ];
      wants = [ "hermes-plugins.service" ];
      same = true;
    };
  };
  testNothingRunsAsRoot = {
    expr = { inherit (alone.system) activationScripts; inherit (alone.systemd.tmpfiles) rules; };
    expected = { activationScripts = { }; rules = [ ]; };
  };
  testSystemdQuoting = {
    expr = [
      (core.systemdExec [ "/a b" "100%" "$HOME" "it's" ''a"b'' ])
      (core.systemdWord "a b%")
      (core.systemdPath "a b%")
    ];
    expected = [ ''"/a b" "100%%" "$$HOME" "it's" "a\"b"'' ''"a b%%"'' "a b%%" ];
  };

  # -- our replacement for upstream's module ---------------------------------------------------------------------------
  testGateway = {
    expr =
      let
        config = gateway [
          (agent {
            extraPlugins = [ (fetched "alpha") (source "beta") { outPath = toString (source "project"); } (plugin "memo") ];
            settings = { model = "x"; plugins.enabled = [ "alpha" ]; memory.provider = "memo"; };
            environment.HERMES_X = "1";
            stateDir = "/srv/bot";
          })
        ];
        inherit (config.systemd.services) hermes-agent;
      in
      {
        inherit (plan config) config directories;
        plugins = lib.length (plan config).plugins;
        managed = (plan config).places.standalone;
        inherit (hermes-agent.environment) HERMES_HOME HERMES_MANAGED HERMES_X;
        inherit (hermes-agent) after;
        inherit (hermes-agent.serviceConfig) User;
        home = config.services.hermes-plugins.hermesHome;
        inherit (config.systemd.tmpfiles) rules;
        refused = refusals config;
      };
    expected = {
      config = { model = "x"; plugins.enabled = [ "alpha" ]; memory.provider = "memo"; };
      directories = [ "cron" "sessions" "logs" "memories" ];
      plugins = 4;
      managed = "nix-managed-";
      HERMES_HOME = "/srv/bot/.hermes";
      HERMES_MANAGED = "NixOS";
      HERMES_X = "1";
      after = [ "network-online.target" "hermes-plugins.service" ];
      User = "hermes";
      home = "/srv/bot/.hermes";
      rules = [ ''d "/srv/bot" 0750 hermes hermes - -'' ];
      refused = [ ];
    };
  };
  testGatewayAndPluginsTogether = {
    expr = (plan (gateway [ every (agent { settings.plugins.enabled = [ "mine" ]; }) ])).config.plugins.enabled;
    expected = [ "mine" "alpha" "chat-platform" ];
  };
  testGatewayAndPluginsDisagree = {
    expr = refuses "sets 'memory.provider', too" (gateway [ every (agent { settings.memory.provider = "x"; }) ]);
    expected = [ true ];
  };
  testGatewayNeverBesideUpstream = {
    expr = throws (gateway [ stubs.upstream (agent { }) ]).systemd.services;
    expected = true;
  };

  # -- home-manager --------------------------------------------------------------------------------------------------
  testHomeManager = {
    expr =
      let
        config = home [ (inHome { plugins.alpha.src = source "alpha"; }) ];
        inherit (config.home.activation.hermesPlugins) after data;
      in
      {
        inherit after;
        link = has "/bin/hermes-plugins-link --home /home/alice/.hermes --on-conflict fail [$][{]DRY_RUN:[+]--dry-run[}]" data;
        enabled = (planOf config.programs.hermes-plugins.pluginSet).config.plugins.enabled;
        refused = refusals config;
      };
    expected = {
      after = [ "writeBoundary" ];
      link = true;
      enabled = [ "alpha" ];
      refused = [ ];
    };
  };
  testHomeManagerBesideUpstream = {
    expr =
      let
        config = home [ stubs.upstream (inHome { plugins.alpha.src = source "alpha"; }) ];
      in
      {
        inherit (config.services.hermes-agent.settings.plugins) enabled;
        inherit ((planOf config.programs.hermes-plugins.pluginSet).places) standalone;
      };
    expected = { enabled = [ "alpha" ]; standalone = ""; };
  };
  testHomeManagerPythonPackagesNeedTheHost = {
    expr =
      let
        options = { extraPythonPackages = [ (pythonPackage "3.12" "notes") ]; };
      in
      {
        without = refuses "Set `package`" (home [ (inHome options) ]);
        given = map lib.getName (home [ (inHome (options // { package = pythonPackage "3.12" "host"; })) ]).home.packages;
      };
    expected = { without = [ true ]; given = [ "hermes-agent-with-python" ]; };
  };

  # -- hermes-sdk itself ---------------------------------------------------------------------------------------------
  testPackage = {
    expr =
      let
        package = pkgs.callPackage ../../nix/package.nix { };
      in
      {
        inherit (package) pname;
        build = has "hatchling" (toString package.build-system);
        yaml = has "pyyaml" (toString package.dependencies);
        documentation = builtins.pathExists "${package.src}/docs/index.md";
      };
    expected = { pname = "hermes-sdk"; build = true; yaml = true; documentation = true; };
  };

  # -- types of upstream, on which some of the code depends ------------------------------------------------------------
  testUpstreamLosesOneOfTwoLists = {
    expr = lib.length (evalWith lib [
      stubs.nixos
      stubs.upstream
      { services.hermes-agent.settings.plugins.enabled = [ "a" ]; }
      { services.hermes-agent.settings.plugins.enabled = [ "b" ]; }
    ]).services.hermes-agent.settings.plugins.enabled;
    expected = 1;
  };
}
