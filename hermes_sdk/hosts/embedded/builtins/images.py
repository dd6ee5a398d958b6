"""``image_generate``, which asks the backend that the configuration names (statements G17 to G19)."""

from __future__ import annotations

import json
import logging
import os
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.builtins.tool import Builtin, Turnside, is_available, refusal, texts

_log = logging.getLogger("tools.image_generation_tool")

_CATEGORY = "image_gen"
_NO_BACKEND = (
    "Image generation is unavailable in this environment.\n\nMissing requirements:\n"
    "  - FAL_KEY environment variable is not set\n%s\nTo enable image generation, do one of:\n"
    "  1. Get a free API key at https://fal.ai and set FAL_KEY=<your-key> (then restart the session)\n"
    "  3. Configure a different image_gen provider via `hermes tools` → Image Generation (run `hermes plugins list` to"
    " see installed backends)"
)
_PORTAL = (
    "  - Log in to Nous Portal to use managed FAL image generation: run `hermes model`. Billing and credits are managed"
    " at https://portal.nousresearch.com/billing.\n"
)


def _generate(args: dict[str, Any], side: Turnside) -> str:
    prompt = args.get("prompt", "")
    if not prompt:
        return refusal("prompt is required for image generation")
    name = side.text(_CATEGORY, "provider")
    if name in ("", "fal"):
        return _without_plugins(name, side)
    backend = side.backends.chosen(_CATEGORY, lambda known: known.get(name))
    if backend is None:
        return _failed(
            f"image_gen.provider='{name}' is set but no plugin registered that name. Run `hermes plugins list` to see"
            " available image gen backends.",
            "provider_not_registered",
        )
    asked = {"prompt": prompt, "aspect_ratio": args.get("aspect_ratio", "landscape")}
    if model := side.text(_CATEGORY, "model"):
        asked["model"] = model
    edits = side.behaviour.images_edited
    images = _images(args) if edits else {}
    try:
        drawn = backend.generate(**asked, **images)
    except Exception as error:
        return _raised(backend.name, error, images, edits=edits)
    if not isinstance(drawn, dict):
        return _failed("Provider returned a non-dict result", "provider_contract")
    return json.dumps(drawn)


def _raised(name: str, error: Exception, images: dict[str, Any], *, edits: bool) -> str:
    mistaken = edits and isinstance(error, TypeError)
    if images and mistaken:
        _log.warning("image_gen provider '%s' rejected image-to-image kwargs (signature too narrow): %s", name, error)
        return _failed(
            f"Provider '{name}' does not support image-to-image / editing (its generate() signature is out of date with"
            " the image_generate schema). Omit image_url for text-to-image, or pick a backend that supports editing via"
            " `hermes tools` → Image Generation.",
            "modality_unsupported",
        )
    _log.warning("Image gen provider '%s' raised%s: %s", name, " TypeError" if mistaken else "", error)
    return _failed(f"Provider '{name}' error: {error}", "provider_exception")


def _images(args: dict[str, Any]) -> dict[str, Any]:
    """The images that a call brings along, as backends get them."""
    one, more = args.get("image_url"), args.get("reference_image_urls")
    images = {"image_url": one.strip() if isinstance(one, str) else "", "reference_image_urls": texts(more)}
    return {name: value for name, value in images.items() if value}


def _without_plugins(name: str, side: Turnside) -> str:
    """Answer where the host draws itself, as far as it lacks the key that it needs."""
    if name or os.environ.get("FAL_KEY", "").strip():
        raise HermesSdkError(
            "The embedded host does not run FAL, with which image_generate draws unless a plugin is chosen.",
            fix="Set image_gen.provider to the name of the plugin's backend, or run this test on the real host.",
        )
    message = "FAL_KEY environment variable not set"
    if side.behaviour.missing_image_backend_explained:
        message = _NO_BACKEND % (_PORTAL if side.behaviour.image_portal_named else "")
    _log.error("Error generating image: %s", message)
    failed = {"success": False, "image": None, "error": message, "error_type": "ValueError"}
    return json.dumps(failed, indent=2, ensure_ascii=False)


def _failed(message: str, kind: str) -> str:
    return json.dumps({"success": False, "image": None, "error": message, "error_type": kind})


def check_image_generation_requirements(side: Turnside) -> bool:
    """Tell whether a backend is there: the one that is configured, or in older releases any."""
    registered = side.backends(_CATEGORY)
    if side.behaviour.image_backend_configured:
        registered = {
            name: one for name, one in registered.items() if name == side.text(_CATEGORY, "provider") != "fal"
        }
    return any(is_available(one) for one in registered.values())


TOOLS = {
    "image_generate": Builtin(
        "Draw an image from a text, or change one.",
        {
            "type": "object",
            "properties": {
                "prompt": {"type": "string", "description": "What the image shows."},
                "aspect_ratio": {
                    "type": "string",
                    "enum": ["landscape", "square", "portrait"],
                    "description": "The shape of the image.",
                    "default": "landscape",
                },
                "image_url": {"type": "string", "description": "The image to change."},
                "reference_image_urls": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Further images to go by.",
                },
            },
            "required": ["prompt"],
        },
        _generate,
        check_image_generation_requirements,
    ),
}
