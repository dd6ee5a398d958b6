# home-manager: programs.hermes-plugins
{
  config,
  lib,
  options,
  pkgs,
  ...
}:
let
  cfg = config.programs.hermes-plugins;
  sdk = import ./lib.nix { inherit pkgs; };
  isImported = (options.services or { }) ? hermes-agent;
  common = import ./common.nix {
    inherit lib sdk cfg;
    path = "programs.hermes-plugins";
    upstream = if isImported then options.services.hermes-agent else null;
  };
in
{
  options.programs.hermes-plugins = import ./options.nix { inherit lib sdk; } // {
    hermesHome = lib.mkOption {
      type = lib.types.str;
      default =
        if isImported then config.services.hermes-agent.hermesHome else "${config.home.homeDirectory}/.hermes";
      defaultText = lib.literalExpression "upstream's, else \"\${config.home.homeDirectory}/.hermes\"";
      description = "HERMES_HOME. Created if missing.";
    };
    package = lib.mkOption {
      type = lib.types.nullOr lib.types.package;
      default = null;
      description = "Hermes Agent, to be installed so that it sees `extraPythonPackages`. Upstream's module does this itself.";
    };
    config = lib.mkOption {
      type = lib.types.enum [
        "home"
        "upstream"
        "none"
      ];
      default = if isImported then "upstream" else "home";
      defaultText = lib.literalExpression "\"upstream\" where upstream's module is imported, else \"home\"";
      description = ''
        Where the plugins are enabled, as in the NixOS module.
      '';
    };
  };

  config = lib.mkIf cfg.enable (
    lib.mkMerge [
      {
        programs.hermes-plugins = { inherit (common) hostConfig linkCommand pluginSet; };
        assertions = common.assertions ++ [
          {
            assertion = isImported || common.pythonPackages == [ ] || cfg.package != null;
            message = "programs.hermes-plugins: nothing shows extraPythonPackages to Hermes Agent. Set `package` to your hermes-agent.";
          }
        ];
        home.activation.hermesPlugins = lib.hm.dag.entryAfter [ "writeBoundary" ] ''
          ${lib.escapeShellArgs cfg.linkCommand} ''${DRY_RUN:+--dry-run}
        '';
        home.packages = lib.optional (cfg.package != null) (sdk.withPython cfg.package common.pythonPackages);
      }
      (lib.optionalAttrs isImported {
        services.hermes-agent = {
          settings = lib.mkIf (cfg.config == "upstream") cfg.hostConfig;
          extraPythonPackages = common.pythonPackages;
        };
      })
    ]
  );
}
