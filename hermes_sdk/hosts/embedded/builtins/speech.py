"""``text_to_speech``, which calls the configured backend (F19)."""

from __future__ import annotations

import datetime
import logging
import os
import re
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.builtins.backends import find_backend, is_available
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext, answer, number, refuse, string, tool

_log = logging.getLogger("tools.tts_tool")

_MAX_TEXT = 4000
_MAX_BYTES = 10 * 1024 * 1024
_SAFETY_RATIO = 0.85
"""Share of the maximum file size up to which Hermes joins files."""
_PLAIN_TEXT = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*(?:[,;:.!?]? [^\W\d_]+(?:['-][^\W\d_]+)*)*[.!?]?")
"""Matches text that Hermes does not rewrite for speech."""


def check_tts_requirements(context: ToolContext) -> bool:
    """Return whether the configured backend is available."""
    backend = context.registrations.backends["tts"].by_name.get(context.text("tts", "provider").lower())
    return backend is not None and is_available(backend)


@tool(
    "Speak a text.",
    check=check_tts_requirements,
    text=string("What is said.", required=True),
    output_path=string("The file that it is written to."),
    speed=number("How fast it is spoken; 1 is the usual speed."),
)
def text_to_speech(args: dict[str, Any], context: ToolContext) -> str:
    """Have the configured backend write an audio file."""
    text = args.get("text", "")
    if not text or not text.strip():
        return answer(error="Text is required", success=False)
    name = context.text("tts", "provider").lower() or "edge"
    backend = find_backend("tts", name, context)
    if backend is None:
        raise context.state.unsupported(
            f"run {name!r}, the default backend of text_to_speech",
            fix="Set tts.provider to the plugin's backend, or run this test on the real host.",
        )
    requested = args.get("output_path")
    if requested and ".." in Path(requested).parts:
        problem = f"output_path contains '..' traversal component: {requested}. Use an absolute path or one relative"
        return answer(success=False, error=f"{problem} to the current directory without '..'.")
    path = Path(requested).expanduser() if requested else _choose_path(context)
    path.parent.mkdir(parents=True, exist_ok=True)
    max_length = _read_max_length(name, context)
    if not context.behaviour.speech_in_parts:
        result = _speak(_Request(backend, name, args), text[:max_length], path, context)
        return answer(**result)
    return _speak_whole(_Request(backend, name, args), text, max_length, path, context)


class _Request(NamedTuple):
    backend: Any
    name: str
    args: Mapping[str, Any]


def _speak_whole(request: _Request, text: str, max_length: int, path: Path, context: ToolContext) -> str:
    """Synthesise a text as one file; a failure leaves no file.

    Raises:
        NotSupported: Hermes would rewrite or split the text, or refuse the size of the file.
    """
    text, state, profile = text.strip(), context.state, _read_profile(context)
    if state.take_message is not None and context.session_id:
        raise state.unsupported("apply a chat platform's size limit to speech files")
    if not _PLAIN_TEXT.fullmatch(text):
        raise state.unsupported("prepare markup, digits and symbols for speech")
    if len(text) > max_length:
        raise state.unsupported("split long texts for speech")
    target = path
    if context.behaviour.speech_files_spared and os.path.lexists(path):
        target = path.with_name(f".{path.stem}.{uuid.uuid4().hex}{path.suffix}")
    result = _speak(request, text, target, context)
    if not result["success"]:
        target.unlink(missing_ok=True)
        return refuse(f"TTS chunk 1 failed ({request.name}): {result['error']}", success=False)
    file = Path(result["file_path"])
    if file.stat().st_size > profile["max_file_bytes"]:
        raise state.unsupported("refuse speech files that are too large")
    delivered = path.with_suffix(file.suffix)
    if file.absolute() != delivered.absolute():
        file.replace(delivered)
    if target.absolute() != delivered.absolute():
        target.unlink(missing_ok=True)
    is_voice = result["voice_compatible"]
    return answer(
        success=True,
        file_path=str(delivered),
        file_paths=[str(delivered)],
        media_tag=_make_media_tag(str(delivered), is_voice=is_voice),
        provider=request.name,
        voice_compatible=is_voice,
        chunk_count=1,
        delivery_file_count=1,
        combined_chunks=False,
        delivery_profile=profile,
    )


def _read_profile(context: ToolContext) -> dict[str, Any]:
    """Return the limits for speech files of sessions outside a chat."""
    profiles = context.section("tts").get("delivery_profiles")
    own = profiles.get("default") if isinstance(profiles, Mapping) else None
    own = own if isinstance(own, Mapping) else {}
    largest, share = own.get("max_file_bytes"), own.get("safety_ratio")
    if not isinstance(largest, int) or largest is True or largest <= 0:
        largest = _MAX_BYTES
    if not isinstance(share, int | float) or isinstance(share, bool) or not 0 < share <= 1:
        share = _SAFETY_RATIO
    return {"platform": "default", "max_file_bytes": largest, "target_file_bytes": max(1, int(largest * share))}


def _speak(request: _Request, text: str, path: Path, context: ToolContext) -> dict[str, Any]:
    name = request.name
    try:
        return _synthesize(request, text, str(path), context)
    except HermesSdkError:
        raise
    except ValueError as error:
        return _fail(f"TTS configuration error ({name}): {error}")
    except Exception as error:
        context.state.swallow(_log.name, error)
        how = "dependency missing" if isinstance(error, FileNotFoundError) else "generation failed"
        return _fail(f"TTS {how} ({name}): {error}")


def _synthesize(request: _Request, text: str, path: str, context: ToolContext) -> dict[str, Any]:
    backend, name = request.backend, request.name
    voice, model = (context.section("tts").get(key) for key in ("voice", "model"))
    form = context.section("tts").get("output_format", "mp3")
    speed = _read_speed(request.args, context)
    _log.info("Generating speech with plugin TTS provider '%s'...", name)
    returned = backend.synthesize(
        text,
        path,
        voice=voice if isinstance(voice, str) and voice else None,
        model=model if isinstance(model, str) and model else None,
        speed=float(speed) if isinstance(speed, (int, float)) else None,
        format=str(form).lower() if form else "mp3",
    )
    file = Path(returned if isinstance(returned, str) and returned else path)
    if not file.exists() or not file.stat().st_size:
        return {"success": False, "error": f"TTS generation produced no output (provider: {name})"}
    is_voice = _is_voice(backend, file, context)
    return {
        "success": True,
        "file_path": str(file),
        "media_tag": _make_media_tag(str(file), is_voice=is_voice),
        "provider": name,
        "voice_compatible": is_voice,
    }


def _read_speed(args: Mapping[str, Any], context: ToolContext) -> Any:
    """Return the speed from the call, on releases with that argument, or from the configuration."""
    if context.behaviour.speech_in_parts and args.get("speed") is not None:
        return max(0.25, min(4.0, float(args["speed"])))
    return context.section("tts").get("speed")


def _make_media_tag(file: str, *, is_voice: bool) -> str:
    return f"[[audio_as_voice]]\nMEDIA:{file}" if is_voice else f"MEDIA:{file}"


def _is_voice(backend: Any, file: Path, context: ToolContext) -> bool:
    try:
        wanted = bool(backend.voice_compatible)
    except Exception:
        return False
    if wanted and file.suffix != ".ogg":
        raise context.state.unsupported(
            f"convert {file.name} to the .ogg format of voice messages",
            fix="Write an .ogg file if voice_compatible is true, or run this test on the real host.",
        )
    return wanted


def _read_max_length(name: str, context: ToolContext) -> int:
    section = context.section("tts").get(name)
    max_length = section.get("max_text_length") if isinstance(section, dict) else None
    return max_length if isinstance(max_length, int) and max_length is not True and max_length > 0 else _MAX_TEXT


def _choose_path(context: ToolContext) -> Path:
    now = datetime.datetime.now(tz=datetime.UTC).astimezone()
    stamp = "%Y%m%d_%H%M%S_%f" if context.behaviour.speech_in_parts else "%Y%m%d_%H%M%S"
    return context.state.home.path / "cache" / "audio" / f"tts_{now.strftime(stamp)}.mp3"


def _fail(message: str) -> dict[str, Any]:
    _log.error("%s", message)
    return {"error": message, "success": False}
