// From "which node" to "which line". Several nodes of one line may be possible for an op: each is doubtful, the line is
// not. After the weights have chosen among the nodes, a link's confidence says how sure its place in the source is.
#include <algorithm>
#include <map>
#include <string_view>

#include "inspector/ingest/links/linker.h"

namespace et::inspector {

void settle_confidence(Trace& trace, const Block& block, const MethodIndex& index) {
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    if (op.links.size() < 2) continue;
    // The call of a delegate stands for all of its nodes, they do not rule each other out.
    if (op.kind == OpKind::DelegateCall) continue;
    std::map<std::string_view, double> sum;
    for (const Link& l : op.links) {
      const std::string& stack = index.graph->node(l.node).stack_trace;
      if (!stack.empty()) sum[stack] += l.confidence;
    }
    for (Link& l : op.links) {
      const auto it = sum.find(index.graph->node(l.node).stack_trace);
      if (it != sum.end()) l.confidence = std::min(1.0, it->second);
    }
  }
}

}  // namespace et::inspector
