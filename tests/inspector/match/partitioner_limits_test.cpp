// What is known of partitioners: rows are in order, and nothing is claimed of backends that are not in the table.
#include "inspector/match/partitioner_limits.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace et::inspector {
namespace {

TEST(PartitionerLimits, NeverAlwaysWithinUnknown) {
  EXPECT_EQ(partitioner_limit("XnnpackBackend", "aten.native_layer_norm.default").taken, Taken::Never);
  EXPECT_EQ(partitioner_limit("XnnpackBackend", "aten.where.self").taken, Taken::Never);
  EXPECT_EQ(partitioner_limit("XnnpackBackend", "aten.mul.Tensor").taken, Taken::Always);
  const PartitionerLimit softmax = partitioner_limit("XnnpackBackend", "aten._softmax.default");
  EXPECT_EQ(softmax.taken, Taken::Within);
  EXPECT_EQ(softmax.limit, "over the last dimension");
  EXPECT_EQ(partitioner_limit("XnnpackBackend", "dim_order_ops._to_dim_order_copy.default").taken, Taken::Within);
  EXPECT_EQ(partitioner_limit("VulkanBackend", "aten.mul.Tensor").taken, Taken::Unknown);
  EXPECT_EQ(partitioner_limit("", "").taken, Taken::Unknown);
}

TEST(PartitionerLimits, RowsAreSortedAndOnce) {
  std::vector<std::string_view> ops;
#define ET_PARTITIONER_LIMIT(backend, op, limit) ops.push_back(op);
#include "inspector/match/partitioner_limits.def"
#undef ET_PARTITIONER_LIMIT
  for (size_t i = 1; i < ops.size(); ++i) EXPECT_LT(ops[i - 1], ops[i]);
}

}  // namespace
}  // namespace et::inspector
