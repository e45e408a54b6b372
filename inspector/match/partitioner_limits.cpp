#include "inspector/match/partitioner_limits.h"

namespace et::inspector {
namespace {

struct LimitRow {
  std::string_view backend, op, limit;
};
constexpr LimitRow kLimits[] = {
#define ET_PARTITIONER_LIMIT(backend, op, limit) {backend, op, limit},
#include "inspector/match/partitioner_limits.def"
#undef ET_PARTITIONER_LIMIT
};
constexpr std::string_view kRelease = "ExecuTorch 1.5";

}  // namespace

PartitionerLimit partitioner_limit(std::string_view backend, std::string_view op) {
  const size_t dot = op.find('.');  // behind the namespace
  const std::string_view name = dot == std::string_view::npos ? op : op.substr(dot + 1);
  bool known = false;
  for (const LimitRow& row : kLimits) {
    if (row.backend != backend) continue;
    known = true;
    if (row.op == name) return {row.limit.empty() ? Taken::Always : Taken::Within, row.limit, kRelease};
  }
  return {known ? Taken::Never : Taken::Unknown, {}, kRelease};
}

}  // namespace et::inspector
