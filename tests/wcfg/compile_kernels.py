"""Compiles all kernels for a GPU, which need not be there: Triton's interpreter allows more than its compiler."""

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from spacy_span_selector.wcfg import triton_laminar

for kernel in (triton_laminar._sweep, triton_laminar._sweep_back):
    *tensors, corners, terms, sums = kernel.arg_names
    types = dict.fromkeys(tensors, "*fp32") | {corners: "i32", terms: "constexpr", sums: "constexpr"}
    blocks = triton_laminar.choose_blocks(100)
    source = ASTSource(kernel, types, {terms: blocks.terms, sums: blocks.sums})
    triton.compile(source, GPUTarget("cuda", 90, 32), {"num_warps": blocks.warps, "num_stages": 1})
