from pathlib import Path

import pytest

from lab.experiments.grid import check_runs, choose_runs, read_grid

GIVEN = "[predictions]\n[predictions.ceiling]\nevaluation = {'mention': true}\n[folds]".replace("'", '"')
PREDICTIONS = '[predictions]\n[predictions.map]\nvariants = ["high"]\n[folds]'
CONDITIONS = "[conditions]\n[conditions.a/b]\ntraining.dropout = 0.1\n[folds]"


def append(path: Path, text: str) -> None:
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{text}\n", encoding="utf-8")


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_every_variant_has_every_seed_on_every_fold(grid_file: Path):
    append(grid_file, '[folds.b]\ntrain = "t"\ndev = "d"\ntest = "e"')
    runs = read_grid(grid_file)
    names = [f"{variant}-seed{seed}-fold{fold}" for fold in "ab" for seed in (0, 7) for variant in ("low", "cnn")]
    assert [run.name for run in runs] == names


def test_every_variant_is_trained_under_every_condition(grid_file: Path):
    append(grid_file, "[conditions]\n[conditions.5]\ntraining.dropout = 0.5\n[conditions.6]\ntraining.dropout = 0.6")
    runs = read_grid(grid_file)[:4]
    assert [run.name for run in runs] == [f"{v}-{c}-seed0-folda" for c in "56" for v in ("low", "cnn")]
    assert [run.condition for run in runs] == ["5", "5", "6", "6"]
    assert [run.config["training"]["dropout"] for run in runs] == [0.5, 0.5, 0.6, 0.6]


def test_a_variant_overrides_its_condition(grid_file: Path):
    append(grid_file, "[conditions]\n[conditions.5]\ncomponents.structured_srl.threshold = 0.7")
    low, cnn = read_grid(grid_file)[:2]
    thresholds = [run.config["components"]["structured_srl"]["threshold"] for run in (low, cnn)]
    assert thresholds == [0.2, 0.7]


def test_other_settings_at_prediction_are_those_of_the_named_variants(grid_file: Path):
    append(grid_file, '[predictions]\n[predictions.map]\nvariants = ["cnn"]\nsettings = {"decoding": "map"}')
    low, cnn = read_grid(grid_file)[:2]
    assert not low.predictions
    assert cnn.predictions["map"].settings == {"decoding": "map"}


def test_config_has_overrides_seed_and_corpora_and_braces_replace_a_block(grid_file: Path):
    runs = read_grid(grid_file)
    assert [run.config["components"]["structured_srl"]["model"]["tok2vec"]["embed_size"] for run in runs[:2]] == [
        500,
        300,
    ]
    config = runs[2].config
    assert config["components"]["structured_srl"]["threshold"] == 0.2
    assert config["training"]["dropout"] == 0.3
    assert config["system"]["seed"] == 7
    assert config["paths"] == {"train": "train.spacy", "dev": "dev.spacy"}
    assert config["training"]["seed"] == "${system.seed}"


