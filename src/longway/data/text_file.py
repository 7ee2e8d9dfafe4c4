"""Plain text files (.txt, also .gz and .zst): one document a line, or documents separated by blank lines.

If a blank line is between two others, blank lines separate documents; otherwise every line is one. Labelled data has no such format:
plain texts are only read to pretrain on (`load_texts`).
"""

from __future__ import annotations

import re
from pathlib import Path

from longway.data.encoding import UTF_8, marked, recognise
from longway.data.formats import SUFFIXES, open_bytes
from longway.errors import DataError

ENDING = ".txt"
_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")


def is_text_file(path: Path) -> bool:
    """Whether the name has the ending of a plain text file.

    >>> is_text_file(Path("books.txt.gz")), is_text_file(Path("books.csv"))
    (True, False)
    """
    inner = path.stem if path.suffix.lower() in SUFFIXES else path.name
    return Path(inner).suffix.lower() == ENDING


def read_text_file(path: Path, *, encoding: str = "") -> list[str]:
    """The documents of a file. encoding: for a file that is not UTF-8; "" if it should be recognised."""
    if not path.is_file():
        raise DataError(
            f"There is no file {path}. A folder, a pipe or a device cannot be read. Check the path."
        )
    with open_bytes(path, SUFFIXES.get(path.suffix.lower(), "")) as stream:
        content = stream.read()
    used = marked(content[:4]) or recognise(content.splitlines(), path.name, encoding).encoding or UTF_8
    try:
        return documents_of(content.decode(used).removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path.name} is not {used.upper()} text: it has bytes that cannot be decoded ({error.reason}). "
            "Name its encoding with --encoding."
        ) from None


def documents_of(content: str) -> list[str]:
    """The documents of a text.

    >>> documents_of("She left.\\nHe stayed.\\n")
    ['She left.', 'He stayed.']
    >>> documents_of("She left.\\nHe stayed.\\n\\n\\nThe end.\\n")
    ['She left.\\nHe stayed.', 'The end.']
    """
    whole = content.replace("\r\n", "\n").replace("\r", "\n").strip()
    parts = _BLANK_LINES.split(whole) if _BLANK_LINES.search(whole) else whole.split("\n")
    return [part.strip() for part in parts if part.strip()]
