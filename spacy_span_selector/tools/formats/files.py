"""Files of a corpus as text: single files, folders, archives, lines of JSON, and what a text file can hold."""

from __future__ import annotations

import gzip
import json
import lzma
import tarfile
import zlib
from collections.abc import Callable
from io import BytesIO
from itertools import count, pairwise
from pathlib import Path
from typing import Any, NoReturn

from spacy.tokens import Doc

from ...annotation import describe_doc
from ...annotation.checks import show
from ...examples.corpus import MOST_BYTES, MOST_TIMES
from ..files.folders import find_files

FILES = "files that can't be read"
TOO_MUCH = "more than {:,} bytes, which is no single text. Cut it into documents."


def read_text(path: Path, cure: str = "", most: int | None = None) -> str:
    r"""Read a UTF-8 file, decompressed if its name ends in `.gz`, `\n` behind its lines, no byte order mark before one.

    most (int | None): How many bytes of a compressed file are read; None to refuse only what no text shrinks so much.
    """
    return decode(_read_bytes(path, cure, most), str(path))


def read_lines(path: Path) -> list[bytes]:
    """Read the lines of a file of which a line that is no text must not lose the others; `decode` decodes one."""
    lines = _read_bytes(path).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return [line.removeprefix("\ufeff".encode()) for line in lines]


def read_apart(path: Path, is_first: Callable[[bytes, bytes], bool]) -> tuple[str, list[str]]:
    """Read a file of which a document with a line that is no text must not lose the others: its lines are empty then,
    so that others keep their number.

    is_first (Callable[[bytes, bytes], bool]): Whether a document may begin with a line, by the line before and itself.
    RETURNS (tuple[str, list[str]]): The text, and what is wrong with each document that is lost.
    """
    lines = read_lines(path)
    starts = [i for i, pair in enumerate(pairwise(lines), start=1) if is_first(*pair)]
    texts: list[str] = []
    errors: list[str] = []
    for start, end in pairwise([0, *starts, len(lines)]):
        try:
            texts += [decode(lines[i], f"{path}:{i + 1}") for i in range(start, end)]
        except ValueError as error:
            errors.append(str(error))
            texts += [""] * (end - start)
    return "\n".join(texts), errors


def decode(data: bytes, place: str) -> str:
    """Decode UTF-8 text as `read_text` does; its place, a file or a line of one, is for the error."""
    cure = "Save the file as UTF-8, or copy it again if it is damaged."
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{place}: byte {error.start} is not UTF-8. {cure}") from error
    if "\0" in text:
        found = f"byte {data.index(0)} is 0, which no text has. Is it UTF-16, or another kind of file?"
        raise ValueError(f"{place}: {found} {cure}")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\n\ufeff", "\n")


def read_texts(folder: Path, archive: Path, suffix: str, cure: str) -> dict[str, str]:
    """Read the files of a folder, at any depth, or those of an archive, which stays packed, if there is no folder."""
    if folder.is_dir():
        return {path.as_posix(): read_text(path) for path in find_files(folder, lambda name: name.endswith(suffix))}
    if not archive.is_file():
        raise FileNotFoundError(f"{folder}: no such folder, nor is there {archive.name} in {archive.parent}. {cure}")
    texts: dict[str, str] = {}
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                if member.name.endswith(suffix) and (file := tar.extractfile(member)) is not None:
                    name = f"{archive.as_posix()}/{member.name}"
                    texts[name] = decode(file.read(), name)
    except (tarfile.TarError, lzma.LZMAError, EOFError, OSError) as error:
        raise ValueError(f"{archive}: not a complete archive ({error}). Fetch it again.") from error
    return texts


def _read_bytes(path: Path, cure: str = "", most: int | None = None) -> bytes:
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{path}: no such file" + (f". {cure}" if cure else "")) from error
    except OSError as error:
        raise type(error)(f"{path}: can't be read ({error.strerror or error})") from error
    if path.suffix.lower() != ".gz":
        return data
    try:
        most = most or max(MOST_BYTES, MOST_TIMES * len(data))
        with gzip.GzipFile(fileobj=BytesIO(data)) as file:
            text = file.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path}: not a complete compressed file ({error}). Copy it again.") from error
    if len(text) > most:
        raise ValueError(f"{path}: it has {TOO_MUCH.format(most)}")
    return text


def read_object(line: bytes, place: str, *, numbers_only: bool = False) -> dict[str, Any]:
    """Read a line of JSON; its place, file and line, is for the error. With `numbers_only`, `NaN` is one, too: Python's
    writer has it, but not JSON."""
    text = decode(line, place)
    try:
        record = json.loads(text, parse_constant=_fail_constant if numbers_only else None)
        if "\\u" in text:  # which may be half of a character
            json.dumps(record, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:  # also of an integer with thousands of digits
        raise ValueError(f"{place}: not JSON: {error}. Expected one object per line.") from error
    if not isinstance(record, dict):
        raise ValueError(f"{place}: found {show(record)}, expected an object, `{{...}}`.")
    return record


def _fail_constant(constant: str) -> NoReturn:
    raise ValueError(f"found {constant}, which is no number of JSON; write null for a value that is not known")


def check_writable(doc: Doc, text: str) -> str:
    """Return what is written of a document, if a text file can hold it: it would cost all documents of its file."""
    if (place := text.find("\0")) >= 0:
        found = f"the character 0 behind {text[max(0, place - 20) : place]!r}, which no text file can hold"
        cure = "Remove it from the text, the title or the label that has it."
        raise ValueError(f"Can't write {describe_doc(doc)}: found {found}. {cure}")
    return text


def one_line(text: str) -> str:
    """A text with one space for all white space between its words, and none around them."""
    return " ".join(text.split())


def make_unique(wanted: str, used: set[str]) -> str:
    """The wanted name, or the first of `wanted-2`, `wanted-3`, ... that is not used, and that is used from then on."""
    candidates = (wanted if i == 1 else f"{wanted}-{i}" for i in count(1))
    name = next(candidate for candidate in candidates if candidate not in used)
    used.add(name)
    return name
