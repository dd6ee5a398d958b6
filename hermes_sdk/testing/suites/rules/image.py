"""HS886 to HS892, and HS945: requirements on image backends."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from . import lab
from .base import Blocked, NotApplicable, SuiteRules, demand
from .lab import demand_takes_more
from .values import TEXTS
from .watching import list_files, record_addresses

BASE = "ImageGenProvider"
PROMPT = "A cat on a roof"

RULES = SuiteRules()
rule = RULES.rule


class Lab(lab.Lab):
    """An image backend under test."""

    registration = "HS886"

    def provider(self) -> Any:
        """Return the backend that the plugin registers."""
        found = self.find_registered("register_image_gen_provider")
        if not found:
            raise Blocked(self.registration, "the plugin registers no image backend")
        return found[0]


@rule("HS886", "It warns in the log and ignores the backend.", outside=True)
def the_host_accepts_the_backend(test: Any) -> None:
    """A plugin registers an object of a subclass of agent.image_gen_provider.ImageGenProvider."""
    report = test.host.report(test.settings["key"])
    demand(
        report["providers"].get("image_gen"), f"the host registered no backend: {report['error'] or report['warnings']}"
    )


@rule("HS887", "The tool reports that no plugin registered that name.")
def its_name_selects_it(test: Lab) -> None:
    """image_gen.provider names the backend, not the plugin; names are lower case, without spaces."""
    name, wanted = test.provider().name, test.settings["backend"]
    demand(isinstance(name, str) and name == "".join(name.lower().split()), f"{name!r} is not a valid backend name")
    demand(name == wanted, f"its name is {name!r}, but image_gen.provider is {wanted!r}; set backend in the suite")


@rule("HS888", "The tool is offered although it cannot work, or every session start waits for the network.")
def is_available_answers_at_once(test: Lab) -> None:
    """The host calls it before each session to decide whether to offer the tool; checking for a key needs no
    request."""
    with record_addresses() as asked:
        answer = test.provider().is_available()
    demand(isinstance(answer, bool), f"is_available() returned {answer!r}")
    demand(not asked, f"is_available() contacted {asked}")


@rule("HS889", "`hermes tools` does not list the backend, or fails with an exception.")
def it_describes_itself(test: Lab) -> None:
    """The setup lists the models and asks for keys; the schema of the tool depends on the capabilities."""
    provider = test.provider()
    models, setup = provider.list_models(), provider.get_setup_schema()
    right = isinstance(models, list) and all(isinstance(one, dict) and one.get("id") for one in models)
    demand(right, f"list_models() returned {models!r:.200}; each model is a mapping with id")
    default, ids = provider.default_model(), [one["id"] for one in models]
    demand(default is None or not ids or default in ids, f"default_model() returned {default!r}, which is not listed")
    asked = setup.get("env_vars", []) if isinstance(setup, dict) else None
    right = isinstance(asked, list) and all(isinstance(one, dict) and one.get("key") for one in asked)
    demand(right, f"get_setup_schema() returned {setup!r:.200}; each of env_vars is a mapping with key")
    if hasattr(provider, "capabilities"):
        can = provider.capabilities()
        demand(set(can.get("modalities", ())) <= {"text", "image"}, f"capabilities() returned {can!r:.200}")


@rule("HS890", "The tool fails with modality_unsupported, or with a TypeError.")
def generate_accepts_arguments_of_later_releases(test: Lab) -> None:
    """0.17.0 added image_url and reference_image_urls; the host passes model where one is configured."""
    generate = test.provider().generate
    demand_takes_more(generate, prompt=PROMPT, aspect_ratio="square", model="m", image_url=None)


@rule("HS891", "The tool returns provider_contract or provider_exception instead of the actual problem.")
def generate_answers_any_request(test: Lab) -> None:
    """The host checks neither the prompt nor the aspect ratio; a backend that fails returns an error."""
    provider = test.provider()
    for prompt, ratio in [(PROMPT, "landscape"), (PROMPT, "16:9"), (PROMPT, ""), *((text, "square") for text in TEXTS)]:
        _demand_answer(provider.generate(prompt=prompt, aspect_ratio=ratio), f"generate(prompt={prompt[:40]!r})")


def _demand_answer(answer: Any, said: str) -> None:
    demand(isinstance(answer, dict), f"{said} returned {answer!r:.200}, which is not a mapping")
    demand(isinstance(answer.get("success"), bool), f"{said} returned no `success`: {answer!r:.200}")
    wanted = ("image", "model", "prompt", "aspect_ratio", "provider") if answer["success"] else ("error", "error_type")
    lacking = [key for key in wanted if not isinstance(answer.get(key), str)]
    demand(not lacking, f"{said} has no text as {lacking}: {answer!r:.200}")
    demand(answer["success"] or answer.get("image") is None, f"{said} failed, but returned an image")
    json.dumps(answer)


@rule("HS945", "The user gets an error instead of a picture.")
def it_makes_an_image(test: Lab) -> None:
    """Users select an image backend to get pictures."""
    answer = test.provider().generate(prompt=PROMPT, aspect_ratio="square")
    done = isinstance(answer, dict) and answer.get("success") is True and answer.get("image")
    demand(done, f"generate(prompt={PROMPT!r}) returned no image: {answer!r:.300}")


@rule("HS892", "The image is lost: backups, other profiles and chats do not find the file.")
def pictures_are_kept_in_the_home(test: Lab) -> None:
    """An image is a URL or the path of a file under the home, such as save_b64_image and save_url_image return."""
    before = list_files(test.elsewhere)
    answer: Any = None
    with record_addresses() as asked, contextlib.suppress(Exception):
        answer = test.provider().generate(prompt=PROMPT, aspect_ratio="square")
    after = list_files(test.elsewhere)
    changed = sorted(name for name in after if after[name] != before.get(name))
    demand(not changed, f"it wrote {changed[:5]}")
    demand(
        test.settings["network"] or not asked,
        f"it contacted {sorted(set(asked))}, although the suite does not set network = True",
    )
    image = answer.get("image") if isinstance(answer, dict) else None
    if not isinstance(image, str) or image.startswith(("http://", "https://", "data:")):
        raise NotApplicable("it created no file")
    demand(Path(image).is_file(), f"the image {image!r} is not a file")
    demand(Path(image).resolve().is_relative_to(test.home.resolve()), f"the image {image!r} is not in the home")
