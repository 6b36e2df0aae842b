"""Files of a corpus as text: single files, folders, archives, lines of JSON, and what a text file can hold."""

from __future__ import annotations

import gzip
import json
import lzma
import re
import tarfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from spacy.tokens import Doc

from ...annotation import describe_doc
from ..files.folders import find_files, what_is_wrong
from .reports import Report

FILES = "files that can't be read"
ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
LONGEST_VALUE = 60
NOT_IN_A_TEXT = re.compile("[\0\ud800-\udfff]")


def read_text(path: Path, cure: str = "") -> str:
    r"""Read a UTF-8 file.

    path (Path): The file. It is decompressed if its name ends in `.gz`.
    cure (str): What the error advises if there is no such file.
    RETURNS (str): The text, lines separated by `\n` and without a byte order mark.
    RAISES (OSError): If the file can't be read, naming it.
    RAISES (ValueError): If the file is not UTF-8 text, naming the first byte that is not; or not a complete `.gz`.
    """
    return decode(_read_bytes(path, cure), str(path))


def read_lines(path: Path) -> list[bytes]:
    r"""Read the lines of a file of which a line that is no text must not lose the others; `decode` decodes one.

    path (Path): The file. It is decompressed if its name ends in `.gz`.
    RETURNS (list[bytes]): Its lines without their ends and without a byte order mark.
    RAISES (OSError): If the file can't be read, naming it.
    RAISES (ValueError): If the file is not a complete `.gz`, naming it.
    """
    data = _read_bytes(path).removeprefix("\ufeff".encode())
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def decode(data: bytes, place: str) -> str:
    r"""Decode UTF-8 text.

    data (bytes): The text.
    place (str): What the error calls it: a file, or a line of one.
    RETURNS (str): The text, lines separated by `\n` and without a byte order mark.
    RAISES (ValueError): If it is not UTF-8, or has the byte 0, which no text has, naming the first such byte.
    """
    cure = "Save the file as UTF-8, or copy it again if it is damaged."
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{place}: byte {error.start} is not UTF-8. {cure}") from error
    if "\0" in text:
        found = f"byte {data.index(0)} is 0, which no text has. Is it UTF-16, or another kind of file?"
        raise ValueError(f"{place}: {found} {cure}")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def read_texts(folder: Path, archive: Path, suffix: str, cure: str, report: Report) -> dict[str, str]:
    """Read the files of a folder, at any depth, or those of an archive if there is no such folder.

    Nothing is unpacked to the disk, and a link in an archive is followed only within it.

    folder (Path): The folder.
    archive (Path): The archive, such as a `.tar.xz`.
    suffix (str): How the names of the files end. Other files are not read.
    cure (str): What the error advises if there is neither folder nor archive.
    report (Report): Gets the files that can't be read, which are left out.
    RETURNS (dict[str, str]): Texts by path. The path of a file in an archive starts with the path of the archive.
    RAISES (FileNotFoundError): If there is neither.
    RAISES (ValueError): If the archive is not complete.
    """
    texts: dict[str, str] = {}
    if folder.is_dir():
        for path in sorted(map(Path, find_files(str(folder), lambda name: name.endswith(suffix)))):
            try:
                if problem := what_is_wrong(str(path)):
                    raise ValueError(f"{path}: {problem}")
                texts[path.as_posix()] = read_text(path)
            except (OSError, ValueError) as error:
                report.leave_out(FILES, str(error))
    elif archive.is_file():
        for name, data in _read_members(archive, suffix, report):
            try:
                texts[name] = decode(data, name)
            except ValueError as error:
                report.leave_out(FILES, str(error))
    else:
        raise FileNotFoundError(f"{folder}: no such folder, nor is there {archive.name} in {archive.parent}. {cure}")
    return texts


