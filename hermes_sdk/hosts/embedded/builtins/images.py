"""``image_generate``, which calls the configured backend (G17 to G19)."""

from __future__ import annotations

import json
import logging
import os
from typing import Any

from hermes_sdk.hosts.embedded.builtins.backends import fail_media, find_backend, is_available
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext, array, boolean, list_texts, refuse, string, tool

_log = logging.getLogger("tools.image_generation_tool")

_CONTROLS = ("creativity", "intensity", "complexity", "movement")


def check_image_generation_requirements(context: ToolContext) -> bool:
    """Return whether the configured backend is available."""
    name = context.text("image_gen", "provider")
    backend = context.registrations.backends["image_gen"].by_name.get(name)
    if backend is None or name == "fal":
        return False
    return bool(backend.is_available() if context.behaviour.image_backend_errors_told else is_available(backend))


@tool(
    "Draw an image from a text, or change one.",
    check=check_image_generation_requirements,
    prompt=string("What the image shows.", required=True),
    aspect_ratio=string("The shape of the image.", enum=["landscape", "square", "portrait"], default="landscape"),
    image_url=string("The image to change."),
    reference_image_urls=array(string(), "Further images to go by."),
    upscale=boolean("Whether to enlarge the image."),
)
def image_generate(args: dict[str, Any], context: ToolContext) -> str:
    """Call the configured backend."""
    prompt = args.get("prompt", "")
    if not prompt:
        return refuse("prompt is required for image generation")
    name = context.text("image_gen", "provider")
    if name in ("", "fal"):
        return _fail_without_backend(name, context)
    backend = find_backend("image_gen", name, context)
    if backend is None:
        return fail_media(
            "image",
            f"image_gen.provider='{name}' is set but no plugin registered that name. `hermes plugins"
            " list` shows the backends.",
            "provider_not_registered",
        )
    request = {"prompt": prompt, "aspect_ratio": args.get("aspect_ratio", "landscape")}
    if model := context.text("image_gen", "model"):
        request["model"] = model
    parameters = context.state.contract.host_call_arguments("ImageGenProvider.generate")
    images = _list_images(args)
    if context.behaviour.image_controls:
        request |= _list_controls(args, backend)
    upscale = {"upscale": args["upscale"]} if "upscale" in parameters and isinstance(args.get("upscale"), bool) else {}
    try:
        result = backend.generate(**request, **images, **upscale)
    except Exception as error:
        return _report_error(backend.name, error, images)
    if not isinstance(result, dict):
        return fail_media("image", "Provider returned a non-dict result", "provider_contract")
    return json.dumps(result)


def _list_images(args: dict[str, Any]) -> dict[str, Any]:
    """Return the images of a call as arguments for a backend."""
    one, more = args.get("image_url"), args.get("reference_image_urls")
    images = {"image_url": one.strip() if isinstance(one, str) else "", "reference_image_urls": list_texts(more)}
    return {name: value for name, value in images.items() if value}


def _list_controls(args: dict[str, Any], backend: Any) -> dict[str, Any]:
    """Return the creative controls of a call that a backend declares."""
    controls = {name: args[name] for name in _CONTROLS if name in args}
    if not controls:
        return {}
    try:
        declared = (backend.capabilities() or {}).get("creative_controls") or ()
    except Exception:
        return {}
    return {name: value for name, value in controls.items() if name in declared}


def _report_error(name: str, error: Exception, images: dict[str, Any]) -> str:
    mismatch = isinstance(error, TypeError)
    if images and mismatch:
        _log.warning("image_gen provider '%s' rejected image-to-image kwargs (signature too narrow): %s", name, error)
        return fail_media(
            "image",
            f"Provider '{name}' does not support image-to-image / editing (its generate() signature is"
            " out of date with the image_generate schema). Leave image_url out, or choose a backend"
            " that edits images.",
            "modality_unsupported",
        )
    _log.warning("Image gen provider '%s' raised%s: %s", name, " TypeError" if mismatch else "", error)
    return fail_media("image", f"Provider '{name}' error: {error}", "provider_exception")


def _fail_without_backend(name: str, context: ToolContext) -> str:
    """Return the host's error for a missing key of FAL, its default backend."""
    if name or os.environ.get("FAL_KEY", "").strip():
        raise context.state.unsupported(
            "run FAL, the default backend of image_generate",
            fix="Set image_gen.provider to the plugin's backend, or run this test on the real host.",
        )
    message = context.state.wording("image_generate.no_backend")
    _log.error("Error generating image: %s", message)
    failure = {"success": False, "image": None, "error": message, "error_type": "ValueError"}
    return json.dumps(failure, indent=2, ensure_ascii=False)
