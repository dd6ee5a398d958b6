"""``text_to_speech``, which calls the configured backend (F19)."""

from __future__ import annotations

import datetime
import logging
import os
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.builtins.backends import find_backend, is_available
from hermes_sdk.hosts.embedded.builtins.declaration import number, string, tool
from hermes_sdk.hosts.embedded.builtins.speech_parts import deliver, prepare_text, read_profile, split_text
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext, answer, refuse

_log = logging.getLogger("tools.tts_tool")

_LONGEST = 4000


def check_tts_requirements(context: ToolContext) -> bool:
    """Tell whether the configured backend is available."""
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
    longest = _read_longest(name, context)
    if not context.behaviour.speech_in_parts:
        spoken = _speak(_Request(backend, name, args), text[:longest], path, context)
        return answer(**spoken)
    return _speak_parts(_Request(backend, name, args), text, longest, path, context)


class _Request(NamedTuple):
    backend: Any
    name: str
    args: Mapping[str, Any]


def _speak_parts(request: _Request, text: str, longest: int, path: Path, context: ToolContext) -> str:
    """Have each part of a text spoken; nothing is left of it if that fails."""
    if context.state.take_message is not None and context.session_id:
        raise context.state.unsupported("apply a chat platform's size limit to speech files")
    profile, chunks = read_profile(context), split_text(prepare_text(text, context.state), longest)
    written: list[str] = []
    spoken: list[dict[str, Any]] = []
    delivered: list[str] = []
    try:
        for index, chunk in enumerate(chunks, start=1):
            part = path.with_name(f"{path.stem}.chunk{index:03d}{path.suffix}") if len(chunks) > 1 else path
            if context.behaviour.speech_files_spared and os.path.lexists(part):
                part = part.with_name(f".{part.stem}.{uuid.uuid4().hex}{part.suffix}")
            written.append(str(part))
            spoken.append(_speak(request, chunk, part, context))
            if not spoken[-1]["success"]:
                return refuse(f"TTS chunk {index} failed ({request.name}): {spoken[-1]['error']}", success=False)
            written.append(spoken[-1]["file_path"])
        files = [one["file_path"] for one in spoken]
        delivered = deliver(files, path.with_suffix(Path(files[0]).suffix), profile, context.state)
    except ValueError as error:
        return answer(**_fail(f"TTS delivery error ({request.name}): {error}"))
    finally:
        for file in {*map(os.path.abspath, written)} - {*map(os.path.abspath, delivered)}:
            Path(file).unlink(missing_ok=True)
    is_voice = all(one["voice_compatible"] for one in spoken)
    return answer(
        success=True,
        file_path=delivered[0],
        file_paths=delivered,
        media_tag=_tag(delivered, is_voice=is_voice),
        provider=request.name,
        voice_compatible=is_voice,
        chunk_count=len(chunks),
        delivery_file_count=len(delivered),
        combined_chunks=False,
        delivery_profile=profile,
    )


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
    written = backend.synthesize(
        text,
        path,
        voice=voice if isinstance(voice, str) and voice else None,
        model=model if isinstance(model, str) and model else None,
        speed=float(speed) if isinstance(speed, (int, float)) else None,
        format=str(form).lower() if form else "mp3",
    )
    file = Path(written if isinstance(written, str) and written else path)
    if not file.exists() or not file.stat().st_size:
        return {"success": False, "error": f"TTS generation produced no output (provider: {name})"}
    is_voice = _is_voice(backend, file, context)
    return {
        "success": True,
        "file_path": str(file),
        "media_tag": _tag([str(file)], is_voice=is_voice),
        "provider": name,
        "voice_compatible": is_voice,
    }


def _read_speed(args: Mapping[str, Any], context: ToolContext) -> Any:
    """Return the speed of the call, or else of the configuration; by release, calls have none."""
    if context.behaviour.speech_in_parts and args.get("speed") is not None:
        return max(0.25, min(4.0, float(args["speed"])))
    return context.section("tts").get("speed")


def _tag(files: Sequence[str], *, is_voice: bool) -> str:
    return "\n".join([*(["[[audio_as_voice]]"] if is_voice else []), *(f"MEDIA:{file}" for file in files)])


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


def _read_longest(name: str, context: ToolContext) -> int:
    section = context.section("tts").get(name)
    longest = section.get("max_text_length") if isinstance(section, dict) else None
    return longest if isinstance(longest, int) and longest is not True and longest > 0 else _LONGEST


def _choose_path(context: ToolContext) -> Path:
    now = datetime.datetime.now(tz=datetime.UTC).astimezone()
    stamp = "%Y%m%d_%H%M%S_%f" if context.behaviour.speech_in_parts else "%Y%m%d_%H%M%S"
    return context.state.home.path / "cache" / "audio" / f"tts_{now.strftime(stamp)}.mp3"


def _fail(message: str) -> dict[str, Any]:
    _log.error("%s", message)
    return {"error": message, "success": False}
