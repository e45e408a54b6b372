#include "inspector/analysis/size/delegate_weights.h"

#include "inspector/analysis/size/program_size.h"

namespace et::inspector {

std::map<std::pair<std::string, int64_t>, int64_t> delegate_weights(const ProgramSize& size) {
  std::map<std::pair<std::string, int64_t>, int64_t> out;
  for (const SizeEntry& e : size.entries) {
    if (e.delegate >= 0 && e.payload_node >= 0) out[{e.method, e.delegate}] += e.bytes;
  }
  return out;
}

}  // namespace et::inspector
