// Logged tensors: what upstream's Inspector decodes from debug dump and buffer comes out equal.
#include <cmath>

#include "tests/inspector/ingest/conformance/conformance.h"

namespace et::inspector::test {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

double number(element e) {
  double d = 0;
  if (e.get(d) == simdjson::SUCCESS) return d;
  bool b = false;
  if (e.get(b) == simdjson::SUCCESS) return b ? 1 : 0;
  const std::string text = text_or(e, "");
  return text == "NaN" ? NAN : text == "Infinity" ? INFINITY : text == "-Infinity" ? -INFINITY : NAN;
}

void expect_near(double mine, double want) {
  if (std::isnan(want)) return;  // ours skips NaN and counts them
  if (std::isinf(want)) {
    EXPECT_EQ(mine, want);
    return;
  }
  EXPECT_NEAR(mine, want, 1e-6 * std::fabs(want) + 1e-6);
}

// Difference 5: upstream ignores strides, so a channels-last tensor comes out of it scrambled (its sum does not
// change).
bool row_major(const std::string& shape, const std::string& strides) {
  auto numbers = [](const std::string& text) {
    std::vector<int64_t> out;
    for (size_t at = 1; at < text.size();) {
      out.push_back(std::atoll(text.c_str() + at));
      at = text.find(',', at);
      if (at == std::string::npos) break;
      ++at;
    }
    return out;
  };
  const auto sizes = numbers(shape), steps = numbers(strides);
  int64_t expected = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] != 1 && d < steps.size() && steps[d] != expected) return false;
    expected *= std::max<int64_t>(sizes[d], 1);
  }
  return true;
}

void compare_tensor(Statement& value, element want) {
  ASSERT_TRUE(value.step()) << "upstream has more values";
  simdjson::dom::object object;
  if (want.get(object) != simdjson::SUCCESS || object["dtype"].error() != simdjson::SUCCESS) {
    if (!value.is_null(5)) expect_near(value.real(5), number(want));
    return;
  }
  EXPECT_EQ(value.text(0), text_or(want["dtype"], ""));
  std::string sizes = "[";
  for (const element e : array(want["sizes"])) sizes += (sizes.size() > 1 ? ", " : "") + std::to_string(int64_t(e));
  EXPECT_EQ(value.text(1), sizes + "]");
  EXPECT_TRUE(value.is_null(6)) << value.text(6);
  if (element sum; want["sum"].get(sum) == simdjson::SUCCESS) {  // bool tensors have none there
    expect_near(value.real(3), number(sum));
    expect_near(value.real(4), number(want["sum_abs"]));
  }
  if (!row_major(value.str(1), value.str(2))) return;
  simdjson::dom::parser parser;
  const std::string first = value.str(7);
  const array mine = parser.parse(first).value();
  if (want["first"].error() != simdjson::SUCCESS) return;  // an empty tensor
  const array theirs = want["first"];
  ASSERT_EQ(mine.size(), theirs.size());
  for (size_t i = 0; i < mine.size(); ++i) expect_near(number(mine.at(i).value()), number(theirs.at(i).value()));
}

constexpr const char* kColumns = "dtype, shape, strides, sum, abs_sum, scalar, problem, first_values";

class Values : public ::testing::TestWithParam<std::string> {};
TEST_P(Values, LoggedTensorsReadAsUpstreamReadsThem) {
  if (!std::filesystem::exists(GetParam() + "/debug.bin")) GTEST_SKIP() << "no debug buffer was kept";
  Imported in;
  import_case(GetParam(), "debug.etdp", true, &in);
  if (HasFatalFailure()) return;
  const Reference ref(GetParam() + "/reference/inspector_debug.json");
  Statement blocks = in.store.query(
      "SELECT block_id, (SELECT min(run_id) FROM executions x WHERE x.block_id = b.block_id) FROM blocks b ORDER BY "
      "ordinal");
  for (const element block : array(ref.root()["event_blocks"])) {
    ASSERT_TRUE(blocks.step());
    Statement outputs = in.store.query(std::string("SELECT ") + kColumns +
                                       " FROM debug_values WHERE run_id = ?1 AND op_id IS NULL ORDER BY value_id");
    outputs.bind_all(blocks.integer(1));
    for (const element want : array(block["run_output"])) {
      array list;
      if (want.get(list) == simdjson::SUCCESS) {
        for (const element item : list) compare_tensor(outputs, item);
      } else {
        compare_tensor(outputs, want);
      }
    }
    Statement ops = in.store.query("SELECT op_id FROM ops WHERE block_id = ?1 ORDER BY ordinal");
    ops.bind_all(blocks.integer(0));
    for (const element event : array(block["events"])) {
      ASSERT_TRUE(ops.step());
      SCOPED_TRACE(text_or(event["name"], ""));
      if (text_or(event["name"], "") == "OPERATOR_CALL") continue;  // shares the values of its kernel
      Statement values = in.store.query(std::string("SELECT ") + kColumns +
                                        " FROM debug_values WHERE op_id = ?1 AND run_id = ?2 ORDER BY value_id");
      values.bind_all(ops.integer(0), blocks.integer(1));
      for (const element want : array(event["debug_data"])) {
        array list;
        if (want.get(list) == simdjson::SUCCESS) {
          for (const element item : list) compare_tensor(values, item);
        } else {
          compare_tensor(values, want);
        }
        if (HasFatalFailure()) return;
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Artefacts, Values, ::testing::ValuesIn(case_folders("reference/inspector_debug.json")),
                         case_name);

}  // namespace
}  // namespace et::inspector::test
