"""Cases of H8: files of a reply, and failures to send them."""

from conformance.gateway_cases import gateway_case, list_events, write_messages

from hermes_sdk.llm import say

SENDS = """
async def send_voice(self, chat_id, audio_path, caption=None, reply_to=None, **more):
    SEEN.append(["voice", sorted(more)])
    return SendResult(True, "v")
async def send_video(self, chat_id, video_path, caption=None, reply_to=None, metadata=None):
    return SendResult(True, "w")
async def send_document(self, chat_id, file_path, caption=None, file_name=None, reply_to=None, **more):
    SEEN.append(["document", sorted(more)])
    return SendResult(True, "d")
async def send_image_file(self, chat_id, image_path, caption=None, reply_to=None, **more):
    SEEN.append(["image", sorted(more)])
    return SendResult(True, "i")
"""
FILES = {f"cache/documents/{name}": "x" for name in ("a.pdf", "b.mp3", "c.png", "d.mp4", "e.ogg", "f.xyz")}
TEXT = """
import pathlib
home = os.environ["HERMES_HOME"] + "/cache/documents/"
ctx.register_hook("transform_llm_output", lambda response_text="", **kw: response_text.replace("@", "MEDIA:" + home))
"""


def reply_with(host, text):
    host.llm.script(say(text))
    return write_messages(host, "hi")


@gateway_case("H8", TEXT, adapter=SENDS, files=FILES)
def files_of_each_kind_are_sent(host):
    return reply_with(host, "all:\n@a.pdf\n@b.mp3\n@c.png\n@d.mp4\n@e.ogg\n@f.xyz")


@gateway_case("H8", TEXT, adapter=SENDS, files=FILES)
def audio_is_sent_as_voice(host):
    return reply_with(host, "[[audio_as_voice]] @b.mp3 @a.pdf @c.png")


@gateway_case("H8", TEXT, adapter=SENDS, files=FILES)
def images_are_sent_as_documents(host):
    return reply_with(host, "[[as_document]] @c.png @a.pdf @d.mp4")


@gateway_case("H8", TEXT, adapter=SENDS.replace(", **more", "").replace("sorted(more)", "0"), files=FILES)
def senders_of_files_may_lack_optional_parameters(host):
    return reply_with(host, "all:\n@a.pdf\n@b.mp3\n@c.png\n@f.xyz")


@gateway_case(
    "H8",
    TEXT,
    adapter=SENDS.replace("**more", "metadata=None, is_voice=7").replace("sorted(more)", "is_voice"),
    files=FILES,
)
def an_adapter_receives_the_voice_flag_in_some_releases(host):
    reply_with(host, "[[audio_as_voice]] @b.mp3 then @e.ogg")
    return host.command("/seen")


@gateway_case("H8", TEXT, adapter=SENDS.replace("SendResult(True, ", "SendResult(False, error="), files=FILES)
def failed_sends_of_files_are_reported(host):
    return reply_with(host, "all:\n@a.pdf\n@b.mp3\n@c.png\n@d.mp4")


@gateway_case("H8", TEXT, adapter=SENDS.replace("return SendResult", "raise RuntimeError"), files=FILES)
def senders_of_files_raise(host):
    return reply_with(host, "all:\n@a.pdf\n@b.mp3\n@c.png\n@d.mp4")


@gateway_case("H8", TEXT, files=FILES)
def an_adapter_may_lack_senders_of_files(host):
    return reply_with(host, "all:\n@a.pdf\n@b.mp3\n@c.png\n@d.mp4")


@gateway_case("H8", TEXT, adapter=SENDS, files=FILES)
def missing_and_private_files_are_not_sent(host):
    return reply_with(
        host,
        "all:\n@missing.pdf\nMEDIA:/etc/shadow.pdf\nMEDIA:'/etc/passwd'\nMEDIA:'/etc'\nMEDIA:'a.pdf'\nMEDIA:'no'\n@a.pdf",
    )


@gateway_case("H8", TEXT, adapter=SENDS, files=FILES)
def a_file_that_was_sent_before_is_sent_again(host):
    host.llm.script(say("one @a.pdf"), say("two @a.pdf @b.mp3"))
    return write_messages(host, "hi", "again")


@gateway_case("H8", TEXT, adapter=SENDS, files=FILES)
def files_of_a_reply_are_sent_to_a_thread(host):
    host.llm.script(say("@a.pdf @c.png"))
    gateway = host.gateway()
    gateway.group("g", user="u", thread="t").receives("hi")
    gateway.stop()
    return list_events(host)


@gateway_case("H8", TEXT, adapter=SENDS.replace("**more", "metadata=None").replace("sorted(more)", "0"), files=FILES)
def an_adapter_may_lack_the_voice_flag(host):
    return reply_with(host, "all:\n@a.pdf\n@b.mp3")


@gateway_case("H8", TEXT, adapter=SENDS.replace("SendResult(True, ", "SendResult(False, error="), files=FILES)
def failed_sends_of_files_named_in_the_text_are_reported(host):
    return reply_with(host, f"see {host.home}/cache/documents/a.pdf and {host.home}/cache/documents/d.mp4")


@gateway_case("H8")
def the_first_message_can_come_from_a_group(host):
    host.llm.script(*[say("x")] * 3)
    gateway = host.gateway()
    gateway.group("g", user="u").receives("hi")
    gateway.dm("u").receives("hello")
    gateway.stop()
    return list_events(host)


@gateway_case("H8")
def the_first_message_can_come_from_a_channel(host):
    host.llm.script(*[say("x")] * 3)
    gateway = host.gateway()
    gateway.chat({"chat_id": "c", "chat_type": "channel", "user_id": "u"}).receives("hi")
    gateway.dm("u").receives("hello")
    gateway.stop()
    return list_events(host)


@gateway_case("H8")
def the_first_message_can_come_from_a_thread_of_a_direct_chat(host):
    host.llm.script(*[say("x")] * 3)
    gateway = host.gateway()
    gateway.chat({"chat_id": "u", "chat_type": "dm", "user_id": "u", "thread_id": "t"}).receives("hi")
    gateway.chat({"chat_id": "u", "chat_type": "thread", "user_id": "u", "thread_id": "t2"}).receives("hi")
    gateway.stop()
    return list_events(host)


@gateway_case("H8", TEXT, adapter=SENDS, files=FILES)
def a_reply_of_which_nothing_is_left(host):
    host.llm.script(say("@missing.pdf"), say("[[as_document]] "), say("  @a.pdf."), say("> @a.pdf"))
    return write_messages(host, "1", "2", "3", "4")
