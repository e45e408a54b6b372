// operators.def says where each kernel is, and CONTRIBUTING.md how to add one: both are held to it here.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>

#include "runtime/core/evalue.h"
#include "runtime/core/kernel_context.h"
#include "runtime/core/kernel_registry.h"
#include "runtime/core/tensor.h"

namespace et {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(OperatorTables, NameTheFileOfEachKernel) {
  const std::regex heading("// (\\w+\\.cpp)"),
      row("ET_(?:PRIM_)?OPERATOR\\(\"([^\"]+)\", (?:prim_)?(\\w+?)(?:_out)?\\)");
  int rows = 0;
  for (const auto& family : fs::directory_iterator(ET_SOURCE_DIR "/runtime/kernels")) {
    std::ifstream table(family.path() / "operators.def");
    std::string line, file, source;
    while (std::getline(table, line)) {
      std::smatch found;
      if (std::regex_match(line, found, heading)) {
        file = found[1];
        source = text_of(family.path() / file);
        EXPECT_FALSE(source.empty()) << family.path() << ": " << file;
      } else if (std::regex_match(line, found, row)) {
        ++rows;
        // Where a macro makes the function, `op` or `op` without `_scalar` stands in its row.
        std::string function = found[2];
        function = std::regex_replace(function, std::regex("_scalar$"), "");
        EXPECT_TRUE(std::regex_search(source, std::regex("(ET_KERNEL|ET_ROW)\\(" + function + "(_scalar)?(_out)?\\)")))
            << family.path().filename() << "/" << file << " has no " << found[1];
      }
    }
  }
  EXPECT_GT(rows, 200);
}

TEST(OperatorTables, ExampleOfContributingCanBeCalled) {
  const auto kernel = get_kernel("aten::hypot.out");
  ASSERT_TRUE(kernel.ok());
  std::array<int32_t, 1> sizes{2}, strides{1};
  std::array<uint8_t, 1> dim_order{0};
  std::array<float, 2> a{3, 5}, b{4, 12}, sums{};
  TensorImpl first(ScalarType::Float, 1, sizes.data(), a.data(), dim_order.data(), strides.data());
  TensorImpl second(ScalarType::Float, 1, sizes.data(), b.data(), dim_order.data(), strides.data());
  TensorImpl result(ScalarType::Float, 1, sizes.data(), sums.data(), dim_order.data(), strides.data());
  EValue x{Tensor(&first)}, y{Tensor(&second)}, out{Tensor(&result)};
  std::array<EValue*, 4> stack{&x, &y, &out, &out};
  KernelRuntimeContext context(nullptr, nullptr);
  (*kernel)->function(context, Span<EValue*>(stack.data(), stack.size()));
  ASSERT_EQ(context.failure_state(), Error::Ok);
  EXPECT_EQ(sums, (std::array<float, 2>{5, 13}));
}

}  // namespace
}  // namespace et
