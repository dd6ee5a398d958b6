# A machine: the command of its unit, and its units as NixOS writes them.
{
  lib,
  pkgs,
  home,
  # Directories of plugins, or of sources that contain one.
  sources ? [ ],
  # Whether to pass the sources as fetchFromGitHub does.
  fetched ? false,
  # Further options of services.hermes-plugins, or of services.hermes-agent.
  options ? { },
  # The module that declares services.hermes-agent: "none", "upstream" or "ours".
  agent ? "none",
}:
let
  stubs = import ../../nix/testing/stubs.nix { inherit lib; };
  given = source: if fetched then pkgs.runCommand "source" { } ''cp -r ${/. + source} "$out"'' else /. + source;
  config =
    (lib.evalModules {
      modules = [
        stubs.nixos
        { _module.args = { inherit pkgs; }; }
      ]
      ++ (if agent == "upstream" then [ stubs.upstream ] else [ ])
      ++ (
        if agent == "ours" then
          [
            ../../nix/hermes-agent.nix
            {
              services.hermes-agent = {
                enable = true;
                package = pkgs.python3;
                stateDir = dirOf home;
                extraPlugins = map given sources;
              }
              // options;
            }
          ]
        else
          [
            ../../nix/nixos.nix
            {
              services.hermes-plugins = {
                enable = true;
                hermesHome = home;
                plugins = lib.genAttrs (map baseNameOf sources) (
                  name:
                  let
                    source = lib.head (lib.filter (source: baseNameOf source == name) sources);
                  in
                  if fetched then { package = given source; } else { src = given source; }
                );
              };
            }
            { services.hermes-plugins = options; }
          ]
      );
    }).config;
  refused = lib.filter (a: !a.assertion) config.assertions;

  value = v: if v == true then "true" else if v == false then "false" else toString v;
  line = key: v: if lib.isList v then lib.concatMapStrings (line key) v else "${key}=${value v}\n";
  section = name: attrs: "[${name}]\n" + lib.concatMapStrings (key: line key attrs.${key}) (lib.attrNames attrs);
  unit =
    name: u:
    pkgs.writeText "${name}.service" (
      section "Unit" {
        Description = u.description;
        After = u.after;
        Before = u.before;
        Wants = u.wants;
        X-Restart-Triggers = map toString u.restartTriggers;
      }
      + section "Service" (
        { Environment = lib.mapAttrsToList (key: v: builtins.toJSON "${key}=${v}") u.environment; } // u.serviceConfig
      )
      + section "Install" { WantedBy = u.wantedBy; }
    );
in
if refused != [ ] then
  throw (lib.concatStringsSep "\n" (map (a: a.message) refused))
else
  {
    set = config.services.hermes-plugins.pluginSet;
    link = pkgs.writeText "link" (builtins.toJSON config.services.hermes-plugins.linkCommand);
    units = lib.mapAttrsToList unit config.systemd.services;
    etc = pkgs.writeText "config.yaml" config.environment.etc."hermes/config.yaml".text;
    upstream = pkgs.writeText "config.yaml" (builtins.toJSON config.services.hermes-agent.settings);
  }
