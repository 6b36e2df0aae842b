"""Corpora outside of the repository, and what skips a test where the one that it reads is not there."""

from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "shared/data"
LITBANK, EWT, ONTOGUM = DATA / "litbank", DATA / "propbank_ewt", DATA / "ontogum"
FRAME_FILES = DATA / "propbank_frames"


def needs(corpus: Path) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        not corpus.is_dir(), reason=f"needs the corpus in {corpus}: see the assets of project.yml"
    )
