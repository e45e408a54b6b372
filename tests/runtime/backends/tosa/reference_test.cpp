// Every operator against Arm's reference model: tests/fixtures/tosa/cases.bin holds small graphs, their inputs and the
// model's answers (make.py there made them). Integers must be equal, floats close.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include "runtime/backends/tosa/graph.h"

namespace et::tosa {
namespace {

struct Case {
  std::vector<uint8_t> graph, inputs, outputs;
};

/// "<u32 length><bytes>" four times for each case: name, graph, inputs, outputs.
std::map<std::string, Case> read_cases() {
  std::ifstream file(ET_FIXTURES "/tosa/cases.bin", std::ios::binary);
  const std::vector<char> all((std::istreambuf_iterator<char>(file)), {});
  std::map<std::string, Case> cases;
  size_t at = 0;
  const auto next = [&] {
    uint32_t size = 0;
    std::memcpy(&size, all.data() + at, 4);
    at += 4 + size;
    return std::vector<uint8_t>(all.begin() + static_cast<std::ptrdiff_t>(at - size),
                                all.begin() + static_cast<std::ptrdiff_t>(at));
  };
  while (at + 4 <= all.size()) {
    const std::vector<uint8_t> name = next();
    Case& c = cases[std::string(name.begin(), name.end())];
    c.graph = next();
    c.inputs = next();
    c.outputs = next();
  }
  return cases;
}

const std::map<std::string, Case>& cases() {
  static const std::map<std::string, Case> all = read_cases();
  return all;
}

double number(Type type, const uint8_t* at) {
  uint16_t bits = 0;
  std::memcpy(&bits, at, 2);
  if (type == Type::Fp16) return half_bits_to_float(bits);
  if (type == Type::Bf16) return std::bit_cast<float>(uint32_t{bits} << 16);
  float value = 0;
  std::memcpy(&value, at, 4);
  return value;
}

/// Relative to the value, and to what cancels in sums of a few terms.
void expect_close(const Value& v, const uint8_t* got, const uint8_t* wanted) {
  const double epsilon = v.type == Type::Fp32 ? 4e-6 : v.type == Type::Fp16 ? 4e-3 : 3e-2;
  const double sums = v.type == Type::Fp16 ? 8 : 2;  // the model adds products of FP16 in FP16
  for (int64_t i = 0; i < v.count; ++i) {
    const size_t at = static_cast<size_t>(i) * element_size(v.type);
    const double a = number(v.type, got + at), b = number(v.type, wanted + at);
    if (std::isnan(b)) {
      ASSERT_TRUE(std::isnan(a)) << "element " << i;
    } else if (a != b) {  // equal infinities have no difference
      ASSERT_NEAR(a, b, epsilon * (std::fabs(b) + sums)) << "element " << i;
    }
  }
}

class Reference : public testing::TestWithParam<std::string> {};

TEST_P(Reference, Agrees) {
  const Case& c = cases().at(GetParam());
  const std::vector<uint64_t> aligned((c.graph.size() + 7) / 8);
  std::memcpy(const_cast<uint64_t*>(aligned.data()), c.graph.data(), c.graph.size());
  std::unique_ptr<Graph> graph;
  std::string error;
  ASSERT_EQ(Graph::load({reinterpret_cast<const uint8_t*>(aligned.data()), c.graph.size()}, Limits(), &graph, &error),
            Error::Ok)
      << error;
  Block& main = graph->main();
  std::vector<std::vector<uint64_t>> memory;  // aligned for every type
  std::vector<const uint8_t*> in;
  std::vector<uint8_t*> out;
  size_t at = 0;
  for (size_t i = 0; i < main.inputs.size(); ++i) {
    const size_t bytes = main.input(i).bytes();
    ASSERT_LE(at + bytes, c.inputs.size());
    memory.emplace_back(bytes / 8 + 1);
    std::memcpy(memory.back().data(), c.inputs.data() + at, bytes);
    in.push_back(reinterpret_cast<const uint8_t*>(memory.back().data()));
    at += bytes;
  }
  ASSERT_EQ(at, c.inputs.size());
  for (size_t i = 0; i < main.outputs.size(); ++i) {
    memory.emplace_back(main.output(i).bytes() / 8 + 1);
    out.push_back(reinterpret_cast<uint8_t*>(memory.back().data()));
  }
  for (int turn = 0; turn < 2; ++turn) {  // a second execution finds nothing of the first
    tosa::Run run(nullptr, graph->limits());
    ASSERT_TRUE(run.block(main, in, out)) << run.error();
    at = 0;
    for (size_t i = 0; i < main.outputs.size(); ++i) {
      const Value& v = main.output(i);
      ASSERT_LE(at + v.bytes(), c.outputs.size());
      const uint8_t* wanted = c.outputs.data() + at;
      if (is_float(v.type)) {
        expect_close(v, out[i], wanted);
      } else {
        for (size_t b = 0; b < v.bytes(); ++b) {
          ASSERT_EQ(out[i][b], wanted[b]) << "output " << i << ", element " << b / element_size(v.type);
        }
      }
      at += v.bytes();
    }
    ASSERT_EQ(at, c.outputs.size());
  }
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const auto& [name, c] : cases()) list.push_back(name);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Cases, Reference, testing::ValuesIn(names()), [](const auto& c) { return c.param; });

// Operators without a case are those whose answers the model does not give here.
TEST(ReferenceCases, AreThere) { EXPECT_GT(cases().size(), 350u); }

}  // namespace
}  // namespace et::tosa
