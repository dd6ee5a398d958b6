# The few options of NixOS and home-manager that the modules under test need;
# they have no effect.
{ lib }:
let
  inherit (lib) mkOption types;
  any = default: mkOption { type = types.anything; inherit default; };
  assertions = {
    options = {
      assertions = mkOption { type = types.listOf types.attrs; default = [ ]; };
      warnings = mkOption { type = types.listOf types.str; default = [ ]; };
    };
  };
  unit = types.submodule {
    options = {
      description = mkOption { type = types.str; default = ""; };
      wantedBy = mkOption { type = types.listOf types.str; default = [ ]; };
      requiredBy = mkOption { type = types.listOf types.str; default = [ ]; };
      before = mkOption { type = types.listOf types.str; default = [ ]; };
      after = mkOption { type = types.listOf types.str; default = [ ]; };
      wants = mkOption { type = types.listOf types.str; default = [ ]; };
      requires = mkOption { type = types.listOf types.str; default = [ ]; };
      restartTriggers = mkOption { type = types.listOf types.unspecified; default = [ ]; };
      path = mkOption { type = types.listOf types.unspecified; default = [ ]; };
      environment = mkOption { type = types.attrsOf types.str; default = { }; };
      serviceConfig = mkOption { type = types.attrsOf types.unspecified; default = { }; };
    };
  };
in
{
  nixos = {
    imports = [ assertions ];
    options = {
      systemd.services = mkOption { type = types.attrsOf unit; default = { }; };
      systemd.tmpfiles.rules = mkOption { type = types.listOf types.str; default = [ ]; };
      environment.etc = mkOption {
        type = types.attrsOf (types.submodule { options.text = mkOption { type = types.str; default = ""; }; });
        default = { };
      };
      environment.systemPackages = mkOption { type = types.listOf types.package; default = [ ]; };
      users.users = mkOption { type = types.attrsOf types.attrs; default = { }; };
      users.groups = mkOption { type = types.attrsOf types.attrs; default = { }; };
      system.activationScripts = mkOption { type = types.attrsOf types.unspecified; default = { }; };
    };
  };

  homeManager = {
    imports = [ assertions ];
    options = {
      home.homeDirectory = mkOption { type = types.str; default = "/home/alice"; };
      home.packages = mkOption { type = types.listOf types.package; default = [ ]; };
      home.activation = mkOption { type = types.attrsOf types.unspecified; default = { }; };
      home.file = mkOption { type = types.attrsOf types.attrs; default = { }; };
    };
  };

  # The options of the upstream service that the tests need. As upstream does,
  # `settings` merges its definitions by a fold with recursiveUpdate.
  upstream = {
    options.services.hermes-agent = {
      enable = mkOption { type = types.bool; default = false; };
      user = mkOption { type = types.str; default = "hermes"; };
      group = mkOption { type = types.str; default = "hermes"; };
      stateDir = mkOption { type = types.str; default = "/var/lib/hermes"; };
      hermesHome = mkOption { type = types.str; default = "/home/alice/.hermes"; };
      settings = mkOption {
        type = types.mkOptionType {
          name = "upstream-settings";
          merge = _: definitions: lib.foldl' (merged: one: lib.recursiveUpdate merged one.value) { } definitions;
        };
        default = { };
      };
      extraPlugins = mkOption { type = types.listOf types.package; default = [ ]; };
      extraPythonPackages = mkOption { type = types.listOf types.package; default = [ ]; };
    };
  };
}
