"""CorefUD, the format of coreference corpora in many languages: CoNLL-U with `Entity=` in its last column."""

from ..registry import Format
from .reader import read_corefud
from .writer import export_corefud, merge_corefud, write_corefud

__all__ = ["FORMAT", "merge_corefud", "read_corefud", "write_corefud"]

FORMAT = Format(
    name="corefud",
    title="the format of CorefUD: CoNLL-U with coreference in its last column",
    suffixes=(".conllu",),
    read=read_corefud,
    write=write_corefud,
    export=export_corefud,
)
