// What a trace cost on a basis, as rows for Python: ops, lines and modules, as the commands count them.
#pragma once

#include <string>

#include "inspector/analysis/ops/basis.h"
#include "python/src/bindings.h"
#include "python/src/trace_session.h"

namespace et::python {

/// "" is the warm median. Raises ArgumentError, naming those there are.
inspector::Basis basis_or_warm(const std::string& text);

/// {"basis", "text", "unit", "total", "ops": [(op_id, parent_id or None, cost, share or None, samples)…]}: of
/// executions, those of a method merged. Without executions `total` is 0 and there are no ops.
nb::dict op_costs(TraceSession& session, const inspector::Basis& basis);
/// {file, line, function, code, ops, ns, inclusive_ns, share, frame}, the costliest first. What leads to no line, and
/// the variation, have file None and a code in brackets.
nb::list line_costs(TraceSession& session, const inspector::Basis& basis);
/// {module, type, self_ns, total_ns, share, ops, samples}, the costliest first; None as above, the type in brackets.
nb::list module_costs(TraceSession& session, const inspector::Basis& basis);

}  // namespace et::python
