"""Files of a corpus as text: in a folder, or in the archive that holds the folder."""

from __future__ import annotations

import gzip
import lzma
import tarfile
from pathlib import Path


def read_text(path: Path, cure: str = "") -> str:
    r"""Read a UTF-8 file.

    path (Path): The file. It is decompressed if its name ends in `.gz`.
    cure (str): What the error advises if there is no such file.
    RETURNS (str): The text, lines separated by `\n` and without a byte order mark.
    RAISES (FileNotFoundError): If there is no such file.
    RAISES (ValueError): If the file is not UTF-8, naming the first byte that is not.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{path}: no such file" + (f". {cure}" if cure else "")) from error
    return _decode(gzip.decompress(data) if path.suffix == ".gz" else data, str(path))


def read_texts(folder: Path, archive: Path, suffix: str, cure: str) -> dict[str, str]:
    """Read the files of a folder, at any depth, or those of an archive if there is no such folder.

    folder (Path): The folder.
    archive (Path): The archive, such as a `.tar.xz`.
    suffix (str): How the names of the files end. Other files are not read.
    cure (str): What the error advises if there is neither folder nor archive.
    RETURNS (dict[str, str]): Texts by path. The path of a file in an archive starts with the path of the archive.
    RAISES (FileNotFoundError): If there is neither.
    RAISES (ValueError): If a file is not UTF-8, or the archive is not complete.
    """
    if folder.is_dir():
        return {path.as_posix(): read_text(path) for path in sorted(folder.rglob(f"*{suffix}"))}
    if not archive.is_file():
        raise FileNotFoundError(f"{folder}: no such folder, nor is there {archive.name} in {archive.parent}. {cure}")
    texts: dict[str, str] = {}
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                file = tar.extractfile(member) if member.name.endswith(suffix) else None
                if file is not None:
                    path_inside = f"{archive.as_posix()}/{member.name}"
                    texts[path_inside] = _decode(file.read(), path_inside)
    except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise ValueError(f"{archive}: not a complete archive ({error}). Fetch it again.") from error
    return texts


def _decode(data: bytes, source: str) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        cure = "Save the file as UTF-8, or copy it again if it is damaged."
        raise ValueError(f"{source}: byte {error.start} is not UTF-8. {cure}") from error
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
