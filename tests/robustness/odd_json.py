"""Strategies that draw odd or invalid JSON, as text: Python can't write all of it."""

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from spacy_span_selector.tools.annotate.records import RESERVED

MOST_SHOWN = 200


class Source(str):
    """Text that is shown in part where a test fails: the line that tries it again has all of it."""

    def __repr__(self) -> str:
        shown = repr(str(self[:MOST_SHOWN]))
        return shown if len(self) < MOST_SHOWN else f"{shown}... ({len(self):,} characters)"


DEPTHS = (50, 490, 700, 990, 1500, 5_000, 100_000)
BRACKETS = (("[", "]"), ('{"a":', "}"), ('[{"":', "}]"))
NUMBERS = (
    *("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1e-999", "-0", "-0.0", "1.5", "0.1e1"),
    *(str(2**53 + 1), str(2**63), str(-(2**63) - 1), str(2**64), "9" * 400, "-" + "9" * 400, "9" * 5000, "01", "+1"),
    *("1" + "0" * 5000 + ".0", "0." + "1" * 5000),
)
CHARACTERS = (
    *("\\u0000", "\\n", "\\r", "\\t", "\\r\\n", "\\u0085", "\\u2028", "\\u2029", "\\u001c", "\\u000b", "\\u001b[31m"),
    *("\u2028", "\u2029", "\u0085", "\u202eabc\u202c", "\u200f", "\u200b", "\ufeff", "\\ufeff", "\uffff", "\\uffff"),
    *("\\ud800", "\\udc00\\ud800", "x\\udfff", "\\ud83d\\ude00", "😀", "e\u0301", "ﬁ", "İ"),
    *("=== a", "# a", "> [V=x y]", "@Ann: a", "[a|b]", "\\\\", "\\/", "<b>", "../../x", "C:\\\\x", "-", "*", "_"),
)
STRINGS = tuple(f'"{text}"' for text in (*CHARACTERS, *(f"a{c}b" for c in CHARACTERS), "", " ", "x" * 100_000))
NO_STRINGS = ('"a\nb"', '"a', "'a'", '"\\x"', '"\\u12"', "a", "undefined", '"a" "b"', "", ",")
NESTED = tuple(start * depth + "1" + end * depth for depth in DEPTHS for start, end in BRACKETS)
OPEN = tuple(start * depth for depth in DEPTHS for start, _ in BRACKETS)
OTHERS = ("null", "true", "false", "[]", "{}", "[[]]", '{"a":1,"a":2}', '{"":1}', "[1,null,1.5]", '[1,"a",{"b":[]}]')
WIDE = (f"[{'1,' * 20_000}1]", "{" + ",".join(f'"{i}":{i}' for i in range(5_000)) + "}")

values = st.one_of(*(map(st.sampled_from, (NUMBERS, STRINGS, NESTED, OTHERS, WIDE)))).map(Source)
"""The text of a value, which most readers of JSON take."""
any_values = st.one_of(values, values, values, st.sampled_from((*NO_STRINGS, *OPEN)).map(Source))
"""The same, or text that is no value."""
keys = st.one_of(
    st.sampled_from(sorted(RESERVED)).map(json.dumps),
    st.sampled_from(STRINGS),
    st.sampled_from(['"fields"', '"source"', '"part"', '"reason"', '"x"', '"a.b"', '"__class__"', '"k"']),
)
"""The text of a key."""


@st.composite
def records(draw: st.DrawFn, text: str) -> Source:
    """A line for `annotate`, with this text or another odd value; nobody else's."""
    name, content, fields = draw(st.sampled_from(['"a"', '"a"', "1"])), json.dumps(text), ""
    for kind in draw(st.lists(st.sampled_from(["field", "field", "id", "text", "twice"]), min_size=1, max_size=2)):
        match kind:
            case "field":
                fields += f",{draw(keys)}:{draw(any_values)}"
            case "id":
                name = draw(any_values)
            case "text":
                content = draw(values)
            case "twice":
                fields += f',"id":{draw(values)},"text":{content}'
    line = f'{{"id":{name},"text":{content}{fields}}}'
    match draw(st.sampled_from(["", "", "", "", "", "", "cut", "more", "mark", "other"])):
        case "cut":
            line = line[: draw(st.integers(1, len(line)))]
        case "more":
            line += draw(st.sampled_from(["}", ",", "{}", " \u2028", "\x00", "\x1a"]))
        case "mark":
            line = "\ufeff" + line
        case "other":
            line = draw(any_values)
    return Source(line.replace("\n", " "))


PLACEHOLDER = "placeholder"


def places_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every list or object inside a JSON value, with each index or key of it."""
    entries = list(enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ())
    for key, inside in entries:
        yield value, key
        yield from places_in(inside)


def put(data: Any, place: int, value: str, key: str | None = None) -> str:
    """JSON text of a value, of which one value, or one key with a value, is replaced at a place modulo all places."""
    data = json.loads(json.dumps(data))
    inside = list(places_in(data))
    holder, at = inside[place % len(inside)]
    if key is None or isinstance(holder, list):
        holder[at] = PLACEHOLDER
        return json.dumps(data, ensure_ascii=False).replace(f'"{PLACEHOLDER}"', value, 1)
    holder[PLACEHOLDER] = PLACEHOLDER
    return json.dumps(data, ensure_ascii=False).replace(f'"{PLACEHOLDER}": "{PLACEHOLDER}"', f"{key}: {value}", 1)
