"""Inspector with the interface of executorch.devtools.Inspector. ExecuTorch and torch are imported for what needs them:
an ETRecord, exported programs, numeric gaps."""

from __future__ import annotations

import functools
import logging
import os
import sys
import warnings
from typing import IO, Any, Callable, Dict, List, Mapping, Optional

from .. import _core
from ..optional import need
from .block import EventBlock
from .event import Event
from .time_scale import TimeScale

log = logging.getLogger(__name__)

FORWARD = "forward"
EDGE_DIALECT_GRAPH_KEY = "edge_dialect_graph_module"
_HIDDEN_COLUMNS = ["raw", "delegate_debug_identifier", "stack_traces", "module_hierarchy", "debug_data"]
_HIDDEN_EVENTS = ("OPERATOR_CALL",)


class Inspector:
    """Structured data of an ETDump, joined with its ETRecord where one is given; see ``event_blocks``."""

    def __init__(
        self,
        etdump_path: Optional[str] = None,
        etdump_data: Optional[bytes] = None,
        etrecord: Any = None,
        source_time_scale: Any = TimeScale.NS,
        target_time_scale: Any = TimeScale.MS,
        debug_buffer_path: Optional[str] = None,
        delegate_metadata_parser: Optional[Callable[[List[str]], Dict[str, Any]]] = None,
        delegate_time_scale_converter: Optional[Callable[..., Any]] = None,
        enable_module_hierarchy: bool = False,
        reference_graph_name: str = EDGE_DIALECT_GRAPH_KEY,
    ) -> None:
        if (source_time_scale.value == "cycles") ^ (target_time_scale.value == "cycles"):
            raise RuntimeError("For TimeScale in cycles both the source and target time scale have to be in cycles.")
        self._source_time_scale = source_time_scale
        self._target_time_scale = target_time_scale
        self._etrecord = _etrecord(etrecord)
        if (etdump_path is None) == (etdump_data is None):
            raise ValueError("Expecting exactly one of etdump_path or etdump_data to be specified.")
        buffer: Optional[bytes] = None
        if debug_buffer_path is not None:
            with open(debug_buffer_path, "rb") as file:
                buffer = file.read()
        else:
            warnings.warn("Output Buffer not found. Tensor Debug Data will not be available.", stacklevel=1)
        self.event_blocks: List[EventBlock] = EventBlock._gen_from_etdump(
            etdump=gen_etdump_object(etdump_path=etdump_path, etdump_data=etdump_data),
            source_time_scale=source_time_scale,
            target_time_scale=target_time_scale,
            output_buffer=buffer,
            delegate_metadata_parser=delegate_metadata_parser,
            delegate_time_scale_converter=delegate_time_scale_converter,
        )
        self.op_graph_dict: Optional[Mapping[str, Any]] = None
        self._reference_outputs: Dict[str, List[Any]] = {}
        self._enable_module_hierarchy = enable_module_hierarchy
        self._consume_etrecord(reference_graph_name)

    def _consume_etrecord(self, reference_graph_name: str) -> None:
        """Handles, then the nodes that they lead to, then the reference outputs."""
        record = self._etrecord
        if record is None:
            return
        for block in self.event_blocks:
            block._gen_resolve_debug_handles(
                record._debug_handle_map[FORWARD],
                record._delegate_map[FORWARD] if record._delegate_map is not None else None,
                record._instruction_id_to_num_outs_map[FORWARD],
            )
        graphs = gen_graphs_from_etrecord(etrecord=record, enable_module_hierarchy=self._enable_module_hierarchy)
        self.op_graph_dict = graphs
        nodes = create_debug_handle_to_op_node_mapping(graphs[reference_graph_name])
        for block in self.event_blocks:
            for event in block.events:
                event._associate_with_op_graph_nodes(nodes)
        if record._reference_outputs is not None:
            self._reference_outputs = record._reference_outputs
            for block in self.event_blocks:
                if block.bundled_input_index is not None:
                    block.reference_output = self._reference_outputs[FORWARD][block.bundled_input_index]

    # --- tables -------------------------------------------------------------------------------------------------------

    def to_dataframe(self, include_units: bool = True, include_delegate_debug_data: bool = False) -> Any:
        """A row for each event of each block."""
        pandas = need("pandas", "the table of events")
        frames = [b.to_dataframe(include_units, include_delegate_debug_data) for b in self.event_blocks]
        return pandas.concat(frames, ignore_index=True)

    def _prepare_dataframe(self, include_units: bool = True, include_delegate_debug_data: bool = False) -> Any:
        frame = self.to_dataframe(include_units, include_delegate_debug_data).drop(columns=_HIDDEN_COLUMNS)
        for name in _HIDDEN_EVENTS:
            frame = frame[~frame["event_name"].str.contains(name)]
        return frame.reset_index(drop=True)

    def print_data_tabular(
        self, file: IO[str] = sys.stdout, include_units: bool = True, include_delegate_debug_data: bool = False
    ) -> None:
        """The events as a table: in a notebook displayed, else printed to ``file``."""
        frame = self._prepare_dataframe(include_units, include_delegate_debug_data)
        if "IPython" in sys.modules:
            from IPython import get_ipython
            from IPython.display import display

            if get_ipython() is not None:
                display(frame)
                return
        try:
            from tabulate import tabulate
        except ImportError:
            print(frame.to_string(), file=file)
        else:
            print(tabulate(frame, headers="keys", tablefmt="fancy_grid"), file=file)

    def save_data_to_tsv(
        self, file: IO[str], include_units: bool = True, include_delegate_debug_data: bool = False
    ) -> None:
        """The events as tab-separated values, for spreadsheets."""
        self._prepare_dataframe(include_units, include_delegate_debug_data).to_csv(file, sep="\t")

    def find_total_for_module(self, module_name: str) -> float:
        """Sum of the average times of the operators in modules whose name contains ``module_name``."""
        total = 0.0
        for block in self.event_blocks:
            for event in block.events:
                if event.name == "OPERATOR_CALL":
                    continue
                for hierarchy in event.module_hierarchy.values():
                    if hierarchy and any(module_name in key for key in hierarchy):
                        if event.perf_data is not None:
                            total += event.perf_data.avg
                        break
        return total

    def get_op_list(self, event_block: str, show_delegated_ops: Optional[bool] = True) -> Dict[str, List[Event]]:
        """Operator types of a block and their events."""
        out: Dict[str, List[Event]] = {}
        for block in self.event_blocks:
            if block.name != event_block:
                continue
            for event in block.events:
                if event.is_delegated_op and not show_delegated_ops:
                    continue
                for kind in dict.fromkeys(event.op_types):
                    out.setdefault(kind, []).append(event)
        return out

    def write_tensorboard_artifact(self, path: str) -> None:
        """As in ExecuTorch: nothing is written."""

    # --- what needs ExecuTorch ----------------------------------------------------------------------------------------

    def get_exported_program(self, graph: Optional[str] = None) -> Any:
        """A graph of the ETRecord; without a name the one of the edge dialect."""
        if self._etrecord is None:
            log.warning(
                "Exported program is only available when a valid etrecord_path was provided at the time of Inspector construction"
            )
            return None
        return self._etrecord.edge_dialect_program if graph is None else self._etrecord.graph_map.get(graph)

    def calculate_numeric_gap(
        self, distance: Any, disable_debug_handle_valdiation: bool = False, reference_graph: Optional[str] = None
    ) -> Any:
        """Intermediate outputs of the exported graph against those that were logged: a row for each pair."""
        return _upstream_class().calculate_numeric_gap(self, distance, disable_debug_handle_valdiation, reference_graph)

    def get_vgf_neural_statistics(self) -> List[Dict[str, Any]]:
        """Records of the VGF backend's accelerator, out of the delegate's metadata."""
        return _upstream_class().get_vgf_neural_statistics(self)

    def __getattr__(self, name: str) -> Any:
        # Helpers of upstream's class that its own methods call: they work on event_blocks and the ETRecord alone.
        if name.startswith("_") and not name.startswith("__") and "executorch.devtools.inspector" in sys.modules:
            function = _upstream_class().__dict__.get(name)
            if callable(function):
                return function.__get__(self)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


