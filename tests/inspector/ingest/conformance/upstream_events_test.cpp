// What upstream's Inspector says of every artefact comes out of our import, but for the differences that
// docs/upstream-differences.md lists; each of them is stated here by its number there.
#include <cmath>
#include <map>
#include <set>

#include "tests/inspector/ingest/conformance/conformance.h"

namespace et::inspector::test {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

bool is_framework(const std::string& name) {
  return name == "Method::init" || name == "Method::execute" || name == "Program::load_method";
}

std::vector<int64_t> durations(const Store& store, int64_t op) {
  Statement st = store.query("SELECT duration_ns FROM samples WHERE op_id = ?1 ORDER BY sample");
  st.bind_all(op);
  std::vector<int64_t> out;
  while (st.step()) out.push_back(st.integer(0));
  return out;
}

// Difference 1: upstream keeps the last pass of a loop only.
std::vector<int64_t> last_of_each_run(const Store& store, int64_t op) {
  Statement st = store.query("SELECT run_id, duration_ns FROM samples WHERE op_id = ?1 ORDER BY sample");
  st.bind_all(op);
  std::vector<std::pair<int64_t, int64_t>> runs;
  while (st.step()) {
    if (!runs.empty() && runs.back().first == st.integer(0)) {
      runs.back().second = st.integer(1);
    } else {
      runs.emplace_back(st.integer(0), st.integer(1));
    }
  }
  std::vector<int64_t> out;
  for (const auto& r : runs) out.push_back(r.second);
  return out;
}

std::set<std::string> linked_texts(const Store& store, int64_t op, const char* column) {
  Statement st = store.query(
      std::string("SELECT DISTINCT n.") + column +
      " FROM links l JOIN nodes n ON n.node_id = l.node_id WHERE l.op_id = ?1 AND l.via <> 'inferred' AND n." + column +
      " IS NOT NULL");
  st.bind_all(op);
  std::set<std::string> out;
  while (st.step()) out.insert(st.str(0));
  return out;
}

// {"key": ["path", "type"], …} as the record stores it: "key,path,type;…".
std::string hierarchy_text(element e) {
  simdjson::dom::object levels;
  if (e.get(levels) != simdjson::SUCCESS) return text_or(e, "");
  std::string out;
  for (const auto& [key, level] : levels) {
    if (!out.empty()) out += ';';
    out += std::string(key) + ',' + text_or(level.at(0).value(), "") + ',' + text_or(level.at(1).value(), "");
  }
  return out;
}

std::set<std::string> referenced_texts(element indices, array table) {
  std::set<std::string> out;
  for (const auto& [node, index] : simdjson::dom::object(indices)) {
    uint64_t i = 0;
    if (index.get(i) != simdjson::SUCCESS) continue;
    std::string text = hierarchy_text(table.at(i).value());
    // The artefacts of older releases had their paths shortened, the references not everywhere.
    for (size_t at = 0; (at = text.find("\"/media/venv/", at)) != std::string::npos; ++at) text.erase(at + 1, 6);
    out.insert(std::move(text));
  }
  out.erase("");
  return out;
}

std::string json_texts(element list) {
  std::string out = "[";
  for (const element e : array(list)) out += (out.size() > 1 ? ", \"" : "\"") + text_or(e, "") + "\"";
  return out + "]";
}

std::string json_handles(element handles) {
  int64_t one = 0;
  if (handles.get(one) == simdjson::SUCCESS) return "[" + std::to_string(one) + "]";
  array many;
  if (handles.get(many) != simdjson::SUCCESS) return "";
  std::string out = "[";
  for (const element e : many) out += (out.size() > 1 ? ", " : "") + std::to_string(int64_t(e));
  return out + "]";
}

bool after_partition(const Store& store) {
  Statement st = store.query("SELECT count(*) FROM nodes WHERE graph = 'lowered'");
  return st.step() && st.integer(0) > 0;
}

void compare_op(const Store& store, Statement& op, element expected, array traces, array modules) {
  const int64_t id = op.integer(0);
  const std::string name = text_or(expected["name"], "");
  SCOPED_TRACE(name);
  EXPECT_EQ(op.text(1), name);
  const bool delegated = bool(expected["is_delegated_op"]);
  EXPECT_EQ(op.integer(2) != 0, delegated);
  if (element perf = expected["perf"]; !perf.is_null()) {
    std::vector<int64_t> raw;
    for (const element e : array(perf["raw"])) raw.push_back(std::llround(double(e) * 1e6));
    std::vector<int64_t> mine = durations(store, id);
    if (mine.size() == raw.size()) {
      EXPECT_EQ(mine, raw);
      auto near = [&](int column, const char* key) {
        const double want = double(perf[key]) * 1e6;
        // Difference 2: upstream subtracts scaled absolute times of delegates, which costs it digits.
        EXPECT_NEAR(op.real(column), want, delegated ? 0.01 : 1e-9 * std::fabs(want) + 1e-6) << key;
      };
      near(3, "p10"), near(4, "p50"), near(5, "p90"), near(6, "avg"), near(7, "min"), near(8, "max");
    } else {
      EXPECT_GT(mine.size(), raw.size());
      EXPECT_EQ(last_of_each_run(store, id), raw);
    }
  }
  if (is_framework(name)) {  // difference 3: framework events are not instruction 0
    EXPECT_TRUE(op.is_null(9));
    EXPECT_TRUE(op.is_null(10));
    return;
  }
  EXPECT_EQ(op.integer(9), int64_t(expected["instruction_id"]));
  EXPECT_EQ(op.text(11), text_or(expected["delegate_backend_name"], ""));
  const bool upstream_blind = delegated && expected["debug_handles"].is_null();
  if (upstream_blind) return;  // difference 4: XNNPACK's events are linked here (links_test.cpp)
  EXPECT_EQ(op.text(10), json_handles(expected["debug_handles"]));
  if (name == "DELEGATE_CALL" && after_partition(store)) {
    EXPECT_NE(op.text(12), "[]");
    return;  // difference 20
  }
  EXPECT_EQ(op.text(12), json_texts(expected["op_types"]));
  EXPECT_EQ(linked_texts(store, id, "stack_trace"), referenced_texts(expected["stack_traces"], traces));
  EXPECT_EQ(linked_texts(store, id, "nn_module_stack"), referenced_texts(expected["module_hierarchy"], modules));
}

void compare(const std::string& folder, const std::string& dump, const std::string& reference, bool buffer) {
  Imported in;
  import_case(folder, dump, buffer, &in);
  if (::testing::Test::HasFatalFailure()) return;
  const Reference ref(folder + "/reference/" + reference);
  const array traces = ref.root()["stack_trace_table"], modules = ref.root()["module_hierarchy_table"];
  Statement blocks = in.store.query("SELECT block_id, name FROM blocks ORDER BY ordinal");
  for (const element block : array(ref.root()["event_blocks"])) {
    ASSERT_TRUE(blocks.step()) << "upstream has more blocks";
    EXPECT_EQ(blocks.text(1), text_or(block["name"], ""));
    Statement ops = in.store.query(
        "SELECT op_id, name, is_delegated, p10_ns, p50_ns, p90_ns, mean_ns, min_ns, max_ns, instruction_id, "
        "debug_handles, backend, "
        "op_types FROM ops WHERE block_id = ?1 ORDER BY ordinal");
    ops.bind_all(blocks.integer(0));
    for (const element event : array(block["events"])) {
      ASSERT_TRUE(ops.step()) << "upstream has more events: " << text_or(event["name"], "");
      compare_op(in.store, ops, event, traces, modules);
    }
    EXPECT_FALSE(ops.step()) << "an event that upstream does not have";
  }
  EXPECT_FALSE(blocks.step()) << "a block that upstream does not have";
}

class Profile : public ::testing::TestWithParam<std::string> {};
TEST_P(Profile, SaysWhatUpstreamsInspectorSays) { compare(GetParam(), "etdump.etdp", "inspector.json", false); }
INSTANTIATE_TEST_SUITE_P(Artefacts, Profile, ::testing::ValuesIn(case_folders("reference/inspector.json")), case_name);

class DebugDump : public ::testing::TestWithParam<std::string> {};
TEST_P(DebugDump, SaysWhatUpstreamsInspectorSays) {
  if (!std::filesystem::exists(GetParam() + "/debug.bin")) GTEST_SKIP() << "no debug buffer was kept";
  compare(GetParam(), "debug.etdp", "inspector_debug.json", true);
}
INSTANTIATE_TEST_SUITE_P(Artefacts, DebugDump, ::testing::ValuesIn(case_folders("reference/inspector_debug.json")),
                         case_name);

class Conservation : public ::testing::TestWithParam<std::string> {};
TEST_P(Conservation, EveryNanosecondOfABlockIsAttributed) {
  Imported in;
  import_case(GetParam(), "etdump.etdp", false, &in);
  if (HasFatalFailure()) return;
  Statement st = in.store.query(
      "SELECT b.total_ns, (SELECT sum(o.self_ns) FROM ops o WHERE o.block_id = b.block_id AND o.clock IS NULL), "
      "(SELECT sum(c.ns) FROM "
      "costs c WHERE c.block_id = b.block_id), (SELECT sum(x.duration_ns) FROM executions x WHERE x.block_id = "
      "b.block_id) FROM blocks b");
  while (st.step()) {
    EXPECT_EQ(st.integer(0), st.integer(1));
    EXPECT_NEAR(static_cast<double>(st.integer(0)), st.real(2), 1e-6 * static_cast<double>(st.integer(0)) + 1e-3);
    EXPECT_EQ(st.integer(0), st.integer(3));
  }
  Statement lines =
      in.store.query("SELECT total(ns), (SELECT total(total_ns) FROM blocks WHERE kind = 'execute') FROM lines");
  ASSERT_TRUE(lines.step());
  EXPECT_NEAR(lines.real(0), lines.real(1), 1e-6 * lines.real(1) + 1e-3);
}
INSTANTIATE_TEST_SUITE_P(Artefacts, Conservation, ::testing::ValuesIn(case_folders("etdump.etdp")), case_name);

}  // namespace
}  // namespace et::inspector::test
