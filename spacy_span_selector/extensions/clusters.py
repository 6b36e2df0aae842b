"""Attributes that give clusters: `doc._.coref_clusters`, `span._.coref_cluster`, `token._.coref_clusters`, and the
text with every mention resolved, `doc._.resolved_text`."""

from __future__ import annotations

from collections.abc import Sequence

from spacy.tokens import Doc, Span, Token

from ..annotation import cluster_groups

# For text without part-of-speech tags; with tags, the tags decide.
ENGLISH_PRONOUNS = """
i me my mine myself you your yours yourself yourselves he him his himself she her hers herself
it its itself we us our ours ourselves they them their theirs themself themselves oneself
this that these those who whom whose which
"""
PRONOUNS = frozenset(ENGLISH_PRONOUNS.split())
POSSESSIVES = frozenset({"my", "your", "his", "her", "its", "our", "their"})


def doc_clusters(doc: Doc) -> list[list[Span]]:
    """The clusters of a document, in the order of their first mentions."""
    return [list(group) for group in cluster_groups(doc)]


def span_cluster(span: Span) -> list[Span] | None:
    """The first cluster that has exactly this span as a mention, or None."""
    for cluster in doc_clusters(span.doc):
        if any(mention.start == span.start and mention.end == span.end for mention in cluster):
            return cluster
    return None


def token_clusters(token: Token) -> list[list[Span]]:
    """The clusters that have a mention over this token, the cluster of the innermost mention first."""
    covering: list[tuple[int, list[Span]]] = []
    for cluster in doc_clusters(token.doc):
        widths = [len(mention) for mention in cluster if mention.start <= token.i < mention.end]
        if widths:
            covering.append((min(widths), cluster))
    return [cluster for _, cluster in sorted(covering, key=lambda item: item[0])]


def main_mention(cluster: Sequence[Span]) -> Span:
    """The mention that tells most about its cluster.

    A mention with a proper noun (where tags tell) comes before one without, then one without
    pronouns ("the girl" before "his daughter"), then any before a lone pronoun; of these the
    longest, of equally long ones the first.

    cluster (Sequence[Span]): Mentions, at least one.
    """
    return max(cluster, key=_information)


def resolved_text(doc: Doc) -> str:
    """The text of a document with mentions replaced by the main mention of their cluster.

    A mention is replaced unless it is the main mention or overlaps it, or shortens it ("Ann" for
    "Ann Lee"), or the main mention is a pronoun itself. Where mentions overlap, the outermost that
    can be replaced is. Main mentions are inserted as they stand in the text, with 's for an English
    possessive pronoun. White space is kept.
    """
    replacements: list[tuple[Span, str]] = []
    ends: dict[int, int] = {}  # of the widest mention that starts at a token
    for mention in (mention for cluster in doc_clusters(doc) for mention in cluster):
        ends[mention.start] = max(mention.end, ends.get(mention.start, 0))
    for cluster in doc_clusters(doc):
        main = main_mention(cluster)
        if len(cluster) > 1 and main.text.strip() and not _is_pronoun(main):
            replacements.extend(
                (mention, main.text + ("'s" if _is_english_possessive(mention, ends[mention.start]) else ""))
                for mention in cluster
                if (mention.end <= main.start or mention.start >= main.end) and not _shortens(mention, main)
            )
    replacements.sort(key=lambda item: (item[0].start, -item[0].end))
    text = doc.text
    pieces: list[str] = []
    copied = 0  # characters of the text that are in the pieces
    for mention, replacement in replacements:
        if mention.start_char >= copied:
            pieces += [text[copied : mention.start_char], replacement]
            copied = mention.end_char
    return "".join([*pieces, text[copied:]])


def _information(mention: Span) -> tuple[bool, bool, bool, int, int]:
    """What orders the mentions of a cluster, see `main_mention`."""
    has_name = any(token.pos_ == "PROPN" for token in mention)
    has_pronoun = any(_is_pronominal(token) for token in mention)
    return has_name, not has_pronoun, not _is_pronoun(mention), len(mention), -mention.start


def _is_pronoun(mention: Span) -> bool:
    words = [token for token in mention if not token.is_space]
    return len(words) == 1 and _is_pronominal(words[0])


def _is_pronominal(token: Token) -> bool:
    return token.pos_ == "PRON" if token.pos_ else token.lower_ in PRONOUNS


def _is_english_possessive(mention: Span, widest_end: int) -> bool:
    """Whether a mention is a pronoun like "her" in "her brother": so its tag says or, where there is none, that a
    wider mention, up to `widest_end`, starts with it."""
    if len(mention) != 1 or mention.doc.lang_ != "en" or not _is_pronoun(mention):
        return False
    token = mention[0]
    if token.tag_ or token.has_morph():
        return token.tag_ == "PRP$" or token.morph.to_dict().get("Poss") == "Yes"
    return token.lower_ in POSSESSIVES and widest_end > mention.end


def _shortens(mention: Span, main: Span) -> bool:
    """Whether the words of a mention stand in the main mention: a name like "Ann", not a pronoun."""
    words, main_words = [token.lower_ for token in mention], [token.lower_ for token in main]
    starts = range(len(main_words) - len(words) + 1)
    return not _is_pronoun(mention) and any(main_words[i : i + len(words)] == words for i in starts)
