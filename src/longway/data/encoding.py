"""The encoding of text files: UTF-8 first, then the encoding that the user named, then UTF-16 and Windows-1252 as recognised.

    marked(start)                     the encoding that a byte order mark states
    as_utf8(stream, encoding)         the same text as a stream of UTF-8, for the readers
    recognise(stream, name, given)    the encoding of a file that is not UTF-8; EncodingError if it is unclear

Bytes are never replaced: text that cannot be decoded is refused.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable
from typing import IO, Any, NamedTuple

from longway.errors import DataError, SettingError

BLOCK = 2**20
UTF_8 = "utf-8"
WINDOWS = "cp1252"
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32-le",  # before UTF-16, which it begins with
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
NAME_IT = "Name the encoding with --encoding, as in --encoding cp1252 (in Python: encoding=...)"

HIGH = re.compile(rb"[\x80-\xff]")
# What other encodings look like if they are taken for Windows-1252: valid UTF-8; words of accented letters only (Cyrillic, Greek,
# Chinese); a symbol within a word (Central European, DOS); a capital after a small letter (Mac); Icelandic letters in the wrong
# place (Turkish, Baltic).
ODD = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
    rb"|[\xa1-\xff]{4,}|(?<![A-Za-z\x80-\xff])(?![\xde\xfe])[\xc0-\xff]{2,}(?![A-Za-z])"
    rb"|(?<=[A-Za-z])[\x80-\x84\x86-\x89\x8b\x93-\x95\x98\x99\x9b\xa1-\xa9\xab\xac\xae-\xb3\xb5\xb6\xb8\xb9\xbb-\xbf\xd7\xf7](?=[A-Za-z])"
    rb"|(?<=[a-z])[\x8a\x8c\x8e\x9f\xc0-\xd6\xd8-\xde](?=[a-z])"
    rb"|(?<=[A-Za-z])\xfe|(?<![A-Za-z\x80-\xff])\xf0"
)
UNDEFINED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # in Windows-1252
MOST_ODD = 0.05  # share of the bytes beyond ASCII


class EncodingError(DataError):
    """A text file is not in the encoding it was read in."""


class Recognised(NamedTuple):
    """The encoding of a file, and the number of its lines with characters beyond ASCII. encoding: "" for UTF-8."""

    encoding: str
    n_lines: int


def check_encoding(name: str | None) -> str:
    """The usual name of an encoding, "" if none is given; SettingError if it is unknown.

    >>> check_encoding("Latin-1"), check_encoding("utf8"), check_encoding(None)
    ('iso8859-1', 'utf-8', '')
    """
    if not name:
        return ""
    try:
        found = codecs.lookup(name).name
        encoded = "\u3042\u044f".encode(name, "ignore")  # LookupError if it does not encode text
    except (LookupError, ValueError):
        raise SettingError(
            f"There is no encoding {name!r}. Expected a name such as utf-8, cp1252, latin-1, cp1251, utf-16 or shift_jis. Check the name."
        ) from None
    if encoded and encoded.isascii():
        raise SettingError(
            f"The encoding {name!r} is not supported: its files cannot be distinguished from ASCII. Save the file as UTF-8."
        )
    return {"utf-8-sig": UTF_8, "utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(found, found)


def marked(start: bytes) -> str:
    """The encoding that a byte order mark states; "" without one, or if it is that of UTF-8."""
    return next((encoding for mark, encoding in MARKS.items() if start.startswith(mark)), "")


def as_utf8(stream: IO[bytes], encoding: str) -> io.BufferedReader:
    """The text as a stream of UTF-8, decoded while it is read; a byte order mark becomes that of UTF-8."""
    return io.BufferedReader(_Utf8(stream, encoding), BLOCK)


class _Utf8(io.RawIOBase):
    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._stream, self._rest, self._is_done = stream, b"", False
        self._decoder = codecs.getincrementaldecoder(encoding)()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest and not self._is_done:
            piece = self._stream.read(BLOCK)
            self._is_done = not piece
            self._rest = self._decoder.decode(piece, self._is_done).encode()
        n = min(len(buffer), len(self._rest))
        buffer[:n], self._rest = self._rest[:n], self._rest[n:]
        return n


def recognise(lines: Iterable[bytes], name: str, given: str = "") -> Recognised:
    """The encoding of the lines of a file; EncodingError if it is unclear.

    given: the encoding that the user named, for a file that is not UTF-8.

    >>> recognise([b"a caf\\xe9\\n"], "data.csv")
    Recognised(encoding='cp1252', n_lines=1)
    """
    first, n_lines, n_high, n_odd, is_defined = "", 0, 0, 0, True
    for number, line in enumerate(lines, 1):
        if line.isascii():
            continue
        n_lines += 1
        n_high += len(HIGH.findall(line))
        n_odd += sum(match.end() - match.start() for match in ODD.finditer(line))
        is_defined = is_defined and not UNDEFINED.search(line)
        if not first:
            try:
                line.decode()
            except UnicodeDecodeError as error:
                first = f"line {number:,} has the byte 0x{line[error.start]:02X}"
    if not first or given:
        return Recognised(given if first else "", n_lines)
    if is_defined and n_odd <= MOST_ODD * n_high:
        return Recognised(WINDOWS, n_lines)
    raise EncodingError(
        f"{name} is not UTF-8 ({first}), and its encoding could not be recognised. {NAME_IT}. "
        "If only a few lines are damaged, correct them."
    )
