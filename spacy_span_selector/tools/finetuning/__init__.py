"""Fine-tuning: a trained pipeline goes on to learn from a few texts, and says what that brought and what it cost."""
