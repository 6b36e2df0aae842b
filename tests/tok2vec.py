"""The small encoder of pipelines in tests."""

TOK2VEC = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "width": 24,
    "depth": 1,
    "embed_size": 500,
    "window_size": 1,
    "maxout_pieces": 2,
    "subword_features": False,
    "pretrained_vectors": None,
}
