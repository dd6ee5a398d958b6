# NixOS: services.hermes-agent, a gateway for users without upstream's flake, built on services.hermes-plugins.
{
  config,
  lib,
  pkgs,
  ...
}:
let
  inherit (lib) literalExpression mkOption types;
  cfg = config.services.hermes-agent;
  core = import ./core.nix;
  sdk = import ./lib.nix { inherit pkgs; };
  home = "${cfg.stateDir}/.hermes";
in
{
  # The module system prints this name if upstream's module declares the same options.
  _file = "nixosModules.hermes-agent of hermes-sdk (it stands in for upstream's module; beside that, import nixosModules.default of hermes-sdk)";
  imports = [ ./nixos.nix ];

  options.services.hermes-plugins.host = mkOption {
    type = types.enum [ "hermes-sdk" ];
    default = "hermes-sdk";
    internal = true;
    description = "Says whose services.hermes-agent is imported.";
  };

  options.services.hermes-agent = {
    enable = lib.mkEnableOption "the gateway of Hermes Agent";
    package = mkOption {
      type = types.package;
      example = literalExpression "pkgs.hermes-agent";
      description = "Hermes Agent: a package with `bin/hermes`.";
    };
    user = mkOption {
      type = types.str;
      default = "hermes";
      description = "The user that runs the gateway. The user of the default name is made.";
    };
    group = mkOption {
      type = types.str;
      default = "hermes";
      description = "The group of that user. The group of the default name is made.";
    };
    stateDir = mkOption {
      type = types.str;
      default = "/var/lib/hermes";
      description = "Directory of the state; HERMES_HOME is `.hermes` in it.";
    };
    settings = mkOption {
      type = types.attrsOf types.anything;
      default = { };
      example = {
        plugins.enabled = [ "calculator" ];
      };
      description = ''
        Contents of `config.yaml`. Each value replaces the one in the file and is removed from it when it leaves the
        configuration; names in `plugins.enabled` are added to those of the file.
      '';
    };
    environment = mkOption {
      type = types.attrsOf types.str;
      default = { };
      description = "Variables for the gateway. They are readable by every user: no secrets.";
    };
    environmentFiles = mkOption {
      type = types.listOf types.str;
      default = [ ];
      example = [ "/run/secrets/hermes.env" ];
      description = "Files with variables for the gateway, such as API keys.";
    };
    extraPlugins = mkOption {
      type = types.listOf types.unspecified;
      default = [ ];
      example = literalExpression "[ (pkgs.fetchFromGitHub { … }) ./plugins/calculator inputs.team-notes ]";
      description = "Plugins: directories with `plugin.yaml` or projects that hold one; packages, paths or flake inputs.";
    };
    extraPythonPackages = mkOption {
      type = types.listOf types.package;
      default = [ ];
      description = "Python packages, built for the version of Python of `package`: plugins that are entry points, and what they import.";
    };
  };

  config = lib.mkIf cfg.enable {
    services.hermes-plugins = {
      enable = true;
      inherit (cfg) package user group extraPythonPackages;
      hermesHome = home;
      baseConfig = cfg.settings;
      # Hermes cannot use a managed home without these directories (statement K5).
      directories = [
        "cron"
        "sessions"
        "logs"
        "memories"
      ];
      # `settings` selects the plugins to enable.
      plugins = lib.listToAttrs (
        lib.genList (
          index:
          let
            package = sdk.toPlugin (lib.elemAt cfg.extraPlugins index);
          in
          {
            name = "extraPlugins-${toString index}";
            value = {
              inherit package;
              inherit (package.hermesPlugin) name kind;
              activate = false;
            };
          }
        ) (lib.length cfg.extraPlugins)
      );
    };

    users.users = lib.optionalAttrs (cfg.user == "hermes") {
      hermes = {
        isSystemUser = true;
        inherit (cfg) group;
        home = cfg.stateDir;
      };
    };
    users.groups = lib.optionalAttrs (cfg.group == "hermes") { hermes = { }; };
    systemd.tmpfiles.rules = [ "d ${core.systemdWord cfg.stateDir} 0750 ${cfg.user} ${cfg.group} - -" ];

    systemd.services.hermes-agent = {
      description = "The gateway of Hermes Agent";
      wantedBy = [ "multi-user.target" ];
      wants = [ "network-online.target" ];
      after = [ "network-online.target" ];
      environment = {
        HOME = core.systemdPath cfg.stateDir;
        HERMES_HOME = core.systemdPath home;
        HERMES_MANAGED = "NixOS";
      }
      // cfg.environment;
      serviceConfig = {
        ExecStart = core.systemdExec [
          "${cfg.package}/bin/hermes"
          "gateway"
          "run"
        ];
        User = cfg.user;
        Group = cfg.group;
        WorkingDirectory = core.systemdPath cfg.stateDir;
        EnvironmentFile = map core.systemdPath cfg.environmentFiles;
        Restart = "on-failure";
        UMask = "0007";
        NoNewPrivileges = true;
        PrivateTmp = true;
        ProtectSystem = "strict";
        ReadWritePaths = [ (core.systemdWord cfg.stateDir) ];
      };
    };
  };
}
