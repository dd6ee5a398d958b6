"""A browser without a network: it calls an application, and keeps cookies."""

from __future__ import annotations

from typing import Any

import anyio
import httpx

ADDRESS = "http://127.0.0.1:8765"


class Browser:
    def __init__(self, app: Any) -> None:
        self._app = app
        self._cookies = httpx.Cookies()

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        return anyio.run(self._request, method, path, options)

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.request("GET", path, **options)

    def post(self, path: str, **options: Any) -> httpx.Response:
        return self.request("POST", path, **options)

    async def _request(self, method: str, path: str, options: dict[str, Any]) -> httpx.Response:
        transport = httpx.ASGITransport(self._app)
        async with httpx.AsyncClient(transport=transport, base_url=ADDRESS, cookies=self._cookies) as client:
            answer = await client.request(method, path, **options)
            self._cookies.update(client.cookies)
            return answer
