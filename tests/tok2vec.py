"""The small encoder of pipelines in tests, and what listens to one, or to a transformer."""

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
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": TOK2VEC["width"], "upstream": "*"}
TRANSFORMER_LISTENER = {
    "@architectures": "spacy-transformers.TransformerListener.v1",
    "grad_factor": 1.0,
    "pooling": {"@layers": "reduce_mean.v1"},
}
