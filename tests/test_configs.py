from pathlib import Path

import pytest
from spacy import schemas
from spacy.cli.debug_config import debug_config

ROOT = Path(__file__).parents[1]
CONFIGS = sorted(ROOT.glob("configs/**/*.cfg"))
TRANSFORMER_CONFIGS = {"coref_minilm.cfg", "coref_trf.cfg"}


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: str(path.relative_to(ROOT / "configs")))
def test_config_is_valid(path: Path, capsys: pytest.CaptureFixture[str]):
    if path.name in TRANSFORMER_CONFIGS:
        pytest.importorskip("spacy_transformers")
    debug_config(path, overrides={"paths.train": "train.spacy", "paths.dev": "dev.spacy"})
    assert "Config is valid" in capsys.readouterr().out


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: str(path.relative_to(ROOT / "configs")))
def test_config_is_full(path: Path):
    from spacy.util import load_config

    config = load_config(path, interpolate=False)
    for section, schema in {"nlp": schemas.ConfigSchemaNlp, "training": schemas.ConfigSchemaTraining}.items():
        optional = {"vectors", "before_update", "before_to_disk"}
        assert set(schema.model_fields) - optional <= set(config[section])
