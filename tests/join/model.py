"""What a model of the corpus is, and the table that models.py, networks.py and random_models.py fill."""
from dataclasses import dataclass
from typing import Any, Callable, Dict, Set, Tuple

import torch

MODELS: Dict[str, "Model"] = {}
SOURCES: Set[str] = set()  # the files whose lines are the user's


@dataclass
class Model:
    """A model: how it is built with its inputs, and what of it the flows need to know."""

    name: str
    build: Callable[[], Dict[str, Tuple[torch.nn.Module, Tuple[Any, ...]]]]
    kinds: Tuple[str, ...] = ()
    dynamic: Any = None  # dynamic_shapes of torch.export, for the flow that wants them

    def methods(self):
        """method → (module, inputs), with the same weights each time."""
        torch.manual_seed(len(self.name))
        return {name: (module.eval(), inputs) for name, (module, inputs) in self.build().items()}


def model(*shapes, kinds=(), dynamic=None):
    """Registers a module class; shapes are those of its float inputs, tensors are taken as they are."""

    def register(cls):
        def build():
            module = cls()
            inputs = tuple(s if isinstance(s, torch.Tensor) else torch.randn(*s) for s in shapes)
            return {"forward": (module, inputs)}

        MODELS[cls.__name__] = Model(cls.__name__, build, tuple(kinds), dynamic)
        SOURCES.add(cls.forward.__code__.co_filename)
        return cls

    return register


def methods(kinds=()):
    """Registers a function that returns method → (module, inputs)."""

    def register(build):
        MODELS[build.__name__] = Model(build.__name__, build, tuple(kinds))
        SOURCES.add(build.__code__.co_filename)
        return build

    return register
