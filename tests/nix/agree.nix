# Small module systems, and their values with a lib; agree.json has the values of nixpkgs. tryEval converts an error to
# a value.
{ lib }:
let
  inherit (lib) mkOption types mkIf mkMerge mkForce mkDefault;
  ev = modules: (lib.evalModules { inherit modules; }).config;
  try = v: let r = builtins.tryEval (builtins.deepSeq v v); in if r.success then { ok = r.value; } else { refused = true; };
  opt = type: extra: { options.x = mkOption ({ inherit type; } // extra); };
  x = type: defs: try (ev ([ (opt type { }) ] ++ map (d: { x = d; }) defs)).x;
  xd = type: default: defs: try (ev ([ (opt type { inherit default; }) ] ++ map (d: { x = d; }) defs)).x;
  sub = types.submodule ({ name, config, ... }: {
    options.a = mkOption { type = types.str; default = "d-${name}"; };
    options.b = mkOption { type = types.str; default = "${config.a}!"; };
  });
in
{
  order = x (types.listOf types.str) [ [ "1" ] [ "2" ] [ "3" ] ];
  orderImports = try (ev [
    (opt (types.listOf types.str) { })
    { imports = [ { x = [ "i1" ]; imports = [ { x = [ "i1a" ]; } ]; } { x = [ "i2" ]; } ]; x = [ "a" ]; }
    { x = [ "b" ]; }
  ]).x;
  orderMerge = x (types.listOf types.str) [ (mkMerge [ [ "1" ] [ "2" ] ]) [ "3" ] ];
  int = x types.int [ 3 ];
  intStr = x types.int [ "3" ];
  two = x types.int [ 3 4 ];
  same = x types.int [ 3 3 ];
  none = x types.int [ ];
  dflt = xd types.int 7 [ ];
  dfltOver = xd types.int 7 [ 8 ];
  force = x types.int [ 3 (mkForce 4) ];
  mkdef = x types.int [ (mkDefault 3) 4 ];
  forceTwice = x types.int [ (mkForce 3) (mkForce 4) ];
  ifTrue = x types.int [ (mkIf true 3) (mkIf false 4) ];
  ifNone = xd types.int 1 [ (mkIf false 4) ];
  ifMerge = x (types.listOf types.int) [ (mkIf true (mkMerge [ [ 1 ] (mkIf false [ 2 ]) [ 3 ] ])) ];
  listBad = x (types.listOf types.str) [ [ "a" 1 ] ];
  listIf = x (types.listOf types.str) [ [ "a" (mkIf false "b") (mkIf true "c") ] ];
  attrs = x (types.attrsOf types.int) [ { a = 1; } { b = 2; } ];
  attrsClash = x (types.attrsOf types.int) [ { a = 1; } { a = 2; } ];
  attrsForce = x (types.attrsOf types.int) [ { a = 1; } { a = mkForce 2; } ];
  attrsIf = x (types.attrsOf types.int) [ { a = 1; b = mkIf false 2; } (mkIf true { c = 3; }) (mkIf false { d = 4; }) ];
  attrsForceAll = x (types.attrsOf types.int) [ { a = 1; } (mkForce { b = 2; }) ];
  subDefault = x (types.attrsOf sub) [ { p = { }; } ];
  subMerge = x (types.attrsOf sub) [ { p.a = "1"; } { p.b = "2"; q = { }; } ];
  subClash = x (types.attrsOf sub) [ { p.a = "1"; } { p.a = "2"; } ];
  subUnknown = x (types.attrsOf sub) [ { p.z = "1"; } ];
  subForce = x (types.attrsOf sub) [ { p.a = "1"; } { p.a = mkForce "2"; } ];
  subIf = x (types.attrsOf sub) [ { p = mkIf true { a = "1"; }; } { p = mkIf false { a = "2"; }; } ];
  subFun = x (types.attrsOf sub) [ { p = { name, ... }: { a = "f-${name}"; }; } ];
  anything = x types.anything [ { a.b = 1; } { a.c = [ 1 2 ]; d = "s"; } ];
  anythingClash = x types.anything [ { a.b = 1; } { a.b = 2; } ];
  anythingSame = x types.anything [ { a.b = 1; } { a.b = 1; } ];
  anythingForce = x types.anything [ { a.b = 1; } { a.b = mkForce 2; } ];
  enum = x (types.enum [ "a" "b" ]) [ "a" ];
  enumBad = x (types.enum [ "a" "b" ]) [ "c" ];
  nullOr = x (types.nullOr types.int) [ null ];
  nullOrInt = x (types.nullOr types.int) [ 3 ];
  readOnly = try (ev [ { options.x = mkOption { type = types.int; readOnly = true; }; } { x = 1; } ]).x;
  readOnlyTwice = try (ev [ { options.x = mkOption { type = types.int; readOnly = true; }; } { x = 1; } { x = 1; } ]).x;
  declaredTwice = try (ev [ (opt types.int { default = 1; }) (opt types.int { default = 1; }) ]).x;
  unknown = try (ev [ (opt types.int { default = 1; }) { y = 1; } ]).x;
  unknownDeep = try (ev [ { options.a.b = mkOption { type = types.int; default = 1; }; } { a.c = 1; } ]).a.b;
  selfRef = try (ev [
    { options = { x = mkOption { type = types.int; }; y = mkOption { type = types.bool; default = true; }; }; }
    ({ config, ... }: { config = mkIf config.y { x = 5; }; })
  ]).x;
  mergeTop = try (ev [
    { options = { x = mkOption { type = types.int; default = 0; }; y = mkOption { type = types.listOf types.int; default = [ ]; }; }; }
    ({ config, ... }: { config = mkMerge [ { y = [ 1 ]; } (mkIf (config.y != [ ]) { x = 5; }) ]; })
  ]);
  optionsArg = try (ev [
    (opt types.int { default = 1; })
    ({ options, ... }: { options.has = mkOption { type = types.bool; default = options ? x && !(options ? nope); }; })
  ]).has;
  definitions = try (
    map (d: d) (lib.evalModules { modules = [ (opt (types.listOf types.int) { default = [ 9 ]; }) { x = [ 1 ]; } { x = [ 2 ]; } ]; }).options.x.definitions
  );
  prio = try (lib.evalModules { modules = [ (opt types.int { default = 9; }) ]; }).options.x.highestPrio;
  args = try (ev [ (opt types.int { default = 1; }) { _module.args.foo = 12; } ({ foo, ... }: { x = foo; }) ]).x;
  escape = lib.escapeShellArgs [ "a" "a b" "it's" "" "--x=1" "$(id)" "ü" ];
  recursiveUpdate = lib.recursiveUpdate { a.b = 1; a.c = 2; l = [ 1 ]; } { a.b = 3; l = [ 2 ]; };
  getName = map lib.getName [ "a-1" "hermes-7zip" "x" ];
  unique = lib.unique [ 1 2 1 3 2 ];
}
