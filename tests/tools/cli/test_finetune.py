import shutil
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import spacy
import srsly
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.training import Example

from spacy_span_selector.annotation import get_annotates, get_labelled_spans, set_annotates
from spacy_span_selector.examples.corpus import read_docs
from spacy_span_selector.pipeline.selector_pipe import SelectorPipe
from spacy_span_selector.tools.cli.finetune import _default_share
from spacy_span_selector.tools.files.folders import MANIFEST
from spacy_span_selector.tools.finetuning.comparison import read_known
from spacy_span_selector.tools.finetuning.texts import Texts, find_texts, keep_known
from spacy_span_selector.tools.formats.bracketed import parse_bracketed
from spacy_span_selector.tools.formats.reports import CorpusWarning, Report

from ...commands import flat, refusal, run, success
from ...pipeline.components import COREF, SPANCAT, SRL, blank_nlp, initialized, train, weights
from ...selectors import selector_block
from ...tok2vec import LISTENER, TOK2VEC

TEXT = """
[Bob{0}|bob] met [Tim].
> [ARG0 Bob{0}] [V=meet.03 met] [ARG9 Tim].
[He|bob] left.
"""
RATE = "--training.optimizer.learn_rate"
STEPS = (f"{RATE}.total_steps", 2, f"{RATE}.warmup_steps", 1, f"{RATE}.initial_rate", 0.05)
FAST = ("--allow-new-labels", *STEPS)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained pipeline of all components over one encoder, with what a package has beside it."""
    nlp = blank_nlp()
    nlp.add_pipe("tok2vec", config={"model": TOK2VEC})
    for case in (COREF, SRL, SPANCAT):
        selector = selector_block("laminar")
        nlp.add_pipe(case.factory, config={"model": {**case.model, "tok2vec": LISTENER, "selector": selector}})
    docs = [doc for case in (COREF, SRL, SPANCAT) for doc in parse_bracketed(case.corpus, nlp)]
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    nlp.meta.update(name="tiny", version="1.0.0", license="CC0", performance={"coref_f": 0.99})
    path = tmp_path_factory.mktemp("model") / "pipeline"
    nlp.to_disk(path)
    (path / "LICENSE").write_text("You may.")
    return path


def write_texts(folder: Path, number: int = 6) -> Path:
    """Annotated texts of which one can't be read, beside a raw one, as the page to edit leaves them."""
    folder.mkdir()
    for i in range(number):
        (folder / f"{i}.brackets.txt").write_text(TEXT.format(i))
    (folder / "broken.brackets.txt").write_text("Oh.\n[Ann|ann met him.\n")
    (folder / "0.txt").write_text("Bob0 met Tim.\nHe left.\n")
    return folder


