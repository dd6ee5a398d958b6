# The module system of the stand-in: evalModules.
{ lib }:
let
  inherit (builtins)
    all
    attrNames
    concatMap
    elemAt
    filter
    foldl'
    functionArgs
    genList
    head
    isAttrs
    isFunction
    isPath
    isString
    length
    map
    mapAttrs
    ;
  inherit (lib)
    discharge
    genAttrs
    isType
    mergeDefs
    mkOption
    mkOverride
    pushDown
    showOption
    types
    unique
    ;
in
{
  evalModules =
    { modules, specialArgs ? { }, prefix ? [ ] }:
    let
      callable = m: isFunction m || (isAttrs m && m ? __functor);
      call =
        m:
        let
          f = if isPath m || (isString m) then import m else m;
          named = mapAttrs (n: _: specialArgs.${n} or (base.${n} or all'._module.args.${n})) (
            if isFunction f then functionArgs f else { }
          );
          base = {
            inherit config options;
            lib = specialArgs.lib or lib;
          };
        in
        if callable f then f (base // specialArgs // named) else f;

      normal =
        file: m:
        if m ? __def then
          if callable m.__def then
            normal file (call m.__def)
          else
            {
              inherit file;
              imports = [ ];
              options = { };
              config = m.__def;
            }
        else if m ? config || m ? options then
          {
            inherit file;
            imports = m.imports or [ ];
            options = m.options or { };
            config = m.config or { };
          }
        else
          {
            inherit file;
            imports = m.imports or [ ];
            options = { };
            config = removeAttrs m [ "imports" "_file" "key" "_class" "disabledModules" ];
          };

      collect =
        i: m:
        let
          called = call m;
        in
        normal (called._file or m._file or (if isPath m then toString m else "<module ${i}>")) called;

      # Use the order of nixpkgs: imports breadth first, then reversed.
      levels =
        ms:
        if ms == [ ] then
          [ ]
        else
          let
            here = genList (i: collect (toString i) (elemAt ms i)) (length ms);
          in
          here ++ levels (concatMap (m: m.imports) here);
      reverse = xs: genList (i: elemAt xs (length xs - 1 - i)) (length xs);

      mods = reverse (levels modules) ++ [
        {
          file = "<internal>";
          config = { };
          options._module.args = mkOption {
            type = types.attrsOf types.unspecified;
            default = { };
            internal = true;
          };
        }
      ];

      # A single tree of the options of all declarations, each with its file.
      join =
        loc: trees:
        let
          declared = filter (t: isType "option" t.node) trees;
          files = map (t: t.file) declared;
          names = unique (concatMap (t: attrNames t.node) trees);
          below = n: map (t: t // { node = t.node.${n}; }) (filter (t: t.node ? ${n}) trees);
        in
        if declared == [ ] then
          genAttrs names (n: join (loc ++ [ n ]) (below n))
        else if length trees == 1 then
          (head declared).node
        else
          throw "The option `${showOption loc}' in `${elemAt files 1}' is already declared in `${head files}'.";
      tree = join prefix (
        map (m: {
          inherit (m) file;
          node = m.options;
        }) mods
      );

      eval =
        loc: node: defs:
        if isType "option" node then
          let
            default = if node ? default then [ { file = "<default>"; value = mkOverride 1500 node.default; } ] else [ ];
            m = mergeDefs loc node.type (defs ++ default);
            value =
              if (node.readOnly or false) && length (concatMap discharge defs) > 1 then
                throw "The option `${showOption loc}' is read-only, but it is set multiple times."
              else if node ? apply then
                node.apply m.value
              else
                m.value;
          in
          node
          // {
            inherit loc value;
            inherit (m) isDefined highestPrio;
            definitions = map (d: d.value) m.defs;
            definitionsWithLocations = m.defs;
          }
        else
          let
            flat = concatMap (d: map (v: { inherit (d) file; value = v; }) (pushDown d.value)) defs;
            unknown = d: filter (n: !(node ? ${n})) (attrNames d.value);
            extra = concatMap (d: map (n: { inherit n; inherit (d) file; }) (unknown d)) flat;
            checked =
              if extra == [ ] then
                node
              else
                throw (
                  "The option `${showOption (loc ++ [ (head extra).n ])}' does not exist "
                  + "(in ${(head extra).file})."
                );
          in
          mapAttrs (
            n: child:
            eval (loc ++ [ n ]) child (
              map (d: { inherit (d) file; value = d.value.${n}; }) (filter (d: d.value ? ${n}) flat)
            )
          ) checked;

      # The structure of the options does not depend on definitions.
      results = eval prefix tree (map (m: { inherit (m) file; value = m.config; }) mods);
      at = foldl' (result: name: result.${name}) results;
      shape = path: node: if isType "option" node then at path else mapAttrs (n: shape (path ++ [ n ])) node;
      options = shape [ ] tree;
      values = r: if isType "option" r then r.value else mapAttrs (_: values) r;
      all' = values results;
      config = removeAttrs all' [ "_module" ];
    in
    {
      inherit options config;
    };
}
