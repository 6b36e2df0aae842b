import pytest

from spacy_span_selector.documents.labels import find_labels
from spacy_span_selector.documents.lines import read_blocks


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ann: hi\nDr. Bob Lee (laughing): hi\nnote: x", ["Ann", "Dr. Bob Lee"]),
        ("[12:03] ann: hi\n12:03 <@bob> hi\n12:04 * ann waves", ["ann", "bob", ""]),
        ("[1/5/24, 12:03:11] Ann  Lee: hi\n12:03 PM - Bob: hi", ["Ann Lee", "Bob"]),
        ("Ann [12:03]: hi\nBob Lee  12:03 PM\nhi", ["Ann", "Bob Lee"]),
        ("ACT I\n\nHAMLET. To be\n\nDR. LEE. No. He", ["HAMLET", "DR. LEE"]),
        ("HAMLET\nTo be\n\nOPHELIA (aside)\nNo\n\nTHE END", ["HAMLET", "OPHELIA"]),
        ("It was late.\nNote: he came", []),
        ("From: Ann\nTo: Bob", []),
        ("Ann: hi\nnew_one: so\nAnn: ok\nwrong: no", ["Ann", "Ann"]),
        ("Ann: hi\nnew_one: so\nAnn: ok\nnew_one: no", ["Ann", "new_one", "Ann", "new_one"]),
    ],
)  # fmt: skip
def test_labels_name_speakers(text: str, names: list[str]) -> None:
    assert [label.name for label in find_labels(read_blocks(text))] == names
