// Exports, graph and source reports of real traces.
#include <simdjson.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "inspector/analysis/ops/op_table.h"
#include "inspector/analysis/ops/stack_profile.h"
#include "inspector/ingest/ingest.h"
#include "inspector/report/exporters.h"
#include "inspector/report/graph_report.h"
#include "inspector/report/source_report.h"
#include "tests/inspector/export/export_store.h"

namespace et::inspector {

Status export_names(const Store& store, int64_t trace_id, const ExportOptions&, std::ostream& out);

namespace {

namespace fs = std::filesystem;

fs::path fixtures() { return fs::path(ET_FIXTURES) / "artifacts"; }

fs::path shared_artifacts() {
  if (const char* given = std::getenv("ET_SHARED_ARTIFACTS")) return given;
  return fs::path(ET_SOURCE_DIR) / ".." / "shared" / "artifacts";
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// An imported trace; `with_program` = with the .pte.
Store import(const fs::path& folder, bool with_program = true) {
  Store store;
  EXPECT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs inputs;
  inputs.dump = (folder / "etdump.etdp").string();
  if (fs::exists(folder / "etrecord.bin")) inputs.record = (folder / "etrecord.bin").string();
  if (with_program && fs::exists(folder / "program.pte")) inputs.program = (folder / "program.pte").string();
  IngestResult result;
  const Status s = ingest(store, inputs, {}, &result);
  EXPECT_TRUE(s.ok()) << s.message();
  return store;
}

std::vector<fs::path> cases(const fs::path& root) {
  std::vector<fs::path> out;
  if (!fs::exists(root)) return out;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (fs::exists(entry.path() / "etdump.etdp")) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

int64_t number(const Store& store, const char* sql) {
  Statement st = store.query(sql);
  return st.step() ? st.integer(0) : -1;
}

std::string exported(const char* format, const Store& store) {
  std::ostringstream out;
  const Status s = find_exporter(format)->write(store, 1, {}, out);
  EXPECT_TRUE(s.ok()) << s.message();
  return out.str();
}

void check_chrome(const Store& store) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  const std::string text = exported("chrome", store);
  ASSERT_EQ(parser.parse(text).get(root), simdjson::SUCCESS);
  int64_t events = 0;
  std::map<std::pair<int64_t, int64_t>, std::vector<std::pair<int64_t, int64_t>>> lanes;
  auto ns = [](simdjson::dom::element e) { return static_cast<int64_t>(std::llround(double(e) * 1000)); };
  for (simdjson::dom::element e : simdjson::dom::array(root["traceEvents"])) {
    if (std::string_view(e["ph"]) != "X") continue;
    ++events;
    auto& open = lanes[{int64_t(e["pid"]), int64_t(e["tid"])}];
    const int64_t start = ns(e["ts"]), end = start + ns(e["dur"]);
    while (!open.empty() && open.back().second <= start) open.pop_back();
    if (!open.empty()) {
      EXPECT_LE(end, open.back().second);
    }
    open.emplace_back(start, end);
  }
  EXPECT_EQ(events, number(store, "SELECT count(*) FROM samples"));
}

void check_folded(const Store& store) {
  std::istringstream lines(exported("folded", store));
  int64_t sum = 0;
  for (std::string line; std::getline(lines, line);) sum += std::stoll(line.substr(line.rfind(' ') + 1));
  EXPECT_EQ(sum, number(store, "SELECT sum(total_ns) FROM blocks"));
}

void check_stacks(const Store& store) {
  OpTable warm;
  ASSERT_TRUE(load_shown_ops(store, 1, {.basis = {BasisKind::WarmMedian}}, &warm).ok());
  double median = 0;
  for (const OpBlock& b : warm.blocks) median += b.kind == "execute" ? b.cost : 0;
  for (const StackKind kind : {StackKind::Python, StackKind::Ops}) {
    StackProfile profile;
    const Status s = stack_profile(store, 1, kind, {}, &profile);
    ASSERT_TRUE(s.ok()) << s.message();
    int64_t total = 0, of_warm = 0;
    for (const ProfileStack& stack : profile.stacks) {
      EXPECT_GE(stack.total, 0);
      EXPECT_GE(stack.warm, 0);
      EXPECT_FALSE(stack.frames.empty());
      total += stack.total;
      of_warm += stack.warm;
    }
    const int64_t executions = number(store, "SELECT coalesce(sum(total_ns), 0) FROM blocks WHERE kind = 'execute'");
    if (executions == 0) continue;
    EXPECT_NEAR(static_cast<double>(total), static_cast<double>(executions), 1);
    EXPECT_NEAR(static_cast<double>(of_warm), median, 1 + 1e-9 * median);
  }
}

void check_source(const Store& store) {
  std::string text;
  const Status s = write_source(store, 1, {.format = "json"}, &text);
  ASSERT_TRUE(s.ok()) << s.message();
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  ASSERT_EQ(parser.parse(text).get(root), simdjson::SUCCESS) << text;
  double sum = 0;
  for (simdjson::dom::element row : simdjson::dom::array(root["source"])) sum += double(row["time_ns"]);
  const double total =
      static_cast<double>(number(store, "SELECT coalesce(sum(total_ns), 0) FROM blocks WHERE kind = 'execute'"));
  EXPECT_NEAR(sum, total, 1e-6 * total + 1);
}

class RealTraces : public testing::TestWithParam<fs::path> {};

TEST_P(RealTraces, ExportsHoldEverySampleAndEveryNanosecond) {
  const Store store = import(GetParam());
  check_chrome(store);
  check_folded(store);
  check_stacks(store);
  check_source(store);
  for (const Exporter& e : exporters()) EXPECT_FALSE(exported(e.name, store).empty()) << e.name;
  if (number(store, "SELECT count(*) FROM nodes WHERE graph = 'edge'") > 0) {
    for (const char* format : {"text", "dot"}) {
      std::ostringstream out;
      const Status s = write_graph(store, 1, {.format = format}, out);
      EXPECT_TRUE(s.ok()) << s.message();
    }
  }
}

std::string case_name(const testing::TestParamInfo<fs::path>& info) { return info.param.filename().string(); }
INSTANTIATE_TEST_SUITE_P(Fixtures, RealTraces, testing::ValuesIn(cases(fixtures())), case_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RealTraces);

TEST(SharedTraces, ExportsHoldEverySampleAndEveryNanosecond) {
  const auto all = cases(shared_artifacts());
  if (all.empty()) GTEST_SKIP() << "no shared artefacts";
  for (const fs::path& folder : all) {
    if (fs::exists(fixtures() / folder.filename() / "etdump.etdp")) continue;
    SCOPED_TRACE(folder.filename().string());
    const Store store = import(folder);
    check_chrome(store);
    check_folded(store);
    check_stacks(store);
    check_source(store);
  }
}

std::string graph_text(const Store& store, const std::string& method) {
  std::ostringstream out;
  const Status s = write_graph(store, 1, {.method = method}, out);
  EXPECT_TRUE(s.ok()) << s.message();
  return out.str();
}

struct GraphCase {
  const char* name;
  const char* method;
};

class UpstreamGraphs : public testing::TestWithParam<GraphCase> {};

TEST_P(UpstreamGraphs, PrintTheSame) {
  const Store store = import(fixtures() / GetParam().name);
  const std::string file = std::string(GetParam().name) + "." + GetParam().method + ".txt";
  EXPECT_EQ(graph_text(store, GetParam().method), text_of(fs::path(ET_FIXTURES) / "graph" / file));
}

INSTANTIATE_TEST_SUITE_P(, UpstreamGraphs,
                         testing::Values(GraphCase{"add_mul", "forward"}, GraphCase{"partial_delegation", "forward"},
                                         GraphCase{"multi_method", "decode"}, GraphCase{"multi_method", "encode"},
                                         GraphCase{"multi_method", "forward"}, GraphCase{"many_outputs", "forward"},
                                         GraphCase{"mutable_buffer", "forward"},
                                         GraphCase{"quantised_portable", "forward"}),
                         [](const auto& x) { return std::string(x.param.name) + "_" + x.param.method; });

/// Operators inside of each lowered module.
std::multiset<std::set<std::string>> delegated_nodes(const std::string& text) {
  std::multiset<std::set<std::string>> out;
  std::optional<std::set<std::string>> part;
  const std::regex module(" *%(lowered_module_[0-9]+) : .*get_attr.*"),
      inner("      %([A-Za-z0-9_]+) : .*= call_function.*");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch m;
    if (std::regex_match(line, m, module)) part.emplace();
    if (part && std::regex_match(line, m, inner)) part->insert(m[1]);
    if (part && line.find("executorch_call_delegate") != std::string::npos) {
      out.insert(*part);
      part.reset();
    }
  }
  return out;
}

// All nodes of the unrolled LSTM but two have the same debug handle.
TEST(UpstreamDelegates, AnLstmGoesIntoTheSameDelegatesWithAndWithoutTheProgram) {
  const std::string upstream = text_of(fs::path(ET_FIXTURES) / "graph" / "lstm_xnnpack.forward.txt");
  ASSERT_EQ(delegated_nodes(upstream).size(), 6u);
  for (const bool with_program : {true, false}) {
    const Store store = import(fixtures() / "lstm_xnnpack", with_program);
    EXPECT_EQ(delegated_nodes(graph_text(store, "forward")), delegated_nodes(upstream))
        << (with_program ? "with" : "without") << " program";
  }
}

TEST(Example, OfTheGuideExports) {
  ExportStore x;
  fill_usual(&x);
  std::ostringstream out;
  ASSERT_TRUE(export_names(x.store, 1, {}, out).ok());
  EXPECT_NE(out.str().find("[0] aten.add.Tensor\n"), std::string::npos) << out.str();
}

}  // namespace
}  // namespace et::inspector
