"""Links, pipes and odd names that tests put into folders."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path

Make = Callable[[Path, bytes], bool]
"""Makes something at a path, with content that could be read. It returns whether a document is lost, or something is
there that looks like one, if it is not read."""


def _link(to: str, path: Path, data: bytes) -> bool:
    path.symlink_to(to)
    return True


def _link_to_itself(path: Path, data: bytes) -> bool:
    return _link(path.name, path, data)


def _link_to_file(path: Path, data: bytes) -> bool:
    """Outside of the folder, as caches of data sets have their files."""
    outside = path.parent.with_name(f"{path.parent.name}-outside")
    outside.mkdir(exist_ok=True)
    (outside / f"other-{path.name}").write_bytes(data)
    path.symlink_to(outside / f"other-{path.name}")
    return True


def _link_to_folder(path: Path, data: bytes) -> bool:
    outside = path.parent.with_name(f"{path.parent.name}-{path.stem}")
    outside.mkdir()
    (outside / f"inside{path.suffix}").write_bytes(data)
    path.with_suffix("").symlink_to(outside)
    return True


def _folder(path: Path, data: bytes) -> bool:
    """A folder that is called as a file."""
    path.mkdir()
    (path / f"inside{path.suffix}").write_bytes(data)
    return True


def _loop(path: Path, data: bytes) -> bool:
    path.with_suffix("").symlink_to(path.parent)
    return False


def _fifo(path: Path, data: bytes) -> bool:
    os.mkfifo(path)
    return True


def _socket(path: Path, data: bytes) -> bool:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
    return True


def _named(name: bytes, path: Path, data: bytes) -> bool:
    with open(os.path.join(os.fsencode(path.parent), name + os.fsencode(path.suffix)), "wb") as stream:
        stream.write(data)
    return True


def _unreadable(path: Path, data: bytes) -> bool:
    path.write_bytes(data)
    path.chmod(0)
    return True


def _closed(path: Path, data: bytes) -> bool:
    folder = path.with_suffix("")
    folder.mkdir()
    (folder / f"inside{path.suffix}").write_bytes(data)
    folder.chmod(0)
    return True


PLACES: dict[str, Make] = {
    "dangling link": partial(_link, "nowhere"),
    "link to itself": _link_to_itself,
    "link to nothing": partial(_link, "/dev/null"),
    "link to a file": _link_to_file,
    "link to a folder": _link_to_folder,
    "link to the folder it is in": _loop,
    "folder": _folder,
    "pipe": _fifo,
    "socket": _socket,
    "name without UTF-8": partial(_named, b"n\xff\xfe"),
    "name of two lines": partial(_named, b"a\nb"),
    "name with a quote": partial(_named, b"a'\"[*]?{x}"),
    "name with marks": partial(_named, "\u202e\u2028".encode()),
    "long name": partial(_named, b"n" * 200),
    "name of an option": partial(_named, b"--format"),
}
if getattr(os, "getuid", int)():  # root may read everything
    PLACES |= {"unreadable file": _unreadable, "unreadable folder": _closed}
