# The checks that `nix flake check` builds.
{ lib, pkgs }:
let
  sdk = import ../../nix/lib.nix { inherit pkgs; };
  failures = import ./eval.nix { inherit lib pkgs; };
in
{
  evaluation = pkgs.runCommand "evaluation" { failures = builtins.toJSON failures; } ''
    [ "$failures" = "[]" ] || { echo "$failures" >&2; exit 1; }
    echo ok > "$out"
  '';

  linking =
    pkgs.runCommand "linking"
      {
        set = sdk.buildPluginSet {
          plugins = [
            ./plugins/alpha
            ./plugins/memo
            ./plugins/model
          ];
        };
      }
      ''
        home=$TMPDIR/home
        "$set/bin/hermes-plugins-link" --home "$home"
        test -f "$home/plugins/nix-managed-alpha/plugin.yaml"
        test -f "$home/plugins/memo/plugin.yaml"
        test -f "$home/plugins/model-providers/nix-model/plugin.yaml"
        grep -q alpha "$home/config.yaml"
        "$set/bin/hermes-plugins-link" --home "$home" --unlink
        test ! -L "$home/plugins/nix-managed-alpha"
        echo ok > "$out"
      '';
}
