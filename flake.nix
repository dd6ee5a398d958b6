{
  description = "hermes-sdk: build, check and link plugins of Hermes Agent";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      inherit (nixpkgs) lib;
      # Of these, the ones that nixpkgs has packages for.
      systems = builtins.intersectAttrs (lib.genAttrs [
        "aarch64-darwin"
        "aarch64-linux"
        "x86_64-darwin"
        "x86_64-linux"
      ] (_: null)) nixpkgs.legacyPackages;
      each = f: lib.mapAttrs (_: f) systems;
      mkLib = pkgs: import ./nix/lib.nix { inherit pkgs; };
      # Not a bare path, which old versions of `nix flake check` do not take for a module.
      module = file: { imports = [ file ]; };
    in
    {
      # hermes-sdk.lib.mkLib pkgs: buildHermesPlugin, buildPluginSet, ...
      lib = { inherit mkLib; };

      overlays.default = final: _prev: {
        hermes-sdk = final.callPackage ./nix/package.nix { };
        hermesPlugins = mkLib final;
      };

      nixosModules.default = module ./nix/nixos.nix;
      nixosModules.hermes-agent = module ./nix/hermes-agent.nix;
      homeManagerModules.default = module ./nix/home-manager.nix;

      packages = each (pkgs: {
        default = pkgs.callPackage ./nix/package.nix { };
      });

      formatter = each (pkgs: pkgs.nixfmt);

      checks = each (pkgs: import ./tests/nix/checks.nix { inherit lib pkgs; });
    };
}