def _read_members(archive: Path, suffix: str, report: Report) -> Iterator[tuple[str, bytes]]:
    """The path and the content of each file in an archive."""
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                name = f"{archive.as_posix()}/{member.name}"
                if not member.name.endswith(suffix):
                    continue
                try:
                    file = tar.extractfile(member)
                except (KeyError, RecursionError):
                    found = f"a link to {member.linkname!r}, which leads to no file in the archive"
                    report.leave_out(FILES, f"{name}: {found}. Expected the file itself.")
                    continue
                if file is not None:
                    yield name, file.read()
            _check_end(tar)
    except (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError, ValueError) as error:
        reason = " ".join(str(error).split())  # Python lists in lines of their own what it has tried
        raise ValueError(f"{archive}: not a complete archive ({reason}). Fetch it again.") from error


def _check_end(tar: tarfile.TarFile) -> None:
    """Fail unless an archive has its end: Python takes a damaged member for it, and checks sums only there."""
    assert tar.fileobj is not None
    tar.fileobj.seek(tar.offset)
    if any(tar.fileobj.read(tarfile.BLOCKSIZE) or b"no end"):
        raise tarfile.ReadError("a damaged file, or no end")
    while tar.fileobj.read(tarfile.RECORDSIZE):
        pass


def _read_bytes(path: Path, cure: str = "") -> bytes:
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{path}: no such file" + (f". {cure}" if cure else "")) from error
    except OSError as error:
        raise type(error)(f"{path}: can't be read ({error.strerror or error})") from error
    if path.suffix != ".gz":
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path}: not a complete compressed file ({error}). Copy it again.") from error


class RepeatedKeyError(ValueError):
    """An object has a key twice. Python's reader would take the last one."""


def read_object(line: bytes, place: str, *, numbers_only: bool = False) -> dict[str, Any]:
    """Read a line of JSON.

    line (bytes): The line.
    place (str): What errors call it: file and line.
    numbers_only (bool): Whether `NaN` and `Infinity` are errors. JSON does not have them, but Python's writer does.
    RETURNS (dict[str, Any]): The object.
    RAISES (ValueError): If it is not UTF-8, not JSON or no object, or has half of a character or a key twice.
    """
    text = decode(line, place)
    try:
        record = json.loads(
            text, parse_constant=_fail_constant if numbers_only else None, object_pairs_hook=_without_repeated_keys
        )
        if ESCAPED_SURROGATE.search(text):
            json.dumps(record, ensure_ascii=False).encode("utf-8")  # for its error: half a character is none
        if not isinstance(record, dict):
            found = show_json(record)
    except UnicodeEncodeError as error:
        raise ValueError(f"{place}: found half of a character that JSON writes in two parts ({error}).") from error
    except RepeatedKeyError as error:
        raise ValueError(f"{place}: {error}. Leave one out.") from error
    except RecursionError as error:
        raise ValueError(f"{place}: its lists are nested too deeply, expected a document.") from error
    except ValueError as error:  # also of an integer with thousands of digits
        raise ValueError(f"{place}: not JSON: {error}. Expected one object per line.") from error
    if not isinstance(record, dict):
        raise ValueError(f"{place}: found {found}, expected an object, `{{...}}`.")
    return record


def show_json(value: object) -> str:
    """A value as messages show it, shortened."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}..."


def _without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise RepeatedKeyError(f"an object has the key {show_json(twice)} twice")
    return found


def _fail_constant(constant: str) -> NoReturn:
    raise ValueError(f"found {constant}, which is no number of JSON; write null for a value that is not known")


def check_writable(doc: Doc, text: str) -> str:
    """Check what is written of a document: whatever the reader can't take back would cost all documents of its file.

    doc (Doc): The document.
    text (str): What is written of it.
    RETURNS (str): The same.
    RAISES (ValueError): If it has the character 0 or half of a character.
    """
    match = NOT_IN_A_TEXT.search(text)
    if match:
        found = f"{match[0]!r} behind {text[max(0, match.start() - 20) : match.start()]!r}"
        cure = "Remove it from the text, the title or the label that has it."
        raise ValueError(f"Can't write {describe_doc(doc)}: found {found}, which no text file can hold. {cure}")
    return text


def one_line(text: str) -> str:
    """A text with one space for all white space between its words, and none around them."""
    return " ".join(text.split())
