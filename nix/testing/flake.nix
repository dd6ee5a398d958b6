{
  # Stands in for nixpkgs where there is none. tests/nix/test_builds.py puts it into a directory with nix/testing,
  # pyproject.toml and machine.nix, the arguments of pkgs.nix.
  outputs =
    { self }:
    {
      lib = import ./nix/testing/lib.nix;
      legacyPackages.${(import ./machine.nix).system} = import ./nix/testing/pkgs.nix (import ./machine.nix);
    };
}
