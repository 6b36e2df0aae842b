"""Equal pipelines are equal on the disk: Python orders sets of strings in another way in each process."""

import os
import subprocess
import sys
from pathlib import Path

from spacy.util import fix_random_seed

from spacy_span_selector.tools.files.runs import file_digest

from ..untrained import untrained

ROOT = Path(__file__).parents[2]
PROGRAM = "import sys; from pathlib import Path; from {module} import save; print(save(Path(sys.argv[1])).hex())"


def save(path: Path) -> bytes:
    """Make a pipeline, save it, and return its bytes."""
    fix_random_seed(0)
    nlp = untrained("xx", "word_sentencizer", "structured_coref", "structured_srl")
    nlp.to_disk(path)
    return nlp.to_bytes()


def save_in_another_order(path: Path) -> bytes:
    """The same in a process that orders sets in another way than this one."""
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    command = [sys.executable, "-c", PROGRAM.format(module=__name__), str(path)]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    run = subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True, text=True)
    return bytes.fromhex(run.stdout)


def test_equal_pipelines_have_equal_bytes_in_every_process(tmp_path: Path) -> None:
    first, second = save(tmp_path / "first"), save_in_another_order(tmp_path / "second")
    files = sorted(path.relative_to(tmp_path / "first") for path in (tmp_path / "first").rglob("*") if path.is_file())
    assert Path("word_sentencizer.json") in files and Path("structured_srl/cfg") in files
    digests = [[file_digest(tmp_path / run / name) for name in files] for run in ("first", "second")]
    assert [name for name, one, other in zip(files, *digests, strict=True) if one != other] == []
    assert first == second
