"""Gold clusters with simulated errors, the same for each seed on every machine."""

import random

from spacy_span_selector.annotation import Mention


def perturb(clusters: list[list[Mention]], n_tokens: int, seed: int) -> list[list[Mention]]:
    """Drop, narrow and add mentions, and merge and split clusters; no mention is in two clusters.

    Only `random.random` is used: the numbers of other functions may change between versions of Python.
    """
    draw = random.Random(seed).random
    seen = {mention for cluster in clusters for mention in cluster}
    changed: list[list[Mention]] = []
    for cluster in clusters:
        mentions = [mention for mention in cluster if draw() > 0.15]
        for i, (start, _) in enumerate(mentions):
            if draw() < 0.1 and (start, start + 1) not in seen:
                mentions[i] = (start, start + 1)
                seen.add(mentions[i])
        action = draw()
        if action < 0.1 and changed:
            changed[-1] += mentions
        elif action < 0.2:
            changed += [mentions[::2], mentions[1::2]]
        else:
            changed.append(mentions)
    for _ in range(n_tokens // 50):
        start = int(draw() * n_tokens)
        if (start, start + 1) not in seen:
            seen.add((start, start + 1))
            changed[int(draw() * len(changed))].append((start, start + 1))
    return [cluster for cluster in changed if cluster]


def repeat(clusters: list[list[Mention]], gold: list[list[Mention]]) -> list[list[Mention]]:
    """Repeat the first mention of the last cluster that is also a gold mention in the first cluster."""
    wanted = {mention for cluster in gold for mention in cluster}
    again = next((mention for mention in clusters[-1] if mention in wanted), clusters[0][0])
    return [[*clusters[0], again], *clusters[1:]]
