#!/bin/sh
set -eu
cd house-search
hermes-sdk docs "requires_env secret"

sed -i '/^VARIABLE = /a\KEY = "HOUSE_SEARCH_KEY"' house_search/provider.py
sed -i 's/return bool(os.environ.get(VARIABLE))/return bool(os.environ.get(VARIABLE) and os.environ.get(KEY))/' house_search/provider.py
sed -i 's/"""Return whether the address is set."""/"""Return whether the address and the key are set."""/' house_search/provider.py
sed -i '/^        asked = /c\        asked = [\
            {"key": VARIABLE, "prompt": "Address of the search service"},\
            {"key": KEY, "prompt": "Key of the search service"},\
        ]' house_search/provider.py
sed -i 's/get(VARIABLE, ""), query, limit)/get(VARIABLE, ""), query, limit, os.environ.get(KEY, ""))/' house_search/provider.py
sed -i 's/^def search(address: str, query: str, limit: int)/def search(address: str, query: str, limit: int, key: str)/' house_search/service.py
sed -i '/        limit: The maximum/a\        key: The key of the service.' house_search/service.py
sed -i '/^    question = /a\    headers = {"Authorization": f"Bearer {key}"}\
    request = urllib.request.Request(f"{address}?{question}", headers=headers)' house_search/service.py
sed -i 's/urlopen(f"{address}?{question}", /urlopen(request, /' house_search/service.py
cat >> house_search/plugin.yaml <<'END'
  - name: HOUSE_SEARCH_KEY
    description: "Key of the search service"
    secret: true
END
sed -i -E 's/(service\.search\(.*, [0-9])\)/\1, "key")/' tests/test_service.py
sed -i 's/^    monkeypatch.setenv("HOUSE_SEARCH_URL", server.url)/&\
    monkeypatch.setenv("HOUSE_SEARCH_KEY", "key")/' tests/test_service.py
sed -i 's/^        self.queries: list\[str\] = \[\]/&\
        self.keys: list[str | None] = []/' tests/test_service.py
sed -i 's/^            service.queries += .*/&\
            service.keys.append(self.headers["Authorization"])/' tests/test_service.py
sed -i 's/^    assert known.queries == \["tea"\]/&\
    assert known.keys == ["Bearer key"]/' tests/test_service.py
hermes-sdk verify