# Named and called as in executorch.devtools.inspector._inspector, so that what replaces them there can do it here.


def gen_etdump_object(etdump_path: Any = None, etdump_data: Optional[bytes] = None) -> Any:
    """The dump's events, grouped."""
    dump: Any = os.fspath(etdump_path) if etdump_path is not None else bytes(etdump_data or b"")
    groups, lost, first_loss = _core.group_events(dump)
    if lost:
        warnings.warn(f"{lost} tables of the ETDump could not be read, the first one: {first_loss}", stacklevel=4)
    return groups


def parse_etrecord(etrecord_path: str) -> Any:
    from executorch.devtools import etrecord

    return etrecord.parse_etrecord(etrecord_path=etrecord_path)


def gen_graphs_from_etrecord(etrecord: Any, enable_module_hierarchy: bool = False) -> Any:
    from executorch.devtools.inspector import _inspector_utils as utils

    return utils.gen_graphs_from_etrecord(etrecord=etrecord, enable_module_hierarchy=enable_module_hierarchy)


def create_debug_handle_to_op_node_mapping(op_graph: Any) -> Any:
    from executorch.devtools.inspector import _inspector_utils as utils

    return utils.create_debug_handle_to_op_node_mapping(op_graph)


def _etrecord(given: Any) -> Any:
    if given is None:
        return None
    if isinstance(given, str):
        return parse_etrecord(etrecord_path=given)
    module = sys.modules.get("executorch.devtools.etrecord")
    if module is not None and isinstance(given, module.ETRecord):
        return given
    raise TypeError("Unsupported ETRecord type")


@functools.lru_cache(maxsize=None)
def _upstream_class() -> Any:
    from executorch.devtools.inspector._inspector import Inspector as upstream

    return upstream
