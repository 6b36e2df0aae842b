from pathlib import Path

import pytest
from spacy import schemas
from spacy.cli.debug_config import debug_config

ROOT = Path(__file__).parents[1]
CONFIGS = sorted(path for path in ROOT.glob("configs/**/*.cfg"))
CORPORA = ("train", "dev", "train_coref", "dev_coref", "train_srl", "dev_srl")


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: str(path.relative_to(ROOT / "configs")))
def test_config_is_valid(path: Path, capsys: pytest.CaptureFixture[str]):
    if "spacy-transformers" in path.read_text(encoding="utf-8"):
        pytest.importorskip("spacy_transformers")
    debug_config(path, overrides={f"paths.{corpus}": f"{corpus}.spacy" for corpus in CORPORA})
    assert "Config is valid" in capsys.readouterr().out


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: str(path.relative_to(ROOT / "configs")))
def test_config_has_all_settings(path: Path):
    from spacy.util import load_config

    config = load_config(path, interpolate=False)
    for section, schema in {"nlp": schemas.ConfigSchemaNlp, "training": schemas.ConfigSchemaTraining}.items():
        optional = {"vectors", "before_update", "before_to_disk"}
        assert set(schema.model_fields) - optional <= set(config[section])
