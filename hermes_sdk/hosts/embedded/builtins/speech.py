"""``text_to_speech``, which lets the backend speak that the configuration names (F19)."""

from __future__ import annotations

import datetime
import logging
from pathlib import Path
from typing import Any

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.builtins.tool import Builtin, Turnside, answer, is_available

_log = logging.getLogger("tools.tts_tool")

_CATEGORY = "tts"
_LONGEST = 4000


def _speak(args: dict[str, Any], side: Turnside) -> str:
    text = args.get("text", "")
    if not text or not text.strip():
        return answer(error="Text is required", success=False)
    name = side.text("tts", "provider").lower() or "edge"
    backend = side.backends.chosen(_CATEGORY, lambda known: known.get(name))
    if backend is None:
        raise HermesSdkError(
            f"The embedded host does not run {name!r}, with which text_to_speech speaks unless a plugin's is chosen.",
            fix="Set tts.provider to the name of the plugin's backend, or run this test on the real host.",
        )
    asked = args.get("output_path")
    if asked and ".." in Path(asked).parts:
        told = f"output_path contains '..' traversal component: {asked}. Use an absolute path or one relative"
        return answer(success=False, error=f"{told} to the current directory without '..'.")
    path = Path(asked).expanduser() if asked else _place(side)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return _spoken(backend, name, text[: _longest(name, side)], str(path), side)
    except HermesSdkError:
        raise
    except ValueError as error:
        return _failed(f"TTS configuration error ({name}): {error}")
    except Exception as error:
        side.backends.on_swallowed(_log.name, error)
        how = "dependency missing" if isinstance(error, FileNotFoundError) else "generation failed"
        return _failed(f"TTS {how} ({name}): {error}")


def _spoken(backend: Any, name: str, text: str, path: str, side: Turnside) -> str:
    """Have a backend speak, and tell where it did."""
    section = side.section("tts")
    voice, model = (
        value if isinstance(value := section.get(key), str) and value else None for key in ("voice", "model")
    )
    speed, form = section.get("speed"), section.get("output_format", "mp3")
    _log.info("Generating speech with plugin TTS provider '%s'...", name)
    written = backend.synthesize(
        text,
        path,
        voice=voice,
        model=model,
        speed=float(speed) if isinstance(speed, (int, float)) else None,
        format=str(form).lower() if form else "mp3",
    )
    file = Path(written if isinstance(written, str) and written else path)
    if not file.exists() or not file.stat().st_size:
        return answer(success=False, error=f"TTS generation produced no output (provider: {name})")
    is_voice = _is_voice(backend, file)
    tag = f"[[audio_as_voice]]\nMEDIA:{file}" if is_voice else f"MEDIA:{file}"
    return answer(success=True, file_path=str(file), media_tag=tag, provider=name, voice_compatible=is_voice)


def _is_voice(backend: Any, file: Path) -> bool:
    try:
        wanted = bool(backend.voice_compatible)
    except Exception:
        return False
    if wanted and file.suffix != ".ogg":
        raise HermesSdkError(
            f"The embedded host does not turn {file.name} into the .ogg that a voice message is.",
            fix="Write an .ogg file where voice_compatible is true, or run this test on the real host.",
        )
    return wanted


def _longest(name: str, side: Turnside) -> int:
    section = side.section("tts").get(name)
    longest = section.get("max_text_length") if isinstance(section, dict) else None
    return longest if isinstance(longest, int) and longest is not True and longest > 0 else _LONGEST


def _place(side: Turnside) -> Path:
    now = datetime.datetime.now(tz=datetime.UTC).astimezone()
    folder = "cache/audio" if side.behaviour.empty_caches_left else "audio_cache"
    return side.home / folder / f"tts_{now:%Y%m%d_%H%M%S}.mp3"


def _failed(message: str) -> str:
    _log.error("%s", message)
    return answer(error=message, success=False)


def check_tts_requirements(side: Turnside) -> bool:
    """Tell whether the backend that is configured is available; before 0.19 those of plugins do not count."""
    backend = side.backends(_CATEGORY).get(side.text("tts", "provider").lower())
    return side.behaviour.speech_backend_counts and backend is not None and is_available(backend)


TOOLS = {
    "text_to_speech": Builtin(
        "Speak a text.",
        {
            "type": "object",
            "properties": {
                "text": {"type": "string", "description": "What is said."},
                "output_path": {"type": "string", "description": "The file that it is written to."},
            },
            "required": ["text"],
        },
        _speak,
        check_tts_requirements,
    ),
}
