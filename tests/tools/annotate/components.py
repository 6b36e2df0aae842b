"""A component that annotates by rule, and fails where a text says so; commands get this file as --code."""

import os
import signal
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames

KILL = "ANNOTATE_TEST_KILL"
"""The variable of the environment without which no process is killed."""

ONCE = "ANNOTATE_TEST_KILL_ONCE"
"""The variable with a folder that remembers which words, such as "Once1", have killed a process; each does so once."""


@Language.component("rules_of_tests")
def annotate_by_rule(doc: Doc) -> Doc:
    """Link equal words that start with a capital letter, and make "saw" a predicate."""
    words = [token.text for token in doc]
    if "Boom" in words:
        raise KeyError("boom")
    if "Kill" in words and os.environ.get(KILL):
        os.kill(os.getpid(), signal.SIGKILL)
    for word in words:
        if word.startswith("Once") and ONCE in os.environ and not (memory := Path(os.environ[ONCE], word)).exists():
            memory.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    names = sorted({word for word in words if word.istitle()})
    clusters = [[(i, i + 1) for i, word in enumerate(words) if word == name] for name in names]
    antecedents = {cluster[i]: cluster[i - 1] if i else None for cluster in clusters for i in range(len(cluster))}
    set_clusters(doc, clusters, antecedents=antecedents)
    saw = [i for i, word in enumerate(words) if word == "saw" and 0 < i < len(words) - 1]
    set_frames(doc, [Frame(i, i + 1, [Argument(i - 1, i, "ARG0")], "see.01") for i in saw])
    return doc
