"""Cases of L9: the modules that platform adapters import."""

import json
from pathlib import Path

from conformance.case import case
from conformance.evaluation import PLUGINS, evaluate

from hermes_sdk import contract


@case("L9", plugins=PLUGINS, enable=["p"])
def platforms_and_platform_settings_are_parsed(host):
    return evaluate(
        host,
        "gateway.config",
        "m.Platform('telegram')",
        "m.Platform(' Telegram ').name",
        "m.Platform('nothing')",
        "m.PlatformConfig.from_dict({'enabled': 'yes', 'token': 't', 'extra': {'a': 1, 'typing_indicator': 'no'}}).to_dict()",
        "m.HomeChannel.from_dict({'platform': 'discord', 'chat_id': 5})",
        "m.HomeChannel(m.Platform.DISCORD, 'c', 'Home').to_dict()",
        "m.PlatformConfig.from_dict({'home_channel': {'platform': 'discord', 'chat_id': 5}}).to_dict()['home_channel']",
    )


@case(
    "L9",
    one="""
        import asyncio, json
        from gateway.config import Platform, PlatformConfig
        from gateway.platforms.base import BasePlatformAdapter, MessageEvent, MessageType, SendResult
        class Echo(BasePlatformAdapter):
            def __init__(self, config): super().__init__(config, Platform("echo"))
            async def connect(self, **more):
                self._mark_connected()
                return True
            async def disconnect(self): self._mark_disconnected()
            async def send(self, chat_id, content, reply_to=None, metadata=None): return SendResult(True, f"{chat_id} {content}")
            async def get_chat_info(self, chat_id): return {}
        def register(ctx):
            ctx.register_platform("echo", "Echo", Echo, lambda: True)
            def try_out(line):
                adapter = Echo(PlatformConfig(enabled=True))
                run = asyncio.run
                told = [adapter.name, adapter.is_connected, run(adapter.connect()), adapter.is_connected, adapter.has_fatal_error]
                adapter._set_fatal_error("code", "no", retryable=False)
                told += [adapter.is_connected, adapter.has_fatal_error, adapter.fatal_error_code, adapter.fatal_error_retryable]
                told += [run(adapter.send_image("c", "u", "caption")), run(adapter.edit_message("c", "m", "x")), run(adapter.delete_message("c", "m"))]
                told += [adapter.format_message("x"), adapter.prepare_tts_text("a b."), adapter.supports_draft_streaming(), adapter.message_len_fn("abc")]
                source = adapter.build_source(5, chat_name="room", chat_type="group", user_id=7, user_name="me", thread_id="", chat_topic=" ")
                told += [source, source.description, source.to_dict(), type(source).from_dict(source.to_dict()) == source]
                told += [adapter.build_source("d").description, Platform("echo") is Platform("ECHO"), Platform("echo").name]
                return "\\n".join(map(repr, told))
            ctx.register_command("try", try_out)
            def event(line):
                made = MessageEvent(text=line)
                return repr([made.message_type, made.source, made.media_urls, made.is_command(), made.get_command(), made.get_command_args()])
            ctx.register_command("event", event)
    """,
)
def adapters_work_without_a_gateway(host):
    lines = ("hello there", "/go a b", "  /go a", "/Go@me  a —b", "/a/b c", "/go")
    return [(host.command("/try") or "").splitlines(), [host.command(f"/event {line}") for line in lines]]


@case(
    "L9",
    one="""
        import asyncio, logging
        from gateway.config import Platform, PlatformConfig
        from gateway.platforms.base import BasePlatformAdapter, MessageEvent
        class Echo(BasePlatformAdapter):
            def __init__(self, config): super().__init__(config, Platform("echo"))
            async def connect(self, **more): return True
            async def disconnect(self): pass
            async def send(self, chat_id, content, reply_to=None, metadata=None): pass
            async def get_chat_info(self, chat_id): return {}
        class Told(logging.Handler):
            def emit(self, record): told.append([record.levelname, record.getMessage().partition(" is ")[0]])
        told = []
        def register(ctx):
            ctx.register_platform("echo", "Echo", Echo, lambda: True)
            def try_out(line):
                logging.getLogger("gateway.platforms.base").addHandler(Told())
                adapter = Echo(PlatformConfig(enabled=True))
                for user in ("u", 0, ""):
                    source = adapter.build_source("c", user_id=user)
                    asyncio.run(adapter.handle_message(MessageEvent(text="x", source=source)))
                    told.append(source.user_id)
                return repr(told)
            ctx.register_command("try", try_out)
    """,
)
def a_message_without_a_gateway_is_dropped(host):
    return host.command("/try")


