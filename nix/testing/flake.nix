{
  # Stand-in for nixpkgs on machines without it. tests/nix/test_builds.py copies it to a directory with nix/testing,
  # pyproject.toml and machine.nix, which contains the arguments of pkgs.nix.
  outputs =
    { self }:
    {
      lib = import ./nix/testing/lib.nix;
      legacyPackages.${(import ./machine.nix).system} = import ./nix/testing/pkgs.nix (import ./machine.nix);
    };
}
