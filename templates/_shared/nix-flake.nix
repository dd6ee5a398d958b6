{
  description = "{{ cookiecutter.description }}";

  inputs = {
    # An entry of the registry: `nix registry add hermes-sdk <address>`, or --override-input hermes-sdk <address>.
    hermes-sdk.url = "flake:hermes-sdk";
    nixpkgs.follows = "hermes-sdk/nixpkgs";
  };

  outputs =
    { hermes-sdk, nixpkgs, ... }:
    {
      packages = builtins.mapAttrs (_system: pkgs: {
        default = (hermes-sdk.lib.mkLib pkgs).buildHermesPlugin { src = ./.; };
      }) nixpkgs.legacyPackages;
    };
}