def test_fingerprint_distinguishes_configs_and_evaluations(grid_file: Path):
    first, other_variant, other_seed, _ = read_grid(grid_file)
    assert len({first.fingerprint, other_variant.fingerprint, other_seed.fingerprint}) == 3
    assert read_grid(grid_file)[0].fingerprint == first.fingerprint
    edit(grid_file, "predicates = true", "predicates = false")
    evaluated = read_grid(grid_file)[0].fingerprint
    append(grid_file, '[elsewhere]\nnews = "news.spacy"')
    assert len({first.fingerprint, evaluated, read_grid(grid_file)[0].fingerprint}) == 3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seeds = [0, 7]", "seeds = []", "experiment.seeds: List should have at least 1 item"),
        ("seeds = [0, 7]", 'seeds = ["a"]', "experiment.seeds.0: Input should be a valid integer"),
        ("predicates = true", "predicate = true", "evaluation.predicate: Extra inputs are not permitted"),
        ('dev = "dev.spacy"', "", "folds.a.dev: Field required"),
        ('"structured_srl"', '"ner"', "expected one of structured_coref, structured_spancat, structured_srl"),
        ("[variants.low]", "[variants.l/w]", "the variant 'l/w' names a folder"),
        ("[folds]", PREDICTIONS, "predictions.map: there is no variant 'high'"),
        ("[folds]", GIVEN, "predictions.ceiling.evaluation: [\\s\\S]*there is no 'mention'; expected some of"),
        ("[folds]", CONDITIONS, "the condition 'a/b' names a folder"),
        ("training.dropout", "trainig.dropout", "no section for 'trainig.dropout'"),
        ("training.dropout", "dropout", "no section for 'dropout'"),
    ],
)
def test_invalid_grids_are_errors(grid_file: Path, old: str, new: str, message: str):
    edit(grid_file, old, new)
    with pytest.raises(ValueError, match=rf"grid\.cfg[\s\S]*{message}"):
        read_grid(grid_file)


def test_files_that_cannot_be_read_are_named(grid_file: Path):
    Path("base.cfg").unlink()
    with pytest.raises(FileNotFoundError, match=r"base\.cfg: no such file"):
        read_grid(grid_file)
    grid_file.write_text("seeds = 1")
    with pytest.raises(ValueError, match=r"grid\.cfg: "):
        read_grid(grid_file)


def test_patterns_choose_runs(grid_file: Path):
    runs = choose_runs(read_grid(grid_file), ["low-*", "*-seed7-*"])
    assert [run.name for run in runs] == ["low-seed0-folda", "low-seed7-folda", "cnn-seed7-folda"]
    assert len(choose_runs(read_grid(grid_file), [])) == 4
    with pytest.raises(ValueError, match=r"No run matches 'high'\. The grid has 4 runs: low-seed0-folda"):
        choose_runs(read_grid(grid_file), ["high"])


@pytest.fixture
def corpora(grid_file: Path) -> None:
    for part in ("train", "dev", "test"):
        Path(f"{part}.spacy").touch()


def test_valid_configs_pass_and_missing_corpora_are_named(grid_file: Path, corpora: None):
    check_runs(read_grid(grid_file))
    edit(grid_file, "[folds]", '[elsewhere]\nnews = "news.spacy"\n[folds]')
    with pytest.raises(FileNotFoundError, match=r"elsewhere\.news .* news\.spacy: no such file"):
        check_runs(read_grid(grid_file))
    Path("train.spacy").unlink()
    with pytest.raises(FileNotFoundError, match=r"folds\.a\.train .* train\.spacy: no such file"):
        check_runs(read_grid(grid_file))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("threshold = 0.2", "threshold = 2.0", "'threshold' .* is 2.0"),
        ("training.dropout = 0.3", "training.drop_out = 0.3", "no setting 'training.drop_out'"),
        ("training.dropout = 0.3", 'nlp.pipeline = ["sentencizer"]', "no component 'structured_srl', but sentencizer"),
    ],
)
def test_invalid_config_names_its_variant(grid_file: Path, corpora: None, old: str, new: str, message: str):
    edit(grid_file, old, new)
    with pytest.raises(ValueError, match=rf"variant 'low' can't be trained: [\s\S]*{message}"):
        check_runs(read_grid(grid_file))


def test_a_rate_planned_for_other_steps_is_warned_of(grid_file: Path, corpora: None):
    rate = '{"@schedules": "warmup_linear.v1", "warmup_steps": 1, "total_steps": 9, "initial_rate": 0.1}'
    optimizer = f'{{"@optimizers": "Adam.v1", "learn_rate": {rate}}}'
    edit(grid_file, "[overrides]", f"[overrides]\ntraining.optimizer = {optimizer}")
    with pytest.warns(UserWarning, match=r"variant 'low': Training ends after 4 steps .*planned for 9"):
        check_runs(read_grid(grid_file))
