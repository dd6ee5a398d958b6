# A small stand-in for the `lib` of nixpkgs: its module system and the helpers that the modules and their tests use, so
# that the modules are evaluated for real where there is no nixpkgs. tests/nix/agree.nix holds it against the real one.
let
  inherit (builtins)
    all
    attrNames
    attrValues
    concatLists
    concatMap
    concatStringsSep
    elem
    elemAt
    filter
    foldl'
    functionArgs
    genList
    head
    isAttrs
    isBool
    isFunction
    isInt
    isList
    isPath
    isString
    length
    listToAttrs
    map
    mapAttrs
    replaceStrings
    tail
    toJSON
    typeOf
    ;

  showOption = concatStringsSep ".";
  last = xs: elemAt xs (length xs - 1);
  unique = foldl' (acc: x: if elem x acc then acc else acc ++ [ x ]) [ ];
  isType = t: x: isAttrs x && (x._type or "") == t;
  genAttrs = names: f: listToAttrs (map (name: { inherit name; value = f name; }) names);
  recursiveUpdate =
    a: b:
    a
    // mapAttrs (n: v: if a ? ${n} && isAttrs a.${n} && isAttrs v then recursiveUpdate a.${n} v else v) b;
  escapeShellArg =
    x:
    let
      s = toString x;
    in
    if builtins.match "[[:alnum:],._+:@%/-]+" s != null then s else "'${replaceStrings [ "'" ] [ "'\\''" ] s}'";
  isDerivation = x: (x.type or null) == "derivation";
  isStorePath =
    x:
    (isString x || isPath x || x ? outPath)
    && (
      let
        s = toString x;
      in
      builtins.substring 0 1 s == "/" && dirOf s == builtins.storeDir
    );

  # -- definitions ------------------------------------------------------------
  mkIf = condition: content: { _type = "if"; inherit condition content; };
  mkMerge = contents: { _type = "merge"; inherit contents; };
  mkOverride = priority: content: { _type = "override"; inherit priority content; };

  # One level of a tree of attribute sets: properties move to the children, so
  # that a condition is looked at only where a value is asked for.
  pushDown =
    v:
    if isType "merge" v then
      concatMap pushDown v.contents
    else if isType "if" v then
      map (mapAttrs (_: mkIf v.condition)) (pushDown v.content)
    else if isType "override" v then
      map (mapAttrs (_: mkOverride v.priority)) (pushDown v.content)
    else
      [ v ];

  discharge =
    def:
    let
      v = def.value;
    in
    if isType "merge" v then
      concatMap (x: discharge (def // { value = x; })) v.contents
    else if isType "if" v then
      (if v.condition then discharge (def // { value = v.content; }) else [ ])
    else
      [ def ];

  prioOf = def: if isType "override" def.value then def.value.priority else 100;
  strip = def: if isType "override" def.value then def // { value = def.value.content; } else def;
  strongest =
    defs:
    let
      best = foldl' (a: d: if prioOf d < a then prioOf d else a) 9999 defs;
    in
    {
      inherit best;
      defs = map strip (filter (d: prioOf d == best) defs);
    };

  mergeDefs =
    loc: type: rawDefs:
    let
      s = strongest (concatMap discharge rawDefs);
      bad = filter (d: !(type.check d.value)) s.defs;
      value =
        if s.defs == [ ] then
          throw "The option `${showOption loc}' was accessed but has no value defined. Try setting the option."
        else if bad != [ ] then
          throw (
            "A definition for option `${showOption loc}' is not of type `${type.description}' (in ${(head bad).file})."
          )
        else
          type.merge loc s.defs;
    in
    {
      inherit value;
      inherit (s) defs;
      highestPrio = s.best;
      isDefined = s.defs != [ ];
    };

  one =
    loc: defs:
    if all (d: d.value == (head defs).value) defs then
      (head defs).value
    else
      throw (
        "The option `${showOption loc}' has conflicting definition values: "
        + "${concatStringsSep ", " (map (d: d.file) defs)}."
      );

  mkOptionType =
    {
      name,
      check ? (_: true),
      merge ? one,
      description ? name,
      nestedTypes ? { },
      getSubOptions ? (_: { }),
      functor ? { },
    }:
    {
      _type = "option-type";
      inherit name description check merge nestedTypes getSubOptions functor;
    };

  simple = name: check: mkOptionType { inherit name check; };

  types = {
    inherit mkOptionType;
    bool = simple "bool" isBool;
    int = simple "int" isInt;
    str = simple "str" isString;
    path = simple "path" (x: isPath x || (isString x && builtins.substring 0 1 x == "/"));
    attrs = mkOptionType {
      name = "attrs";
      check = isAttrs;
      merge = _: defs: foldl' (a: d: a // d.value) { } defs;
    };
    unspecified = mkOptionType {
      name = "unspecified";
      merge =
        loc: defs:
        if length defs == 1 then
          (head defs).value
        else if all (d: isList d.value) defs then
          concatLists (map (d: d.value) defs)
        else if all (d: isAttrs d.value) defs then
          foldl' (a: d: a // d.value) { } defs
        else
          one loc defs;
    };
    anything = mkOptionType {
      name = "anything";
      merge =
        loc: defs:
        if all (d: isAttrs d.value && !(isDerivation d.value)) defs then
          (types.attrsOf types.anything).merge loc defs
        else
          one loc defs;
    };
    package = mkOptionType {
      name = "package";
      check = x: isDerivation x || isStorePath x;
    };
    enum =
      values:
      mkOptionType {
        name = "enum";
        description = "one of ${concatStringsSep ", " (map toJSON values)}";
        check = x: elem x values;
        functor.payload = { inherit values; };
      };
    nullOr =
      t:
      mkOptionType {
        name = "nullOr";
        nestedTypes.elemType = t;
        inherit (t) getSubOptions;
        check = x: x == null || t.check x;
        merge = loc: defs: if all (d: d.value == null) defs then null else t.merge loc defs;
      };
    listOf =
      t:
      mkOptionType {
        name = "listOf";
        nestedTypes.elemType = t;
        getSubOptions = loc: t.getSubOptions (loc ++ [ "*" ]);
        check = isList;
        merge =
          loc: defs:
          concatLists (
            map (
              d:
              let
                at = i: mergeDefs (loc ++ [ "[${toString i}]" ]) t [ (d // { value = elemAt d.value i; }) ];
              in
              map (m: m.value) (filter (m: m.isDefined) (genList at (length d.value)))
            ) defs
          );
      };
    attrsOf =
      t:
      mkOptionType {
        name = "attrsOf";
        nestedTypes.elemType = t;
        getSubOptions = loc: t.getSubOptions (loc ++ [ "<name>" ]);
        check = isAttrs;
        merge =
          loc: defs:
          let
            flat = concatMap (d: map (v: { inherit (d) file; value = v; }) (pushDown d.value)) defs;
            names = unique (concatMap (d: attrNames d.value) flat);
            of =
              n:
              mergeDefs (loc ++ [ n ]) t (
                map (d: { inherit (d) file; value = d.value.${n}; }) (filter (d: d.value ? ${n}) flat)
              );
          in
          mapAttrs (_: m: m.value) (
            listToAttrs (filter (x: x.value.isDefined) (map (name: { inherit name; value = of name; }) names))
          );
      };
    submodule =
      module:
      mkOptionType {
        name = "submodule";
        getSubOptions =
          loc:
          removeAttrs
            (evalModules {
              prefix = loc;
              specialArgs.name = "<name>";
              modules = [ module ];
            }).options
            [ "_module" ];
        check = x: isAttrs x || isFunction x;
        merge =
          loc: defs:
          (evalModules {
            prefix = loc;
            specialArgs.name = last loc;
            modules = [ module ] ++ map (d: { _file = d.file; __def = d.value; }) defs;
          }).config;
      };
  };

  # -- modules ------------------------------------------------------------------
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
            lib = specialArgs.lib or self;
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

      # As in nixpkgs: breadth first over the imports, then back to front.
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

      # One tree of options out of all declarations, each with the file that it comes from.
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
                throw "The option `${showOption (loc ++ [ (head extra).n ])}' does not exist (in ${(head extra).file}).";
          in
          mapAttrs (
            n: child:
            eval (loc ++ [ n ]) child (
              map (d: { inherit (d) file; value = d.value.${n}; }) (filter (d: d.value ? ${n}) flat)
            )
          ) checked;

      # The shape of the options is there before any definition is looked at.
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

  mkOption = o: { _type = "option"; } // o;
  self = {
    inherit
      all
      attrNames
      attrValues
      concatLists
      concatMap
      concatStringsSep
      elem
      evalModules
      filter
      foldl'
      elemAt
      genAttrs
      genList
      head
      isDerivation
      isStorePath
      last
      length
      listToAttrs
      mapAttrs
      mkIf
      mkMerge
      mkOption
      mkOverride
      recursiveUpdate
      tail
      types
      unique
      escapeShellArg
      ;
    licenses.mit.spdxId = "MIT";
    mkDefault = mkOverride 1000;
    mkForce = mkOverride 50;
    mkEnableOption =
      text:
      mkOption {
        type = types.bool;
        default = false;
        example = true;
        description = "Whether to enable ${text}.";
      };
    literalExpression = text: { _type = "literalExpression"; inherit text; };
    escapeShellArgs = xs: concatStringsSep " " (map escapeShellArg xs);
    hasAttrByPath =
      path: a: path == [ ] || (isAttrs a && a ? ${head path} && self.hasAttrByPath (tail path) a.${head path});
    optional = c: x: if c then [ x ] else [ ];
    optionals = c: xs: if c then xs else [ ];
    optionalString = c: s: if c then s else "";
    optionalAttrs = c: a: if c then a else { };
    mapAttrsToList = f: a: map (n: f n a.${n}) (attrNames a);
    filterAttrs = p: a: removeAttrs a (filter (n: !(p n a.${n})) (attrNames a));
    getName = x: if isString x then (builtins.parseDrvName x).name else x.pname or (self.getName x.name);
    removePrefix = p: s: if self.hasPrefix p s then builtins.substring (builtins.stringLength p) (-1) s else s;
    hasPrefix = p: s: builtins.substring 0 (builtins.stringLength p) s == p;
    runTests =
      tests:
      concatMap (
        name:
        let
          t = tests.${name};
        in
        if t.expr == t.expected then
          [ ]
        else
          [
            {
              inherit name;
              inherit (t) expected;
              result = t.expr;
            }
          ]
      ) (filter (n: builtins.substring 0 4 n == "test") (attrNames tests));
  };
in
self