@case("L9", plugins=PLUGINS, enable=["p"])
def commands_are_recognised_after_attachment_references(host):
    texts = (
        "@file:a.txt\\n/go now",
        "  @Image:x y\\n@url:z\\n /go",
        "@file:a.txt /go",
        "@diff\\n/go",
        "a\\n@file:b\\n/go",
        "/go @file:a",
    )
    event = (
        "(lambda e: [e.is_command(), e.get_command(), e.get_command_args()])(m.MessageEvent(text='{}', source=None))"
    )
    return evaluate(host, "gateway.platforms.base", *map(event.format, texts))


@case("L9", plugins=PLUGINS, enable=["p"])
def prospective_threads_have_session_keys(host):
    source = "m.SessionSource.from_dict({{'platform': 'local', 'chat_id': 'c', 'chat_type': '{}', 'user_id': 'u', {}}})"
    threads = ("'prospective_thread_id': 'p'", "'prospective_thread_id': 'p', 'thread_id': 't'")
    made = [source.format(kind, thread) for kind in ("dm", "group", "channel") for thread in threads]
    keys = [f"m.build_session_key({one})" for one in made]
    users = [f"m.build_session_key({one}, thread_sessions_per_user=True)" for one in made]
    return evaluate(host, "gateway.session", *keys, *users, f"{made[2]}.to_dict()")


@case("L9", plugins=PLUGINS, enable=["p"])
def truncation_handles_unclosed_code_blocks(host):
    return evaluate(
        host,
        "gateway.platforms.base",
        "m.BasePlatformAdapter.truncate_message('a ' * 30 + '\\n```py\\nx = 1', 50)",
        "m.BasePlatformAdapter.truncate_message('```py\\n' + 'x = 1\\n' * 20, 50)",
        "m.BasePlatformAdapter.truncate_message('```py\\n' + 'x = 1\\n' * 20 + '```\\nend\\n```', 50)",
        "m.BasePlatformAdapter.truncate_message('```py\\n' + 'x = 1\\n' * 20 + '```\\nend', max_length=50, len_fn=m.utf16_len)",
    )


@case("L9", plugins=PLUGINS, enable=["p"])
def message_classes_have_their_own_module_in_some_releases(host):
    names = ("MessageEvent", "MessageType", "ProcessingOutcome", "SendResult")
    modules = f"[getattr(m, name).__module__ for name in {names}]"
    told = evaluate(host, "gateway.platforms.base", modules)
    if "gateway.platforms.event" in contract.load(host.release).host_modules:
        same = (f"m.{name} is load('gateway.platforms.base').{name}" for name in names[:3])
        told += evaluate(host, "gateway.platforms.event", *same)
    return told


@case("L9", plugins=PLUGINS, enable=["p"], files={"image_cache/old.png": "x"})
def received_media_is_cached_in_the_home(host):
    return evaluate(
        host,
        "gateway.platforms.base",
        "Path(m.cache_image_from_bytes(b'GIF89a...')).parent",
        "Path(m.cache_image_from_bytes(b'\\xff\\xd8\\xff\\xe0')).suffix",
        "m.cache_image_from_bytes(b'text')",
        "Path(m.cache_audio_from_bytes(b'abc')).parent",
        "Path(m.cache_document_from_bytes(b'abc', '../../a b.txt')).name[-8:]",
        "Path(m.cache_document_from_bytes(b'abc', '..')).name[-9:]",
        "m.get_document_cache_dir()",
        "m.utf16_len('a😀')",
        "m.Platform is load('gateway.config').Platform",
        "[one.name for one in m.ProcessingOutcome]",
        "m.SendResult(success=False, error='no')",
    )


@case("L9", plugins=PLUGINS, enable=["p"])
def the_format_of_received_audio_is_detected(host):
    starts = (
        "OggS1234",
        "fLaC",
        "ID3x",
        "1234ftypM4A x",
        "1234ftypisom",
        "RIFF1234WAVE",
        "RIFF1234WEBP",
        "\\xff\\xfb",
        "\\xff\\xf1",
    )
    starts += ("\\xff\\xe3", "\\xff", "\\x1a\\x45\\xdf\\xa3", "abc", "")
    made = (f"Path(m.cache_audio_from_bytes(b'{start}', 'mp4')).name[18:]" for start in starts)
    return evaluate(host, "gateway.platforms.base", *made, "Path(m.cache_audio_from_bytes(b'fLaC', '.ogg')).suffix")


