"""Files of a corpus as text: in a folder, or in the archive that holds the folder."""

from __future__ import annotations

import gzip
import lzma
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from ..files.folders import find_files, what_is_wrong
from .left_out import Report

FILES = "files that can't be read"


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
