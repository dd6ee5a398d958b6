"""``video_generate``, which asks the backend that the configuration names, or else the only one (F19)."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from hermes_sdk.hosts.embedded.builtins.tool import Builtin, Turnside, is_available, refusal, texts

_log = logging.getLogger("tools.video_generation_tool")

_CATEGORY = "video_gen"
_SWITCHES = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


def _generate(args: dict[str, Any], side: Turnside) -> str:
    asked = _asked(args)
    prompt = _text(args, "prompt")
    if not prompt:
        return refusal("prompt is required for video generation")
    if side.behaviour.video_edits_refused and args.keys() & {"operation", "video_url"}:
        return refusal(
            "video_generate only supports text-to-video, image-to-video, and reference-to-video; use a"
            " provider-specific tool for video edit/extend"
        )
    backend = side.backends.chosen(_CATEGORY, lambda known: _chosen(known, side))
    if backend is None:
        return _missing(side.text(_CATEGORY, "provider"))
    named = _text(args, "model")
    first: dict[str, Any] = {"model": named or side.text(_CATEGORY, "model") or backend.default_model()}
    if side.behaviour.video_model_told_apart:
        first["_model_override_explicit"] = bool(named)
    return _made(backend, prompt, {name: value for name, value in {**first, **asked}.items() if value is not None})


def _made(backend: Any, prompt: str, asked: dict[str, Any]) -> str:
    """What a backend answers."""
    failed = {"provider": backend.name, "model": asked.get("model", ""), "prompt": prompt}
    try:
        made = backend.generate(prompt=prompt, **asked)
    except TypeError as error:
        _log.warning("video_gen provider '%s' rejected kwargs (signature too narrow): %s", backend.name, error)
        message = "signature is out of date with the video_generate schema. Report this to the plugin author."
        return _failed(f"Provider '{backend.name}' {message}", "provider_contract", **failed)
    except Exception as error:
        _log.warning("video_gen provider '%s' raised: %s", backend.name, error)
        return _failed(f"Provider '{backend.name}' error: {error}", "provider_exception", **failed)
    if not isinstance(made, dict):
        return _failed("Provider returned a non-dict result", "provider_contract", **failed)
    return json.dumps(made)


def _asked(args: Mapping[str, Any]) -> dict[str, Any]:
    """What a backend is passed beside the prompt and the model; None where the call says nothing."""
    return {
        "image_url": _text(args, "image_url") or None,
        "reference_image_urls": texts(args.get("reference_image_urls")) or None,
        "duration": _number(args.get("duration")),
        "aspect_ratio": _text(args, "aspect_ratio") or "16:9",
        "resolution": _text(args, "resolution") or "720p",
        "negative_prompt": _text(args, "negative_prompt") or None,
        "audio": _switch(args.get("audio")),
        "seed": _number(args.get("seed")),
    }


def _text(args: Mapping[str, Any], name: str) -> str:
    text: str = (args.get(name) or "").strip()
    return text


def _number(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None


def _switch(value: Any) -> bool | None:
    if isinstance(value, str):
        return _SWITCHES.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _chosen(known: Mapping[str, Any], side: Turnside) -> Any:
    name = side.text(_CATEGORY, "provider")
    if name in known:
        return known[name]
    backends = list(known.values())
    if side.behaviour.video_backend_available:
        backends = [] if name else [one for one in backends if is_available(one)]
    return backends[0] if len(backends) == 1 else None


def _missing(name: str) -> str:
    if not name:
        return _failed(
            "No video generation backend is configured. Run `hermes tools` → Video Generation to enable one (xAI, FAL,"
            " or Google Veo).",
            "no_provider_configured",
        )
    return _failed(
        f"video_gen.provider='{name}' is set but no plugin registered that name. Run `hermes plugins list` to see"
        " installed video gen backends, or `hermes tools` → Video Generation to pick one.",
        "provider_not_registered",
        provider=name,
    )


def _failed(message: str, kind: str, *, provider: str = "", model: str = "", prompt: str = "") -> str:
    told = {"success": False, "video": None, "error": message, "error_type": kind}
    return json.dumps({**told, "model": model, "prompt": prompt, "aspect_ratio": "", "provider": provider})


def check_video_generation_requirements(side: Turnside) -> bool:
    """Tell whether any backend is available."""
    return any(is_available(one) for one in side.backends(_CATEGORY).values())


_TEXT, _NUMBER = {"type": "string"}, {"type": "integer"}

TOOLS = {
    "video_generate": Builtin(
        "Make a video from a text or an image.",
        {
            "type": "object",
            "properties": {
                "prompt": {**_TEXT, "description": "What the video shows."},
                "image_url": {**_TEXT, "description": "The image that is to move."},
                "reference_image_urls": {"type": "array", "items": _TEXT, "description": "Images to go by."},
                "duration": {**_NUMBER, "description": "How many seconds."},
                "aspect_ratio": {
                    **_TEXT,
                    "enum": ["16:9", "9:16", "1:1", "4:3", "3:4", "3:2", "2:3"],
                    "description": "The shape.",
                    "default": "16:9",
                },
                "resolution": {
                    **_TEXT,
                    "enum": ["480p", "540p", "720p", "1080p"],
                    "description": "The lines of a picture.",
                    "default": "720p",
                },
                "negative_prompt": {**_TEXT, "description": "What the video does not show."},
                "audio": {"type": "boolean", "description": "Whether it has sound."},
                "seed": {**_NUMBER, "description": "For the same video again."},
                "model": {**_TEXT, "description": "Another model than the configured one."},
            },
            "required": ["prompt"],
        },
        _generate,
        check_video_generation_requirements,
    ),
}
