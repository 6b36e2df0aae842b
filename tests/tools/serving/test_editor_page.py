"""What the page that corrects a document does in a real browser."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import spacy
import uvicorn
from spacy.tokens import Doc

from spacy_span_selector.annotation import get_clusters, get_frames
from spacy_span_selector.tools.formats.bracketed import read_bracketed
from spacy_span_selector.tools.serving import Drafting, TextFolder, create_editor, open_socket

from ...browser import OpenPage
from .pipelines import TEXT, InThisProcess

ANN, HER, BROTHER, HE, SHE = (0, 1), (2, 3), (2, 4), (6, 7), (10, 11)
NUMBERS = count(1)


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a server that runs, and its folder."""
    folder = tmp_path_factory.mktemp("texts")
    (folder / "first.txt").write_text("Bob ran.", encoding="utf-8")
    worker: Any = InThisProcess(Drafting)
    with open_socket("127.0.0.1", 0) as listening:
        server = uvicorn.Server(uvicorn.Config(create_editor(worker, TextFolder(folder)), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", folder
        server.should_exit = True
        thread.join()


def read(path: Path) -> Doc:
    """The document that was saved."""
    (doc,) = read_bracketed(path, spacy.blank("xx"))
    return doc


class Text:
    """A document in a tab, which has its own file."""

    def __init__(self, page: Any, name: str, folder: Path) -> None:
        self.page, self.name = page, name
        self.file = folder / f"{name}.brackets.txt"

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def word(self, number: int) -> Any:
        return self.page.locator(f'.w[data-i="{number}"]')

    def choose(self, span: tuple[int, int]) -> Text:
        """Click the last word of a mention, and again for the one around it."""
        self.word(span[1] - 1).click()
        return self

    def drag(self, first: int, last: int) -> None:
        for number, do in ((first, self.page.mouse.down), (last, self.page.mouse.up)):
            box = self.word(number).bounding_box()
            self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
            do()

    def click(self, label: str, within: str = "#card button") -> None:
        self.page.locator(within, has_text=label).first.click()

    def answer(self, text: str) -> None:
        self.page.locator("#ask input").fill(text)
        self.press("Enter")

    def card(self) -> str:
        return " ".join(self.page.inner_text("#card p").split()) if self.page.is_visible("#card") else ""

    def status(self) -> str:
        return str(self.page.inner_text("#status"))

    def wait_for_status(self, text: str) -> None:
        self.page.wait_for_selector(f"#status:text-matches('^{text}')")

    def clusters(self) -> list[list[tuple[int, int]]]:
        """The clusters as the text shows them."""
        found: dict[str, list[tuple[int, int]]] = {}
        for number, span in self.page.evaluate(
            "[...document.querySelectorAll('.mention')].map((box) => [box.dataset.n, box.dataset.span.split('-')])"
        ):
            found.setdefault(number, []).append((int(span[0]), int(span[1])))
        return sorted(sorted(mentions) for mentions in found.values())

    def save(self) -> Doc:
        self.press("Control+s")
        self.wait_for_status("Saved")
        return read(self.file)

    def allow(self, expected: str) -> None:
        """Let problems with these words be none."""
        self.page.problems[:] = [problem for problem in self.page.problems if expected not in problem]


OpenText = Callable[..., Text]


@pytest.fixture
def open_text(editor: tuple[str, Path], open_page: OpenPage) -> Iterator[OpenText]:
    """Opens a document in a tab: one of its own, or that of another tab."""
    address, folder = editor
    texts: list[Text] = []

    def open_(other: Text | None = None, text: str = TEXT, **options: Any) -> Text:
        name = other.name if other else f"text-{next(NUMBERS)}"
        if other is None:
            (folder / f"{name}.txt").write_text(text, encoding="utf-8")
        page = open_page(f"{address}/text/{name}", **options)
        page.wait_for_selector(".w")
        texts.append(Text(page, name, folder))
        return texts[-1]

    yield open_
    for text in texts:
        text.allow(f"request: {address}")  # what it reads from its own server is no problem


@pytest.fixture
def text(open_text: OpenText) -> Text:
    return open_text()


def test_a_document_is_shown_as_the_pipeline_has_it_and_saved_as_it_is_shown(text: Text) -> None:
    frames = [" ".join(frame.split()) for frame in text.page.locator(".frame").all_inner_texts()]
    assert frames == ["see.01 ARG0 Ann V saw ARG1 her brother", "run.02 ARG0 He V ran …"]
    assert text.clusters() == [[ANN, HER, SHE], [BROTHER, HE]]
    assert "As the pipeline has it" in text.status()
    doc = text.save()
    assert get_clusters(doc) == [[ANN, HER, SHE], [BROTHER, HE]]
    assert [(frame.roleset, len(frame.arguments)) for frame in get_frames(doc)] == [("see.01", 2), ("run.02", 1)]


def test_mentions_are_made_moved_split_off_and_removed_by_mouse(text: Text) -> None:
    text.drag(7, 6)
    assert "“He ran”" in text.card()
    text.click("New cluster")
    assert text.clusters() == [[ANN, HER, SHE], [BROTHER, HE], [(6, 8)]]
    text.choose(SHE)
    assert "mention 3 of 3" in text.card()
    text.click("Split off")
    assert text.clusters() == [[ANN, HER], [BROTHER, HE], [(6, 8)], [SHE]]
    text.choose(HER).click("Move to")
    text.click("she", "#options button")
    assert text.clusters() == [[ANN], [HER, SHE], [BROTHER, HE], [(6, 8)]]
    text.choose(ANN).click("Remove")
    text.choose(HE).click("Remove cluster")
    assert text.clusters() == [[HER, SHE], [(6, 8)]]
    assert get_clusters(text.save()) == [[HER, SHE], [(6, 8)]]


def test_clusters_are_merged_with_one_that_is_clicked(text: Text) -> None:
    text.choose(HE).click("Merge clusters")
    text.choose(SHE)
    assert text.clusters() == [sorted([ANN, HER, BROTHER, HE, SHE])]
    assert "mention 4 of 5" in text.card()
    assert get_clusters(text.save()) == [sorted([ANN, HER, BROTHER, HE, SHE])]


def test_all_of_it_by_keyboard(text: Text) -> None:
    text.press("j")
    assert text.card().startswith("1 Ann “Ann” mention 1 of 3")
    text.press("n", "n", "c")  # she, in a cluster of its own
    text.press("k", "m")  # He, to Ann
    text.answer("ann")
    text.press("p", "p", "p", "g")  # Ann's cluster, merged with that of her brother
    text.answer("2")
    assert text.clusters() == [sorted([ANN, HER, BROTHER, HE]), [SHE]]
    text.press("Escape", "j", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowLeft", "c")
    assert text.card().startswith("4 her")
    text.press("Escape", "Escape")
    assert text.card() == ""
    text.press("ArrowRight", "ArrowRight", "Shift+ArrowRight", "x")
    assert text.card().startswith("“saw her”")
    assert get_clusters(text.save()) == [sorted([ANN, HER, BROTHER, HE]), [HER], [SHE]]


def test_boundaries_move_by_words_and_nothing_crosses(text: Text) -> None:
    text.choose(HE).press("[", "]", "]", "}")
    assert (5, 8) in text.clusters()[1]
    text.press("{")
    text.page.get_by_label("Begin a word earlier").click()
    text.page.get_by_label("End a word earlier").click()
    assert (5, 7) in text.clusters()[1]
    text.press("[")
    assert "ends with the sentence" in text.card()
    text.choose(ANN).press("]", "]")
    assert "would cross the mention “her brother”" in text.card()
    text.drag(3, 4)
    text.press("Enter")
    assert "would cross the mention “her brother”" in text.card()
    assert get_clusters(text.save()) == [[(0, 2), HER, SHE], [BROTHER, (5, 7)]]


def test_a_second_click_chooses_the_mention_around_and_then_the_word(text: Text) -> None:
    for expected in ("1 Ann “her”", "2 her-brother “her brother”", "“her”"):
        text.choose(HER)
        assert text.card().startswith(expected)


def test_frames_are_corrected(text: Text) -> None:
    text.press("f", "f", "e", "Enter")  # run.02 and its only argument
    text.answer("ARG9")
    assert "of run.02" in text.card()
    text.press("f", "F", "Enter")
    text.answer("meet 03")
    assert "Write it without white space" in text.card()
    text.answer("meet.03")
    text.click("her brother", ".role")
    text.click("Remove argument")
    text.drag(2, 3)
    text.press("r")
    text.answer("V")
    assert "V is the predicate" in text.card()
    text.answer("ARG1-X")
    text.press("]")
    text.choose((11, 12)).press("v", "Enter")
    text.answer("say.01")
    text.choose((10, 11)).press("r")
    text.click("ARG0", "#options button")
    text.click("run.02", ".frame dt button")
    text.click("Remove frame")
    frames = get_frames(text.save())
    assert [(frame.roleset, frame[:2], [tuple(argument) for argument in frame.arguments]) for frame in frames] == [
        ("meet.03", (1, 2), [(0, 1, "ARG0"), (2, 5, "ARG1-X")]),
        ("say.01", (11, 12), [(10, 11, "ARG0")]),
    ]


def test_a_cluster_gets_another_name_and_no_two_have_one(text: Text) -> None:
    text.choose(HE).press("Enter")
    text.answer("Ann")
    assert "Another cluster has this name" in text.card()
    text.answer("tom")
    text.save()
    assert "[He|tom] ran" in text.file.read_text("utf-8")


def test_undo_and_redo_bring_back_every_step(text: Text) -> None:
    steps = [text.clusters()]
    text.choose(HE)
    for key in ("c", "x", "Enter", "X"):
        text.press(key)
        steps.append(text.clusters())
    assert len({str(step) for step in steps}) == 3  # what was removed is made again, and removed again
    for key, expected in (("Control+z", steps[-2::-1]), ("Control+Shift+z", steps[1:])):
        for step in expected:
            text.press(key)
            assert text.clusters() == step
        assert text.page.is_disabled("#undo") == (key == "Control+z")
    text.page.click("#undo")
    text.press("Control+y")
    assert text.clusters() == steps[-1]
    text.press("Control+z")
    assert text.status() == "Not saved"
    text.press("Control+z", "Control+z", "Control+z")
    assert text.status() == ""
    text.choose(ANN).press("x")
    assert text.page.is_disabled("#redo")
    text.save()


def test_the_most_doubtful_link_comes_first_and_none_that_was_corrected(text: Text) -> None:
    assert text.page.inner_text("#doubt small") == "2"
    text.choose(HE)
    for key, number in (("c", "1"), ("Control+z", "2")):
        text.press(key)
        assert text.page.inner_text("#doubt small") == number
    text.press("Escape", "d")
    assert "“He” mention 2 of 2 refers to “her brother”: 20%" in text.card()
    text.page.click("#doubt")
    assert "“her” mention 2 of 3 refers to “Ann”: 30%" in text.card()
    assert text.page.is_disabled("#doubt")
    text.press("D")
    assert "“He”" in text.card()


def two_tabs(open_text: OpenText) -> tuple[Text, Text]:
    """A document in two tabs: what the first has saved the second is asked about."""
    one = open_text()
    other = open_text(one)
    one.choose(SHE).press("x")
    one.save()
    other.choose(HE).press("x", "Control+s")
    other.page.wait_for_selector("#conflict[open]")
    return one, other


def test_two_tabs_do_not_lose_each_others_work(open_text: OpenText) -> None:
    one, other = two_tabs(open_text)
    assert get_clusters(read(one.file)) == [[ANN, HER], [BROTHER, HE]]
    other.page.click("#conflict [value='']")
    assert other.status() == "Not saved"
    other.page.click("#save")
    other.page.click("#conflict [value=theirs]")
    other.wait_for_status("As saved elsewhere")
    assert other.clusters() == [[ANN, HER], [BROTHER, HE]]
    other.press("Control+z")
    assert other.clusters() == [[ANN, HER, SHE], [BROTHER]]
    assert get_clusters(other.save()) == [[ANN, HER, SHE], [BROTHER]]
    one.choose(HER).press("x", "Control+s")
    one.page.click("#conflict [value=both]")
    one.page.wait_for_url(f"**/text/{one.name}-2")
    one.page.wait_for_selector(".w")
    assert one.clusters() == [[ANN], [BROTHER, HE]]
    assert get_clusters(read(one.file.with_name(f"{one.name}-2.brackets.txt"))) == [[ANN], [BROTHER, HE]]
    assert get_clusters(read(one.file)) == [[ANN, HER, SHE], [BROTHER]]
    for text in (one, other):
        assert any("409 (Conflict)" in problem for problem in text.page.problems)
        text.allow("409 (Conflict)")


def test_what_is_corrected_while_both_are_saved_is_not_lost(open_text: OpenText) -> None:
    _, other = two_tabs(open_text)

    def go_on_correcting(route: Any) -> None:
        other.choose(SHE).press("x")
        route.continue_()

    other.page.route("**/documents/*", go_on_correcting)
    with other.page.expect_event("dialog") as asked:
        other.page.once("dialog", lambda dialog: dialog.dismiss())
        other.page.click("#conflict [value=both]", no_wait_after=True)
    assert asked.value.type == "beforeunload"
    assert (other.status(), other.clusters()) == ("Not saved", [[ANN, HER], [BROTHER]])
    other.page.problems.remove("")  # the question whether to leave
    other.allow("409 (Conflict)")


def test_what_was_saved_is_there_when_the_page_is_loaded_again_from_the_list(text: Text) -> None:
    text.choose(HE).press("c")
    text.save()
    text.page.click("#back")
    text.page.wait_for_selector("text=corrected")
    text.click(text.name, ".documents a")
    text.page.wait_for_selector(".w")
    assert text.status() == "Corrected before"
    assert text.clusters() == [[ANN, HER, SHE], [BROTHER], [HE]]
    assert text.page.is_disabled("#save")


def test_what_is_not_saved_is_kept_when_the_server_or_the_page_is_left(text: Text) -> None:
    text.choose(HE).press("c")
    dialogs: list[str] = []
    text.page.on("dialog", lambda dialog: dialogs.append(dialog.type))
    text.page.click("#back", no_wait_after=True)
    text.page.wait_for_timeout(300)
    assert dialogs == ["beforeunload"]
    text.page.problems.remove("")  # the question whether to leave
    assert text.clusters() == [[ANN, HER, SHE], [BROTHER], [HE]]
    text.page.context.set_offline(True)
    text.press("Control+s")
    text.page.wait_for_selector("#problem:not([hidden])")
    assert "Your work is still here" in text.page.inner_text("#problem")
    text.page.context.set_offline(False)
    assert get_clusters(text.save()) == [[ANN, HER, SHE], [BROTHER], [HE]]
    text.allow("ERR_INTERNET_DISCONNECTED")


def test_markup_in_a_text_is_text(open_text: OpenText) -> None:
    text = open_text(text="<img src=x onerror=alert(1)> ran.")
    assert text.page.inner_text(".text").replace("\xa0", " ").endswith("ran.")
    text.word(1).click()
    assert text.page.locator(".sentences img, #card img").count() == 0


def test_a_phone_shows_it_without_a_scroll_to_the_side(open_text: OpenText) -> None:
    text = open_text(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    text.word(6).tap()
    assert text.card().startswith("2 her-brother “He”")
    assert text.page.evaluate("document.documentElement.scrollWidth") <= 360