@pytest.fixture(scope="module")
def tuned(model: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The output folder of a fine-tuning with all options, and what it has printed."""
    folder = tmp_path_factory.mktemp("tuned")
    texts = write_texts(folder / "texts")
    DocBin(docs=parse_bracketed(SRL.corpus, blank_nlp()), store_user_data=True).to_disk(folder / "known.spacy")
    known = ("--known", folder / "known.spacy", "--known", texts / "0.txt")
    named = ("--name", "mine", "--version", "1.1.0", "--package")
    with pytest.warns(CorpusWarning, match="can't be read: 1.*broken.brackets.txt:2:1") as found:
        result = run("finetune", model, texts, "-o", folder / "out", "--share", 1, *known, *named, *FAST)
    assert result.exit_code == 0, result.output
    assert len([each for each in found if isinstance(each.message, CorpusWarning)]) == 1
    return folder / "out", flat(result)


def scores_of(output: Path) -> dict[str, Any]:
    found: dict[str, Any] = srsly.read_json(output / "scores.json")
    return found


def test_one_text_in_five_is_split_off_and_named(tuned: tuple[Path, str]) -> None:
    output, printed = tuned
    files = [output / "corpus" / f"{split}.spacy" for split in ("train", "dev")]
    train, dev = ([doc.user_data["title"] for doc in read_docs(file, blank_nlp().vocab)] for file in files)
    assert (sorted(train + dev), len(dev)) == ([str(i) for i in range(6)], 1)
    assert f"Documents: 5 to learn, 1 of dev, split off: document '{dev[0]}'" in printed
    assert "With fewer than 5 documents of dev" in printed


def test_scores_before_and_after_are_of_dev_and_of_what_was_known(tuned: tuple[Path, str], model: Path) -> None:
    output, printed = tuned
    found = scores_of(output)["scores"]
    dev, (gold, raw) = found["dev"], found["known"]
    assert gold["title"].endswith("known.spacy") and raw["title"].endswith("0.txt")
    assert {"coref_f", "srl_f"} <= dev["before"].keys() & dev["after"].keys()
    assert "srl_f" in gold["before"] and "coref_f" not in gold["before"]
    assert raw["before"] == {} and "coref_f" in raw["after"]
    assert "Coreference, CoNLL F1 dev" in printed and "0.txt: agreement" in printed
    success("evaluate", output / "model", output / "corpus/dev.spacy", "--output", output / "dev.json")
    again = srsly.read_json(output / "dev.json")
    assert {name: again[name] for name in dev["after"]} == pytest.approx(dev["after"])


def test_what_is_not_annotated_and_the_shared_encoder_stay(tuned: tuple[Path, str], model: Path) -> None:
    old, new = spacy.load(model), spacy.load(tuned[0] / "model")
    names = ("tok2vec", "structured_coref", "structured_srl", "structured_spancat")
    changed = [name for name in names if not same_weights(old, new, name)]
    assert changed == ["structured_coref", "structured_srl"]


def same_weights(one: Language, other: Language, name: str) -> bool:
    """Whether a component has the same weights, as far as their compact form tells."""
    pipes: list[Any] = [one.get_pipe(name), other.get_pipe(name)]
    states = [
        [shim._model.state_dict() for node in pipe.model.walk() for shim in node.shims] or [weights(pipe.model)]
        for pipe in pipes
    ]
    flat = [[*state.values()] if isinstance(state, dict) else state for pair in states for state in pair]
    return all(
        first.shape == second.shape and abs(first - second).max() <= abs(first).max() / 100
        for first, second in zip(*flat, strict=True)
    )


def test_the_meta_tells_what_the_new_pipeline_is(tuned: tuple[Path, str]) -> None:
    output, printed = tuned
    meta = srsly.read_json(output / "model" / "meta.json")
    assert (meta["name"], meta["version"], meta["license"]) == ("mine", "1.1.0", "CC0")
    assert "xx_tiny 1.0.0, fine-tuned (documents: 5)." in meta["description"]
    assert meta["sources"][-1] == {"name": "xx_tiny 1.0.0", "url": "", "license": "CC0", "author": ""}
    assert meta["performance"] == scores_of(output)["scores"]["dev"]["after"]
    assert meta["finetuned"]["dev"] == {"documents": 1, "words": 7}
    size = sum(path.stat().st_size for path in (output / "model").rglob("*") if path.is_file()) / 1e6
    assert meta["finetuned"]["megabytes"] == pytest.approx(size, abs=0.1)
    assert (output / "model" / "LICENSE").read_text() == "You may."
    assert [path.name for path in (output / "training").iterdir()] == ["checkpoints"]
    package = output / "packages" / "xx_mine-1.1.0"
    assert f"pip install {package}" in printed and (package / "setup.py").is_file()
    packaged = spacy.load(package / "xx_mine" / "xx_mine-1.1.0")
    srl: Any = packaged.get_pipe("structured_srl")
    assert packaged.meta["name"] == "mine" and "ARG9" in srl.labels


def test_a_pipeline_is_replaced_only_by_force(tuned: tuple[Path, str], model: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    shutil.copytree(tuned[0], output)
    texts = write_texts(tmp_path / "texts", 3)
    assert "exists. Name another --output, or give --force" in refusal("finetune", model, texts, "-o", output, *FAST)
    before = (output / "scores.json").read_text()
    corpus = [output / "corpus" / f"{split}.spacy" for split in ("train", "dev")]
    learnt = [file.read_bytes() for file in corpus]
    with pytest.warns(CorpusWarning):
        assert "is of another fine-tuning" in refusal("finetune", model, texts, "-o", output, "--resume", *FAST)
        assert "does not know 'ARG9'" in refusal("finetune", model, texts, "-o", output, "--force", *STEPS)
        assert (output / "scores.json").read_text() == before
        assert [file.read_bytes() for file in corpus] == learnt
        assert run("finetune", model, texts, "-o", output, "--force", *FAST).exit_code == 0
    assert scores_of(output)["train"]["documents"] == 2


@pytest.mark.parametrize(("labels", "share"), [(1, 0.5), (2, 1.0)])
def test_weights_are_half_way_unless_spans_have_new_labels(labels: int, share: float) -> None:
    before, after = (SimpleNamespace(types=None, labels=["PER", "LOC"][:number]) for number in (1, labels))
    assert _default_share(after, before) == share
    assert _default_share(SimpleNamespace(labels=["A0", "A1"]), SimpleNamespace(labels=["A0"])) == 0.5


def test_a_share_of_none_changes_no_weight_but_new_ones(model: Path, tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text(COREF.corpus)
    assert run("finetune", model, tmp_path / "texts.txt", "-o", tmp_path / "out", "--share", 0, *FAST).exit_code == 0
    assert same_weights(spacy.load(model), spacy.load(tmp_path / "out/model"), "structured_coref")


def test_an_interrupted_fine_tuning_goes_on(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "texts.txt").write_text(COREF.corpus)
    arguments = (model, tmp_path / "texts.txt", "-o", tmp_path / "out", "--resume", *FAST)
    update = SelectorPipe.update

    def stop(*args: Any, **kwargs: Any) -> Any:
        signal.raise_signal(signal.SIGTERM)
        return update(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(SelectorPipe, "update", stop)
        assert run("finetune", *arguments).exit_code == 128 + signal.SIGTERM
    assert not (tmp_path / "out" / "model").exists()
    assert "Going on after step" in success("finetune", *arguments)
    said = success("finetune", *arguments, "--package")
    assert "This fine-tuning has ended" in said and "pip install" in said
    assert [*(tmp_path / "out/packages").glob("*/setup.py")]


@pytest.mark.parametrize(
    ("options", "labels", "declared", "unmarked"),
    [
        ((), "firm", None, "PER, LOC, FAC"),
        (("--annotates", "firm=COMPANY,LOC"), "COMPANY", ["COMPANY", "LOC", "PER", "FAC"], "LOC"),
    ],
)
def test_texts_may_annotate_some_types_alone_and_what_they_do_not_mark_is_named(
    options: tuple[str, ...], labels: str, declared: list[str] | None, unmarked: str, tmp_path: Path
) -> None:
    initialized(SPANCAT, "laminar", model={"label_hidden_width": None})[0].to_disk(tmp_path / "model")
    texts = "".join(f"=== {i}\nAcme{i} hired Ann.\n[] [firm Acme{i}] hired Ann.\n" for i in range(4))
    (tmp_path / "texts.txt").write_text(texts)
    result = run("finetune", tmp_path / "model", tmp_path / "texts.txt", "-o", tmp_path / "out", *options, *FAST)
    assert f"No text marks {unmarked}, so it is learnt that there are none." in flat(result)
    docs = read_docs(tmp_path / "out/corpus/train.spacy", blank_nlp().vocab)
    assert [get_annotates(doc) for doc in docs] == [declared] * 3
    spancat: Any = spacy.load(tmp_path / "out/model").get_pipe("structured_spancat")
    assert spancat.labels[-1] == labels and "spans_sc_f" in scores_of(tmp_path / "out")["scores"]["dev"]["after"]


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("Leo lost [THING a hat].", ["Leo PER", "a hat THING"]),
        ("[THING Leo] lost a hat.", ["Leo THING"]),
        ("Leo lost a hat.", ["Leo PER"]),
    ],
)
def test_what_a_pipeline_finds_of_other_types_is_learnt_again(marked: str, expected: list[str]) -> None:
    nlp, examples = initialized(SPANCAT, "laminar", model={"label_hidden_width": None})
    train(nlp, examples, SPANCAT.steps)
    (doc,) = SPANCAT.parse(f"Leo lost a hat.\n[] {marked}", nlp)
    set_annotates(doc, ["THING"])
    keep_known(Texts([doc], [], ["structured_spancat"]), nlp)
    assert [f"{doc[span.start : span.end]} {span.label}" for span in get_labelled_spans(doc)] == expected
    assert get_annotates(doc) == ["THING", "PER", "LOC", "FAC"]


def test_a_new_label_is_learnt_only_if_it_is_meant(model: Path, tmp_path: Path) -> None:
    texts = write_texts(tmp_path / "texts")
    with pytest.warns(CorpusWarning):
        found = refusal("finetune", model, texts, "-o", tmp_path / "out", *STEPS)
    assert "The pipeline does not know 'ARG9', as in document '2' at 'Tim', did you mean 'ARG2'?; 'meet.03'" in found
    assert "--allow-new-labels" in found and not (tmp_path / "out/model").exists()


def test_documents_of_dev_are_not_learnt(model: Path, tmp_path: Path) -> None:
    texts, dev = write_texts(tmp_path / "texts", 3), tmp_path / "dev.txt"
    (texts / "broken.brackets.txt").unlink()
    dev.write_text(TEXT.format(1))
    with pytest.warns(CorpusWarning, match="documents that are in dev, too: 1"):
        assert run("finetune", model, texts, "--dev", dev, "-o", tmp_path / "out", *FAST).exit_code == 0
    assert scores_of(tmp_path / "out")["train"]["documents"] == 2


@pytest.mark.filterwarnings("ignore::spacy_span_selector.tools.formats.reports.CorpusWarning")
@pytest.mark.parametrize(
    ("texts", "dev", "message"),
    [
        ({}, None, "a folder without texts. Expected *.brackets.txt, *.spacy or *.txt."),
        ({"a.txt": "Ann left.", "b.txt": "Bob left."}, None, "found nothing to learn. Expected clusters"),
        ({"a.brackets.txt": "[Ann|ann", "b.brackets.txt": "Oh]"}, None, "found no document that can be read."),
        ({"a.txt": "[Ann|a] saw [her|a].", "b.txt": "Bob left.\n> Bob [V left]."}, None, "to split off some: 2."),
        ({"a.spacy": "Ann"}, None, "a.spacy: damaged, or not a .spacy file"),
        ({"a.txt": "[Ann|a] saw [her|a]."}, "[Ann|a] saw [her|a].", "nothing is left to learn. Give dev other texts."),
        ({"a.txt": "[Ann|a] saw [her|a]."}, "Ann left.\n> Ann [V left].", "dev has no annotation for structured_coref"),
    ],
)
def test_what_cannot_be_learnt_is_said(
    model: Path, tmp_path: Path, texts: dict[str, str], dev: str | None, message: str
) -> None:
    (tmp_path / "texts").mkdir()
    for name, text in texts.items():
        (tmp_path / "texts" / name).write_text(text)
    if dev is not None:
        (tmp_path / "dev.txt").write_text(dev)
    given = () if dev is None else ("--dev", tmp_path / "dev.txt")
    assert message in refusal("finetune", model, tmp_path / "texts", *given, "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_single_text_is_refused_before_a_pipeline_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "no_pipeline").mkdir()
    (tmp_path / "a.txt").write_text("=== a\n[Ann|a] saw [her|a].\n")
    found = refusal("finetune", tmp_path / "no_pipeline", tmp_path / "a.txt", "-o", tmp_path / "out")
    assert "to split off some: one text. Annotate two in the same way, or give --dev." in found


@pytest.mark.parametrize("option", ["--dev", "--known"])
def test_texts_that_are_missing_are_told_at_once(tmp_path: Path, option: str) -> None:
    (tmp_path / "a.txt").write_text(COREF.corpus)
    result = run("finetune", "no_pipeline", tmp_path / "a.txt", "-o", tmp_path / "out", option, "none.txt")
    assert (result.exit_code, f"'{option}': path 'none.txt' does not exist." in flat(result)) == (2, True)


@pytest.mark.parametrize("name", ["a.json", "a.conllu", "a"])
def test_files_of_other_kinds_are_refused_with_those_that_are_expected(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("[Ann|a] saw [her|a].\n")
    found = refusal("finetune", tmp_path, tmp_path / name, "-o", tmp_path / "out")
    assert f"{name}: expected *.brackets.txt, *.spacy or *.txt, or a folder of such files." in found


def test_known_texts_are_read_as_those_to_learn(tmp_path: Path) -> None:
    nlp, (path, raw) = blank_nlp(), (tmp_path / "a.txt", tmp_path / "raw" / "b.txt")
    nlp.add_pipe("structured_coref")
    raw.parent.mkdir()
    (tmp_path / "raw" / "no_text.txt").write_bytes(b"Caf\xe9")
    path.write_text("=== a\n[Ann|a] saw [her|a].\n=== b\nBob left.\n")
    raw.write_text("Bob\n\nleft.\n")
    known = read_known(path, nlp, Report())
    assert ([doc.text for doc in known.docs], known.is_gold) == (["Ann saw her.", "Bob left."], True)
    known = read_known(raw.parent, nlp, report := Report())
    assert "no_text.txt" in report.first("files that can't be read")
    assert ([doc.text for doc in known.docs], known.is_gold) == (["Bob\n\nleft.\n"], False)


def test_what_a_fine_tuning_has_written_is_no_text_of_the_next_one(tuned: tuple[Path, str]) -> None:
    texts = tuned[0].parent / "texts"
    inside = texts / "tuned"
    inside.symlink_to(tuned[0])
    with pytest.warns(UserWarning, match="tuned: left out, as it is the output of 'finetune'"):
        assert {file.suffix for file in find_texts(texts)} == {".txt"}
    inside.unlink()
    assert sorted(file.name for file in find_texts(tuned[0] / "corpus")) == ["dev.spacy", "train.spacy"]


@pytest.mark.parametrize(
    ("inside", "written", "made"),
    [
        ("", '{"format": "spacy_span_selector.Annotate.v1"}', "out is the output of 'annotate'"),
        ("", '{"format": 3}', "out is of another program"),
        ("corpus", '{"format": "spacy_span_selector.Annotate.v1"}', "corpus is the output of 'annotate'"),
        ("corpus", "{}", "corpus is of another program"),
    ],
)
def test_neither_texts_nor_other_output_are_written_over(
    model: Path, tmp_path: Path, inside: str, written: str, made: str
) -> None:
    folder = tmp_path / "out" / inside
    folder.mkdir(parents=True)
    (folder / MANIFEST).write_text(written)
    texts = write_texts(tmp_path / "texts")
    for output, found in (
        (texts, f"in the output, {texts}"),
        (tmp_path, f"in the output, {tmp_path}"),
        (tmp_path / "out", made),
    ):
        message = refusal("finetune", model, texts, "-o", output)
        assert f"{found}. Name another --output." in message
    assert (folder / MANIFEST).read_text() == written


def test_other_pipelines_are_refused(tmp_path: Path) -> None:
    blank_nlp().to_disk(tmp_path / "model")
    message = refusal("finetune", tmp_path / "model", write_texts(tmp_path / "texts"), "-o", tmp_path / "out")
    assert "has none of the components that can be fine-tuned, but ['sentencizer']" in message


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--name", "my-model", "letters, digits and underscores only"),
        ("--version", "new", "Invalid version"),
        ("--training.colour", "red", "colour"),
        ("--components.structured_coref.colour", "red", "colour"),
    ],
)
def test_bad_options_are_refused_before_the_work(
    model: Path, tmp_path: Path, option: str, value: str, message: str
) -> None:
    (tmp_path / "texts.txt").write_text(COREF.corpus)
    found = refusal("finetune", model, tmp_path / "texts.txt", "-o", tmp_path / "out", option, value)
    assert message in found and "Training pipeline" not in found
