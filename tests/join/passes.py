"""Passes as users write them: one that renames nodes, one that changes their order, one that replaces operators."""
import operator

from executorch.exir.dialects._ops import ops as exir_ops
from executorch.exir.pass_base import ExportPass
from torch.fx.passes.infra.pass_base import PassBase, PassResult


class Rename(PassBase):
    def call(self, module):
        for number, node in enumerate(n for n in module.graph.nodes if n.op == "call_function"):
            node._rename(f"step_{number}")
        module.recompile()
        return PassResult(module, True)


class Reorder(PassBase):
    """Nodes as late as their users allow: independent branches change places."""

    def call(self, module):
        for node in reversed(list(module.graph.nodes)):
            users = set(node.users)
            movable = node.op == "call_function" and users and not node.is_impure()
            if not movable or node.target is operator.getitem or any(u.target is operator.getitem for u in users):
                continue
            at = node.next
            while at not in users:
                at = at.next
            at.prepend(node)
        module.graph.lint()
        module.recompile()
        return PassResult(module, True)


class Replace(ExportPass):
    """relu becomes the clamp and neg the multiplication that some devices want."""

    def call_operator(self, op, args, kwargs, meta):
        if op == exir_ops.edge.aten.relu.default:
            return super().call_operator(exir_ops.edge.aten.clamp.default, (args[0], 0.0), {}, meta)
        if op == exir_ops.edge.aten.neg.default:
            return super().call_operator(exir_ops.edge.aten.mul.Scalar, (args[0], -1.0), {}, meta)
        return super().call_operator(op, args, kwargs, meta)
