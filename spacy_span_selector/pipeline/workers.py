"""Torch in the processes of `nlp.pipe(n_process=...)`."""

from __future__ import annotations

import os

import torch


def use_one_thread_after_fork() -> None:
    """Let torch use one thread in processes forked from this one.

    A forked process inherits the state of torch's thread pool but not its threads, and waits for them
    for ever once it computes something in parallel. With one thread it never asks for them, and a
    pipeline with several processes has work for all cores anyway.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_use_one_thread)


def _use_one_thread() -> None:
    torch.set_num_threads(1)
