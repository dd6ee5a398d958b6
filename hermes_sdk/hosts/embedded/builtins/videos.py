"""``video_generate``, which calls the configured or only available backend (F19)."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from hermes_sdk.hosts.embedded.builtins.backends import choose_backend, fail_media, is_available
from hermes_sdk.hosts.embedded.builtins.tool import (
    ToolContext,
    array,
    boolean,
    integer,
    list_texts,
    refuse,
    string,
    to_int,
    tool,
)

_log = logging.getLogger("tools.video_generation_tool")

_SWITCHES = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


def check_video_generation_requirements(context: ToolContext) -> bool:
    """Return whether any backend is available."""
    return any(map(is_available, context.registrations.backends["video_gen"].by_name.values()))


@tool(
    "Make a video from a text or an image.",
    check=check_video_generation_requirements,
    prompt=string("What the video shows.", required=True),
    image_url=string("The image that is to move."),
    reference_image_urls=array(string(), "Images to go by."),
    duration=integer("How many seconds."),
    aspect_ratio=string("The shape.", enum=["16:9", "9:16", "1:1", "4:3", "3:4", "3:2", "2:3"], default="16:9"),
    resolution=string("The lines of a picture.", enum=["480p", "540p", "720p", "1080p"], default="720p"),
    negative_prompt=string("What the video does not show."),
    audio=boolean("Whether it has sound."),
    seed=integer("For the same video again."),
    model=string("Another model than the configured one."),
    upscale=boolean("Whether to enlarge the video."),
)
def video_generate(args: dict[str, Any], context: ToolContext) -> str:
    """Call the configured or only available backend."""
    parameters = context.state.contract.host_call_arguments("VideoGenProvider.generate")
    options = _read_options(args)
    if "upscale" in parameters:
        options["upscale"] = _read_switch(args.get("upscale"))
    prompt = _read_text(args, "prompt")
    if not prompt:
        return refuse("prompt is required for video generation")
    if args.keys() & {"operation", "video_url"}:
        return refuse(
            "video_generate only supports text-to-video, image-to-video, and reference-to-video;"
            " other tools edit videos"
        )
    backend = choose_backend(context, "video_gen", lambda known: _choose_backend(known, context))
    if backend is None:
        return _report_missing(context.text("video_gen", "provider"), context)
    requested_model = "" if context.behaviour.video_models_configured else _read_text(args, "model")
    model: dict[str, Any] = {"model": requested_model or context.text("video_gen", "model") or backend.default_model()}
    if "_model_override_explicit" in parameters:
        model["_model_override_explicit"] = bool(requested_model)
    return _make_video(
        backend, prompt, {key: value for key, value in {**model, **options}.items() if value is not None}
    )


def _read_options(args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments for a backend except prompt and model; missing arguments are None."""
    return {
        "image_url": _read_text(args, "image_url") or None,
        "reference_image_urls": list_texts(args.get("reference_image_urls")) or None,
        "duration": to_int(args.get("duration"), None),
        "aspect_ratio": _read_text(args, "aspect_ratio") or "16:9",
        "resolution": _read_text(args, "resolution") or "720p",
        "negative_prompt": _read_text(args, "negative_prompt") or None,
        "audio": _read_switch(args.get("audio")),
        "seed": to_int(args.get("seed"), None),
    }


def _read_text(args: Mapping[str, Any], name: str) -> str:
    text: str = (args.get(name) or "").strip()
    return text


def _read_switch(value: Any) -> bool | None:
    if isinstance(value, str):
        return _SWITCHES.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _choose_backend(known: Mapping[str, Any], context: ToolContext) -> Any:
    name = context.text("video_gen", "provider")
    if name in known:
        return known[name]
    backends = [] if name else [one for one in known.values() if is_available(one)]
    return backends[0] if len(backends) == 1 else None


def _make_video(backend: Any, prompt: str, options: dict[str, Any]) -> str:
    context = {"provider": backend.name, "model": options.get("model", ""), "prompt": prompt}
    try:
        result = backend.generate(prompt=prompt, **options)
    except TypeError as error:
        _log.warning("video_gen provider '%s' rejected kwargs (signature too narrow): %s", backend.name, error)
        message = "signature is out of date with the video_generate schema. Tell its author."
        return _fail(f"Provider '{backend.name}' {message}", "provider_contract", **context)
    except Exception as error:
        _log.warning("video_gen provider '%s' raised: %s", backend.name, error)
        return _fail(f"Provider '{backend.name}' error: {error}", "provider_exception", **context)
    if not isinstance(result, dict):
        return _fail("Provider returned a non-dict result", "provider_contract", **context)
    return json.dumps(result)


def _report_missing(name: str, context: ToolContext) -> str:
    if not name:
        return _fail(context.state.wording("video_generate.no_backend"), "no_provider_configured")
    return _fail(
        f"video_gen.provider='{name}' is set but no plugin registered that name. `hermes tools` lets you choose one.",
        "provider_not_registered",
        provider=name,
    )


def _fail(message: str, error_type: str, *, provider: str = "", model: str = "", prompt: str = "") -> str:
    context = {"model": model, "prompt": prompt, "aspect_ratio": "", "provider": provider}
    return fail_media("video", message, error_type, **context)
