// The demonstration backends of ExecuTorch. Each is one object for the process.
#pragma once

#include "runtime/backends/backend.h"

namespace et::demo {

/// BackendWithCompilerDemo: a text that lists operators with their debug handles. The text does not say which value an
/// operator reads, so the operators form a chain: the first one takes the call's first inputs, each further one the
/// result before it and, if it takes two, the next input. Knows float mm, add and sin.
/// Every error names the operator and its debug handle.
const BackendInterface& compiler_demo();
/// ExecutorBackend: a whole program, whose method "forward" is the delegate. Its events appear inside the delegate
/// call.
const BackendInterface& executor_demo();
/// BackendWithDelegateMappingDemo: names without operands; it can be inspected, never run, and says so.
const BackendInterface& mapping_demo();

}  // namespace et::demo
