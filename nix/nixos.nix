# NixOS: services.hermes-plugins
{
  config,
  lib,
  options,
  pkgs,
  ...
}:
let
  cfg = config.services.hermes-plugins;
  core = import ./core.nix;
  sdk = import ./lib.nix { inherit pkgs; };
  # Our replacement for upstream's module also declares services.hermes-agent.
  isImported = (options.services or { }) ? hermes-agent && !(options.services.hermes-plugins ? host);
  upstream = config.services.hermes-agent;
  common = import ./common.nix {
    inherit lib sdk cfg;
    path = "services.hermes-plugins";
    upstream = if isImported then options.services.hermes-agent else null;
  };
in
{
  options.services.hermes-plugins = import ./options.nix { inherit lib sdk; } // {
    user = lib.mkOption {
      type = lib.types.str;
      default = if isImported then upstream.user else "hermes";
      defaultText = lib.literalExpression "upstream's user, else \"hermes\"";
      description = "The user that owns the home and links the plugins.";
    };
    group = lib.mkOption {
      type = lib.types.str;
      default = if isImported then upstream.group else "hermes";
      defaultText = lib.literalExpression "upstream's group, else \"hermes\"";
      description = "The group of that user.";
    };
    hermesHome = lib.mkOption {
      type = lib.types.str;
      default = if isImported then "${upstream.stateDir}/.hermes" else "/var/lib/hermes/.hermes";
      defaultText = lib.literalExpression "upstream's, else \"/var/lib/hermes/.hermes\"";
      description = "HERMES_HOME. Created if missing; its parent directory must exist.";
    };
    services = lib.mkOption {
      type = lib.types.listOf lib.types.str;
      default = [ "hermes-agent" ];
      description = "Units that load the plugins; started after the linking, and again when plugins change.";
    };
    config = lib.mkOption {
      type = lib.types.enum [
        "home"
        "upstream"
        "etc"
        "none"
      ];
      default = if isImported then "upstream" else "home";
      defaultText = lib.literalExpression "\"upstream\" where upstream's module is imported, else \"home\"";
      description = ''
        Where the plugins are enabled. "home": in the home's `config.yaml`, where only what was added is removed later, so
        that plugins enabled by hand stay enabled. "upstream": in `services.hermes-agent.settings` of upstream's module.
        "etc": in `/etc/hermes/config.yaml`, whose list replaces that of every user (Hermes 0.17 and newer). "none": by you.
      '';
    };
  };

  config = lib.mkIf cfg.enable (
    lib.mkMerge [
      {
        services.hermes-plugins = { inherit (common) hostConfig linkCommand pluginSet; };
        inherit (common) assertions;

        # Do not use an activation script: it would run as root in a directory that the agent can write, and a failure
        # would end the whole activation.
        systemd.services = {
          hermes-plugins = {
            description = "Link the plugins of Hermes Agent";
            wantedBy = [ "multi-user.target" ];
            before = map (unit: "${unit}.service") cfg.services;
            restartTriggers = [ cfg.pluginSet ];
            serviceConfig = {
              Type = "oneshot";
              RemainAfterExit = true;
              User = cfg.user;
              Group = cfg.group;
              ExecStart = core.systemdExec cfg.linkCommand;
              UMask = "0007";
              NoNewPrivileges = true;
              PrivateTmp = true;
              ProtectSystem = "strict";
              # Allow writing to the parent directory, because the home may not exist yet.
              ReadWritePaths = [ (core.systemdWord (dirOf cfg.hermesHome)) ];
            };
          };
        }
        // lib.genAttrs cfg.services (
          _:
          {
            after = [ "hermes-plugins.service" ];
            wants = [ "hermes-plugins.service" ];
            restartTriggers = [ cfg.pluginSet ];
          }
          // lib.optionalAttrs (!isImported && common.pythonPackages != [ ]) {
            environment.PYTHONPATH = sdk.pythonPath common.pythonPackages;
          }
        );
      }
      (lib.mkIf (cfg.config == "etc") {
        environment.etc."hermes/config.yaml".text = builtins.toJSON cfg.hostConfig;
      })
      (lib.optionalAttrs isImported {
        services.hermes-agent = {
          settings = lib.mkIf (cfg.config == "upstream") cfg.hostConfig;
          extraPythonPackages = common.pythonPackages;
        };
      })
    ]
  );
}
