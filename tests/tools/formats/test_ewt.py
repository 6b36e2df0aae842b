from pathlib import Path

import pytest

from spacy_span_selector.annotation import Argument, Frame, get_frames, get_title, has_frames_annotated
from spacy_span_selector.tools.formats.conllu import Word
from spacy_span_selector.tools.formats.ewt import align_tokens, read_ewt

from .gum import write

pytestmark = pytest.mark.filterwarnings("ignore:.*not the copy that project.yml pins")

SKELETONS = {
    "email/00/harbour": """\
f 0 0 [WORD] PRP  (TOP(S(NP*)    -          - (ARG0*)       *
f 0 1 [WORD] VBD         (VP* give give_up.08     (V*       *
f 0 2 [WORD] RP        (PRT*)    -          -      *)       *
f 0 3 [WORD] PRP$        (NP*    -          - (ARG1*  (ARG0*)
f 0 4 [WORD] NN           *))  call   call.02      *)    (V*)
f 0 5 [WORD] .            *))    -          -       *       *

f 1 0 [WORD] NNPS (TOP(S(NP*)    -          - (ARG1*)
f 1 1 [WORD] VBZ      (VP*)))  wait   wait.01    (V*)

f 2 0 [WORD] UH  (TOP(INTJ*)) -          -
""",
    "reviews/00/007": "f 0 0 [WORD] UH (TOP(INTJ*)) - -\n",
    "weblog/00/a-b.c": """\
f 0 0 [WORD] VB * go sidestep.01 (V*)    (V*)    (V*    (V*
f 0 1 [WORD] RB * step sidestep.01 (C-V*) (C-V*) *)     *)
f 0 2 [WORD] RB * -    go.01  (ARG1*) (ARG1*) * *
f 0 3 [WORD] RB * -    get.01  * * * *
""",
}
WORDS = {
    "train": """\
# newdoc id = email-harbour
1 She she PRON PRP _ _ _ _ _
2 gave give VERB VBD _ _ _ _ _
3 up up ADP RP _ _ _ _ _
4 her her PRON PRP$ _ _ _ _ _
5 call call NOUN NN _ _ _ _ SpaceAfter=No
6 . . PUNCT . _ _ _ _ _

1 Bill Bill PROPN NNP _ _ _ _ SpaceAfter=No
2 s 's PART POS _ _ _ _ _
3 waits wait VERB VBZ _ _ _ _ _
""",
    "dev": "# newdoc id = reviews-007\n1 Wow wow INTJ UH _ _ _ _ _\n\n# newdoc id = email-left\n1 A a X X _ _ _ _ _\n",
    "test": "# newdoc id = weblog-a-b.c\n" + "".join(f"{i} Go go VERB VB _ _ _ _ _\n" for i in range(1, 5)),
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder with three documents in both repositories, and one that PropBank leaves out."""
    for split, text in WORDS.items():
        lines = [line if line.startswith("#") else line.replace(" ", "\t") for line in text.split("\n")]
        write(tmp_path / f"UD_English-EWT/en_ewt-ud-{split}.conllu", "\n".join(lines))
    for name, text in SKELETONS.items():
        write(tmp_path / f"propbank-release/data/google/ewt/{name}.xml.gold_skel", text)
    return tmp_path


def test_documents_are_split_as_in_ud_without_those_that_are_not_annotated(source: Path):
    with pytest.warns(
        UserWarning, match="found 3 documents of 14 words, expected 1,145 documents of 254,552 words: not"
    ):
        docs = read_ewt(source)
    titles = {split: [get_title(doc) for doc in part] for split, part in docs.items()}
    assert titles == {"train": ["email/harbour"], "dev": ["reviews/007"], "test": ["weblog/a-b.c"]}
    assert has_frames_annotated(docs["dev"][0])


def test_words_are_those_of_ud_and_spans_of_tokens_become_spans_of_words(source: Path):
    (doc,) = read_ewt(source)["train"]
    assert [sentence.text for sentence in doc.sents] == ["She gave up her call.", "Bills waits"]
    assert (doc[1].lemma_, doc[1].tag_, doc[1].pos_) == ("give", "VBD", "VERB")
    assert get_frames(doc) == [
        Frame(1, 3, [Argument(0, 1, "ARG0"), Argument(3, 5, "ARG1")], "give_up.08"),
        Frame(4, 5, [Argument(3, 4, "ARG0")], "call.02"),
        Frame(8, 9, [Argument(6, 8, "ARG1")], "wait.01"),
    ]
    assert [f"{span.start} {span.end} {span.label_}" for span in doc.spans["constituents"]] == [
        *("0 6 TOP", "0 6 S", "0 1 NP", "1 5 VP", "2 3 PRT", "3 5 NP", "6 9 TOP", "6 9 S", "6 8 NP", "8 9 VP")
    ]


def test_a_predicate_that_is_listed_for_two_tokens_is_kept_once_and_two_rolesets_of_a_span_are_kept(source: Path):
    (doc,) = read_ewt(source)["test"]
    sidestep = Frame(0, 1, [Argument(1, 2, "C-V"), Argument(2, 3, "ARG1")], "sidestep.01")
    assert get_frames(doc) == [sidestep, Frame(0, 2, [], "go.01"), Frame(0, 2, [], "get.01")]


def test_what_is_missing_or_not_as_expected_is_named(source: Path, tmp_path: Path):
    words = source / "UD_English-EWT/en_ewt-ud-dev.conllu"
    write(words, words.read_text().replace("1\tWow", "2\tWow"))
    with pytest.raises(ValueError, match=r"en_ewt-ud-dev\.conllu:2: found 'Wow' as word '2', expected word 1"):
        read_ewt(source)
    words.unlink()
    with pytest.raises(FileNotFoundError, match=r"en_ewt-ud-dev.conllu: no such file.*UniversalDependencies"):
        read_ewt(source)
    (source / "propbank-release").rename(source / "propbank")
    with pytest.raises(FileNotFoundError, match=r"data/google/ewt: no such folder.*propbank/propbank-release"):
        read_ewt(source)


@pytest.mark.parametrize(
    ("tags", "text", "aligned"),
    [
        ("PRP VBD CD", "we/PRP ate/VBD 2/CD~-/HYPH~3/CD", "PRP:we VBD:ate CD:2+-+3"),
        ("NNP HYPH NNP HYPH CD NN", "A-B-1/NNP boat/NN", "NNP:A-B-1 HYPH:A-B-1 NNP:A-B-1 HYPH:A-B-1 CD:A-B-1 NN:boat"),
        ("DT NNP NNPS NN", "the/DT Ode/NNP Inn/NNP~s/POS roof/NN", "DT:the NNP:Ode NNPS:Inn+s NN:roof"),
        ("WDT GW RB", "which/WDT always/RB", "WDT:which GW:always RB:always"),
        (
            "WP DT VBZ NN IN DT JJ NN CC NN",
            "what/WP thes/DT size/NN in/IN a/DT big/JJ~1/NN~2/CD or/CC 3/NN",
            "WP:what DT:thes VBZ:thes NN:size IN:in DT:a JJ:big NN:1+2 CC:or NN:3",
        ),
        (
            "IN WDT JJ PRP$ NN NN NNS",
            "for/IN what/WP else/RB your/PRP$ own/JJ print/NN needs/NNS",
            "IN:for WDT:what JJ:else PRP$:your NN:own NN:print NNS:needs",
        ),
    ],
    ids=["split", "joined", "no space inside", "link to the token after", "shifted", "not shifted by revised tags"],
)
def test_tokens_are_aligned_with_words(tags: str, text: str, aligned: str):
    """Text is "form/TAG", with "~" in place of the space after a word that has none."""
    cells = [cell.split("/") for cell in text.replace("~", "~ ").split()]
    words = [Word(form, form, "", tag.rstrip("~"), not tag.endswith("~")) for form, tag in cells]
    found = zip(tags.split(), align_tokens(tags.split(), words), strict=True)
    assert " ".join(f"{tag}:{'+'.join(words[j].form for j in members)}" for tag, members in found) == aligned
