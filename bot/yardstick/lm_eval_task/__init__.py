"""A task for lm-eval, which takes this folder by ``--include_path``."""
