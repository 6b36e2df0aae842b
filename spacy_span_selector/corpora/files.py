"""Files of a corpus as text: in a folder, or in the archive that the folder was packed in."""

from __future__ import annotations

import lzma
import tarfile
from pathlib import Path


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, or an error that names the byte that is not."""
    return _decode(path.read_bytes(), str(path))


def read_texts(folder: Path, archive: Path, suffix: str, cure: str) -> dict[str, str]:
    """Read the files with a suffix of a folder, at any depth, or those of an archive where there is no such folder.

    folder (Path): The folder.
    archive (Path): The archive, such as a `.tar.xz`.
    suffix (str): How the names of the files end.
    cure (str): What the error says if there is neither.
    RETURNS (dict[str, str]): Texts by path, which goes on inside the archive.
    RAISES (FileNotFoundError): If there is neither.
    RAISES (ValueError): Naming a file that is not UTF-8, or an archive that is not complete.
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
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{source}: byte {error.start} is not UTF-8. Is the copy complete?") from error
