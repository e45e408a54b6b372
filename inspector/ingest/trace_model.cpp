#include "inspector/ingest/trace_model.h"

namespace et::inspector {

const char* op_kind_name(OpKind kind) {
  switch (kind) {
    case OpKind::Framework:
      return "framework";
    case OpKind::OperatorCall:
      return "operator_call";
    case OpKind::Kernel:
      return "kernel";
    case OpKind::DelegateCall:
      return "delegate_call";
    case OpKind::DelegateOp:
      return "delegate_op";
    case OpKind::Control:
      return "control";
    case OpKind::Backend:
      return "backend";
    case OpKind::Value:
      return "value";
  }
  return "kernel";
}

const char* via_name(Via via) {
  switch (via) {
    case Via::Instruction:
      return "instruction";
    case Via::DelegateMap:
      return "delegate_map";
    case Via::PayloadNode:
      return "payload_node";
    case Via::Dataflow:
      return "dataflow";
    case Via::Inferred:
      return "inferred";
  }
  return "inferred";
}

}  // namespace et::inspector
