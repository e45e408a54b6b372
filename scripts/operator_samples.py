"""Arguments for the conformance cases of operators that PyTorch's OpInfo database does not reach.

One function per kernel, named after it (llama::update_cache.out: llama_update_cache_out). It returns a list of
positional arguments; more than scripts/add_operator.py takes are fine, it picks those that differ most.
"""
import torch


def llama_fast_hadamard_transform_out():
    return [(torch.randn(shape),) for shape in ((8,), (3, 16), (2, 3, 64), (1,), (2, 28))]
