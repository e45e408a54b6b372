"""Quantisation before the export: functions of a module and its inputs that return the module to export."""
import copy

import torch
from torch import nn


def pt2e(module, inputs, **config):
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
        XNNPACKQuantizer,
        get_symmetric_quantization_config,
    )
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(**config))
    prepared = prepare_pt2e(torch.export.export(module, inputs, strict=False).module(check_guards=False), quantizer)
    with torch.no_grad():
        prepared(*inputs)
    return convert_pt2e(prepared)


def static(module, inputs):
    return pt2e(module, inputs, is_per_channel=True)


def dynamic(module, inputs):
    return pt2e(module, inputs, is_per_channel=True, is_dynamic=True)


def int4_weights(module, inputs):
    from torchao.quantization import Int8DynamicActivationIntxWeightConfig, quantize_
    from torchao.quantization.granularity import PerGroup

    module = copy.deepcopy(module)
    config = Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(32))
    quantize_(module, config, filter_fn=lambda m, name: isinstance(m, nn.Linear) and m.in_features % 32 == 0)
    return module
