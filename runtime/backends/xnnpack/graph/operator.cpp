#include "runtime/backends/xnnpack/graph/operator.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "runtime/platform/log.h"

namespace et::xnn {

Clamp both(const Clamp& a, const Clamp& b) {
  // The second one wins where they contradict each other.
  return {std::min(std::max(a.min, b.min), b.max), std::max(std::min(a.max, b.max), b.min)};
}

Error node_error(uint32_t node, format::XnnNodeType type, Error error, const char* format, ...) {
  char text[200];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ET_LOG(Error, "XNNPACK node %u (%s): %s", static_cast<unsigned>(node), format::xnn_node_type_name(type), text);
  return error;
}

}  // namespace et::xnn