@case("L9", plugins=PLUGINS, enable=["p"])
def received_media_files_are_private(host):
    paths = (
        f"Path(m.{made})" for made in ("cache_audio_from_bytes(b'abc')", "cache_document_from_bytes(b'abc', 'a.txt')")
    )
    shown = "[oct(one.stat().st_mode) for one in (p, p.parent, p.parent.parent)]"
    return evaluate(host, "gateway.platforms.base", *(f"(lambda p: {shown})({path})" for path in paths))


MEDIA_TEXTS = (Path(__file__).parent.parent / "hosts/embedded/gateway/adapter/media_texts.json").read_text(
    encoding="utf-8"
)
READING = """
    import json, os
    from pathlib import Path
    from gateway.platforms.base import BasePlatformAdapter as Adapter
    def read(line):
        home = Path(os.environ["HERMES_HOME"])
        given, folder = json.loads((home / "texts.json").read_text(encoding="utf-8")), str(home / "files")
        user, os.environ["HOME"], read = os.environ["HOME"], folder, []
        for text in (one["text"].replace("{d}", folder) for one in given["texts"]):
            found = [Adapter.extract_media(text), Adapter.strip_media_directives_for_display(text)]
            read.append([*found, Adapter.extract_local_files(text)])
        os.environ["HOME"] = user
        return json.dumps(read).replace(str(home), "<home>")
    def register(ctx):
        ctx.register_command("read", read)
"""


@case(
    "L9",
    one=READING,
    files={"texts.json": MEDIA_TEXTS, **{f"files/{name}": "x" for name in json.loads(MEDIA_TEXTS)["files"]}},
)
def media_tags_are_extracted_from_texts(host):
    return json.loads(host.command("/read") or "")


SPEAKING = """
    from gateway.config import Platform, PlatformConfig
    from gateway.platforms.base import BasePlatformAdapter
    class Echo(BasePlatformAdapter):
        def __init__(self, config, platform): super().__init__(config, platform)
        async def connect(self, *, is_reconnect=False): return True
        async def disconnect(self): pass
        async def send(self, chat_id, content, reply_to=None, metadata=None): pass
        async def get_chat_info(self, chat_id): pass
    def register(ctx):
        ctx.register_command("spoken", Echo(PlatformConfig(enabled=True), Platform("local")).prepare_tts_text)
"""


@case("L9", one=SPEAKING, until="0.20.1")
def markup_is_removed_from_speech(host):
    return host.command("/spoken *a* [b]")


@case("L9", one=SPEAKING, since="0.20.1", refused="prepare markup, digits and symbols for speech")
def markup_and_symbols_are_spelled_out_in_speech(host):
    return host.command("/spoken *a* [b]")


WARNING = """
    import asyncio
    from gateway.config import Platform, PlatformConfig
    from gateway.platforms.base import BasePlatformAdapter, SendResult
    class Echo(BasePlatformAdapter):
        def __init__(self, config, platform): super().__init__(config, platform)
        async def connect(self, *, is_reconnect=False): return True
        async def disconnect(self): pass
        async def send(self, *args, **more): return SendResult(True, repr((args, more)))
        async def get_chat_info(self, chat_id): pass
    def register(ctx):
        echo = Echo(PlatformConfig(enabled=True), Platform("local"))
        def warn(line):
            sent = [echo.emit_warning("chat", line), echo.emit_warning("chat", line, reply_to="1", metadata={"a": 2})]
            return repr([echo.warning_notifications_enabled(), *map(asyncio.run, sent)])
        ctx.register_command("warn", warn)
"""


@case("L9", one=WARNING, since="0.21.4")
def an_adapter_sends_a_warning(host):
    return host.command("/warn the disk is full")


SUPPRESSED = {"display": {"suppress_warning_notifications": True}}


@case("L9", one=WARNING, config=SUPPRESSED, since="0.21.4", refused="suppress the warnings of an adapter")
def adapter_warnings_can_be_suppressed(host):
    return host.command("/warn the disk is full")
