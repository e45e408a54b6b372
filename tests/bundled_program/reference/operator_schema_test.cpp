#include "bundled_program/reference/operator_schema.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "runtime/core/kernel_registry.h"

namespace et::reference {
namespace {

TEST(OperatorSchema, ArgumentsHaveTypesAndDefaults) {
  const OperatorSchema* add = find_schema("aten.add.Tensor");
  ASSERT_NE(add, nullptr);
  EXPECT_EQ(add->kernel, "aten::add.out");
  ASSERT_EQ(add->arguments.size(), 3u);
  EXPECT_EQ(add->arguments[2].name, "alpha");
  EXPECT_EQ(add->arguments[2].type, ArgumentType::Scalar);
  EXPECT_EQ(add->arguments[2].default_text, "1");

  const OperatorSchema* index = find_schema("aten.index.Tensor");
  ASSERT_NE(index, nullptr);
  EXPECT_TRUE(index->arguments[1].list);
  EXPECT_TRUE(index->arguments[1].item_optional);
  EXPECT_FALSE(index->arguments[1].optional);

  const OperatorSchema* max = find_schema("aten.max.dim");
  ASSERT_NE(max, nullptr);
  EXPECT_EQ(max->kernel, "aten::max.dim_max");
  EXPECT_EQ(max->results, 2u);

  const OperatorSchema* split = find_schema("aten.split_with_sizes_copy.default");
  ASSERT_NE(split, nullptr);
  EXPECT_TRUE(split->list_result);

  const OperatorSchema* cache = find_schema("llama.update_cache.default");
  ASSERT_NE(cache, nullptr);
  EXPECT_TRUE(cache->arguments[1].written);
}

TEST(OperatorSchema, ViewsAndNumbersFindTheirForms) {
  ASSERT_NE(find_schema("aten.permute.default"), nullptr);
  EXPECT_EQ(find_schema("aten.permute.default")->kernel, "aten::permute_copy.out");
  ASSERT_NE(find_scalar_overload("aten.add.Tensor"), nullptr);
  EXPECT_EQ(find_scalar_overload("aten.add.Tensor")->kernel, "aten::add.Scalar_out");
  EXPECT_EQ(find_schema("aten.no_such_operator.default"), nullptr);
  EXPECT_EQ(find_schema(""), nullptr);
}

// The table names kernels that are there, and leaves out only those that no functional operator becomes.
TEST(OperatorSchema, EveryKernelHasARow) {
  std::set<std::string> rows;
  for (const char* op : {
#define ET_SCHEMA(op, kernel, arguments, results) op,
#include "bundled_program/reference/schemas.def"
#undef ET_SCHEMA
       }) {
    const OperatorSchema* schema = find_schema(op);
    ASSERT_NE(schema, nullptr) << op;
    EXPECT_TRUE(has_kernel(schema->kernel)) << schema->kernel;
    EXPECT_GE(schema->results, 1u) << op;
    rows.insert(std::string(schema->kernel));
  }
  const std::set<std::string> without = {"aten::allclose.out", "aten::copy_", "aten::index_put_"};
  for (const KernelTable* table = KernelTable::first(); table != nullptr; table = table->next()) {
    for (const Kernel& kernel : table->rows()) {
      if (kernel.kind == KernelKind::Prim || without.contains(kernel.name)) continue;
      EXPECT_TRUE(rows.contains(kernel.name)) << kernel.name << ": run scripts/make_operator_schemas.py";
    }
  }
}

}  // namespace
}  // namespace et::reference
