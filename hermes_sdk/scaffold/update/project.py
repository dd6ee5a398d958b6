"""What a project says of the template that it was made from, and what it was when it was made."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

from hermes_sdk.documents import parse_toml, read_text
from hermes_sdk.errors import UsageError

SETTINGS = ".hermes-sdk.toml"
BASE = ".hermes-sdk.base.zip"
"""The name that the template's last hook, `templates/_hooks/post_gen_project.py`, writes."""

_RESTORE = f"Restore it: `git log --all -- {SETTINGS} {BASE}` lists the commits that contain it."


@dataclass(frozen=True)
class Project:
    """A project that was made from a template.

    Attributes:
        version: The hermes-sdk whose template it was.
    """

    root: Path
    template: str
    version: str
    answers: dict[str, str]

    @classmethod
    def at(cls, path: Path) -> Project:
        """Read what a project says.

        Raises:
            UsageError: It was not made from a template, or does not say from which.
        """
        root = path.resolve()
        file = root / SETTINGS
        try:
            settings = parse_toml(read_text(file))
        except FileNotFoundError:
            raise UsageError(
                f"{root} has no {SETTINGS}: it was not created by `hermes-sdk new`",
                fix="Pass the root of a generated project. `hermes-sdk add` also works in other projects.",
            ) from None
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot be read: {error}", where=str(file), fix=_RESTORE) from None
        template, version, answers = (settings.get(key) for key in ("template", "version", "answers"))
        if not (isinstance(template, str) and isinstance(version, str) and isinstance(answers, dict)):
            raise UsageError("`template`, `version` or `[answers]` is missing", where=str(file), fix=_RESTORE)
        return cls(root, template, version, {str(name): str(answer) for name, answer in answers.items()})

    def unpack_base(self, directory: Path) -> None:
        """Write the project as it was made into a directory.

        Raises:
            UsageError: The project does not carry it any more.
        """
        file = self.root / BASE
        try:
            with zipfile.ZipFile(file) as archive:
                for entry in archive.infolist():
                    Path(archive.extract(entry, directory)).chmod(entry.external_attr >> 16 & 0o777 or 0o644)
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            raise UsageError(
                f"the stored copy of the generated project cannot be read: {error}", where=str(file), fix=_RESTORE
            ) from None
