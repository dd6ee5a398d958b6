"""``text_to_speech``, which calls the configured backend (F19)."""

from __future__ import annotations

import datetime
import logging
from pathlib import Path
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.builtins.backends import find_backend, is_available
from hermes_sdk.hosts.embedded.builtins.declaration import string, tool
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext, answer

_log = logging.getLogger("tools.tts_tool")

_LONGEST = 4000


def check_tts_requirements(context: ToolContext) -> bool:
    """Tell whether the configured backend is available; before 0.19 backends of plugins do not count."""
    backend = context.registrations.backends["tts"].by_name.get(context.text("tts", "provider").lower())
    return context.behaviour.speech_backend_counts and backend is not None and is_available(backend)


@tool(
    "Speak a text.",
    check=check_tts_requirements,
    text=string("What is said.", required=True),
    output_path=string("The file that it is written to."),
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
            f"run {name!r}, with which text_to_speech speaks unless a plugin's is chosen",
            fix="Set tts.provider to the name of the plugin's backend, or run this test on the real host.",
        )
    requested = args.get("output_path")
    if requested and ".." in Path(requested).parts:
        problem = f"output_path contains '..' traversal component: {requested}. Use an absolute path or one relative"
        return answer(success=False, error=f"{problem} to the current directory without '..'.")
    path = Path(requested).expanduser() if requested else _choose_path(context)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return _synthesize(backend, name, text[: _read_longest(name, context)], str(path), context)
    except HermesSdkError:
        raise
    except ValueError as error:
        return _fail(f"TTS configuration error ({name}): {error}")
    except Exception as error:
        context.state.swallow(_log.name, error)
        how = "dependency missing" if isinstance(error, FileNotFoundError) else "generation failed"
        return _fail(f"TTS {how} ({name}): {error}")


def _synthesize(backend: Any, name: str, text: str, path: str, context: ToolContext) -> str:
    voice, model = (context.section("tts").get(key) for key in ("voice", "model"))
    speed, form = context.section("tts").get("speed"), context.section("tts").get("output_format", "mp3")
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
        return answer(success=False, error=f"TTS generation produced no output (provider: {name})")
    is_voice = _is_voice(backend, file, context)
    tag = f"[[audio_as_voice]]\nMEDIA:{file}" if is_voice else f"MEDIA:{file}"
    return answer(success=True, file_path=str(file), media_tag=tag, provider=name, voice_compatible=is_voice)


def _is_voice(backend: Any, file: Path, context: ToolContext) -> bool:
    try:
        wanted = bool(backend.voice_compatible)
    except Exception:
        return False
    if wanted and file.suffix != ".ogg":
        raise context.state.unsupported(
            f"turn {file.name} into the .ogg that a voice message is",
            fix="Write an .ogg file where voice_compatible is true, or run this test on the real host.",
        )
    return wanted


def _read_longest(name: str, context: ToolContext) -> int:
    section = context.section("tts").get(name)
    longest = section.get("max_text_length") if isinstance(section, dict) else None
    return longest if isinstance(longest, int) and longest is not True and longest > 0 else _LONGEST


def _choose_path(context: ToolContext) -> Path:
    now = datetime.datetime.now(tz=datetime.UTC).astimezone()
    folder = "cache/audio" if context.behaviour.empty_caches_left else "audio_cache"
    return context.state.home.path / folder / f"tts_{now:%Y%m%d_%H%M%S}.mp3"


def _fail(message: str) -> str:
    _log.error("%s", message)
    return answer(error=message, success=False)
