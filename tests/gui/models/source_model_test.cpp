// Source: colours, texts and their costs, ops of lines, ways from hot line to hot line.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "gui/models/frame_text.h"
#include "gui/models/source_model.h"
#include "inspector/text/format.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

/// "keyword(def) name(f)" of all that is not plain.
std::string colours(const std::vector<std::string>& lines, size_t line, const std::vector<bool>& gaps = {}) {
  static constexpr const char* kNames[] = {"plain",  "keyword", "builtin", "name",
                                           "string", "number",  "comment", "decorator"};
  std::string out;
  uint32_t end = 0;
  const std::vector<std::vector<PythonSpan>> spans = python_tokens(lines, gaps);
  for (const PythonSpan& span : spans[line]) {
    EXPECT_EQ(span.begin, end);
    EXPECT_LT(span.begin, span.end);
    end = span.end;
    if (span.token == PythonToken::Plain) continue;
    out += (out.empty() ? "" : " ") + std::string(kNames[static_cast<size_t>(span.token)]) + "(" +
           lines[line].substr(span.begin, span.end - span.begin) + ")";
  }
  EXPECT_EQ(end, lines[line].size());
  return out;
}

TEST(PythonTokens, Colours) {
  EXPECT_EQ(colours({"    def forward(self, x): # go"}, 0), "keyword(def) name(forward) builtin(self) comment(# go)");
  EXPECT_EQ(colours({"@torch.no_grad()"}, 0), "decorator(@torch.no_grad)");
  EXPECT_EQ(colours({"y = a @ b"}, 0), "");
  EXPECT_EQ(colours({"x = f'a # {b}' + rb\"\\\"c\" + 'd"}, 0), "string(f'a # {b}') string(rb\"\\\"c\") string('d)");
  EXPECT_EQ(colours({"z = 1.5e-3 + 0x1F + 1_000 - 2"}, 0), "number(1.5e-3) number(0x1F) number(1_000) number(2)");
  EXPECT_EQ(colours({"x.max(dim=1)"}, 0), "number(1)");
  EXPECT_EQ(colours({"match = 1"}, 0), "number(1)");
  EXPECT_EQ(colours({"match x:"}, 0), "keyword(match)");
  EXPECT_EQ(colours({""}, 0), "");
  EXPECT_EQ(colours({"\xff\xfe = 'caf\xc3\xa9'"}, 0), "string('caf\xc3\xa9')");
}

TEST(PythonTokens, StringsOverLines) {
  const std::vector<std::string> lines = {"\"\"\"Says", "if this", "ends\"\"\" + x", "return 1"};
  EXPECT_EQ(colours(lines, 1), "string(if this)");
  EXPECT_EQ(colours(lines, 2), "string(ends\"\"\")");
  EXPECT_EQ(colours(lines, 3), "keyword(return) number(1)");
  EXPECT_EQ(colours(lines, 1, {false, true, false, false}), "keyword(if)");
}

class SourceOf : public testing::TestWithParam<const char*> {};

TEST_P(SourceOf, OpsOfLinesAddUpToTheirCost) {
  const OpenedTrace trace(GetParam());
  const TraceData& data = *trace.data;
  LineOps ops;
  ASSERT_TRUE(LineOps::load(data, &ops).ok());
  double all = 0;
  for (const inspector::SourceFileCost& file : data.sources.files) {
    for (const inspector::SourceLine& line : file.lines) {
      double sum = 0;
      const std::vector<LineOp>& at = ops.at(file.file, line.line);
      for (const LineOp& op : at) sum += op.time;
      EXPECT_NEAR(sum, line.ns, 1e-6 * data.sources.total_ns) << file.file << ":" << line.line;
      if (line.ops > 0) {
        EXPECT_FALSE(at.empty());
      }
      all += sum;
    }
  }
  double rest = 0;
  for (const LineOp& op : ops.without_line()) rest += op.time;
  EXPECT_NEAR(rest, data.sources.no_line_ns, 1e-6 * data.sources.total_ns);
  EXPECT_NEAR(all + rest + data.sources.variation_ns, data.sources.total_ns, 1e-6 * data.sources.total_ns);
}

TEST_P(SourceOf, EveryLineWithCostIsShown) {
  const OpenedTrace trace(GetParam());
  for (const inspector::SourceFileCost& file : trace.data->sources.files) {
    const SourceListing listing = make_source_listing(file, {});
    double sum = 0;
    for (size_t i = 0; i < listing.rows.size(); ++i) {
      const SourceRow& row = listing.rows[i];
      if (i > 0) {
        EXPECT_LT(listing.rows[i - 1].line, row.line);
      }
      EXPECT_EQ(listing.row_of(row.line), static_cast<int64_t>(i));
      if (row.cost < 0) continue;
      const inspector::SourceLine& line = file.lines[static_cast<size_t>(row.cost)];
      EXPECT_EQ(line.line, row.line);
      sum += line.ns;
    }
    EXPECT_NEAR(sum, file.ns, 1e-6 * trace.data->sources.total_ns);
  }
}

INSTANTIATE_TEST_SUITE_P(Artifacts, SourceOf,
                         testing::Values("partial_delegation", "lstm", "multi_method", "control_flow_map", "add_mul",
                                         "nanogpt_xnnpack_qd4", "mobilenet_v2_035_xnnpack_int8"));

inspector::SourceFileCost small_file(const std::string& path) {
  inspector::SourceFileCost cost;
  cost.file = path;
  cost.ns = 30;
  cost.lines.resize(3);
  cost.lines[0] = {.line = 2, .function = "f", .code = "    return x + 1", .ns = 20, .op_types = {}};
  cost.lines[1] = {.line = 3, .function = "f", .code = "was = here", .ns = 9, .op_types = {}};
  cost.lines[2] = {.line = 9, .function = "f", .code = "gone()", .ns = 1, .op_types = {}};
  return cost;
}

TEST(Source, ChangedAndMissingLinesAreMarked) {
  const TemporaryFolder folder;
  std::ofstream(folder / "m.py") << "def f(x):\n\treturn x + 1\nis = there\n";
  const SourceListing listing = make_source_listing(small_file("/recorded/m.py"), {{"/recorded", folder.path()}});
  EXPECT_EQ(listing.found, folder / "m.py");
  EXPECT_EQ(listing.changed, 2);
  ASSERT_EQ(listing.rows.size(), 4U);
  EXPECT_EQ(listing.rows[1].text, "        return x + 1");
  EXPECT_FALSE(listing.rows[1].changed);
  EXPECT_TRUE(listing.rows[2].changed);
  EXPECT_EQ(listing.rows[2].text, "is = there");
  EXPECT_EQ(listing.rows[3].line, 9);
  EXPECT_TRUE(listing.rows[3].changed);
  EXPECT_TRUE(listing.rows[3].gap_before);
  EXPECT_EQ(listing.rows[3].text, "gone()");
}

TEST(Source, RecordsLinesWithoutTheFile) {
  const SourceListing listing = make_source_listing(small_file("/no/such/m.py"), {});
  EXPECT_EQ(listing.found, "");
  ASSERT_EQ(listing.rows.size(), 3U);
  EXPECT_FALSE(listing.rows[0].gap_before);
  EXPECT_FALSE(listing.rows[1].gap_before);
  EXPECT_TRUE(listing.rows[2].gap_before);
  EXPECT_EQ(listing.row_of(5), 1);
  EXPECT_EQ(SourceListing().row_of(5), -1);
}

TEST(Source, HotLinesGoAround) {
  EXPECT_EQ(hot_lines(small_file("m.py"), 30, 0.2), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(hot_lines(small_file("m.py"), 1000, 0.2), (std::vector<int64_t>{2, 3, 9}));
  const std::vector<int64_t> hot = {2, 5, 9};
  EXPECT_EQ(next_hot_line(hot, 0, false), 2);
  EXPECT_EQ(next_hot_line(hot, 5, false), 9);
  EXPECT_EQ(next_hot_line(hot, 9, false), 2);
  EXPECT_EQ(next_hot_line(hot, 5, true), 2);
  EXPECT_EQ(next_hot_line(hot, 2, true), 9);
  EXPECT_EQ(next_hot_line({}, 2, true), 0);
}

TEST(Source, ModelShowsTheCostliestFileFirst) {
  Jobs jobs;
  Document document(jobs);
  document.open_files(
      {artifact("nanogpt_xnnpack_qd4") + "/etdump.etdp", artifact("nanogpt_xnnpack_qd4") + "/etrecord.bin"});
  jobs.finish();
  SourceModel model;
  model.refresh(document, jobs);
  jobs.finish();
  ASSERT_NE(model.cost(), nullptr);
  EXPECT_EQ(model.listing().file, document.data()->sources.files.front().file);
  EXPECT_FALSE(model.listing().rows.empty());
  EXPECT_FALSE(model.hot().empty());
  EXPECT_NE(model.csv().find("no Python line"), std::string::npos);
  // Maps find the file elsewhere.
  document.set_path_maps({{std::filesystem::path(model.cost()->file).parent_path().string(), "/nowhere"}});
  jobs.finish();
  model.refresh(document, jobs);
  jobs.finish();
  EXPECT_FALSE(model.reading());
  EXPECT_EQ(model.listing().file, model.cost()->file);
  model.choose(SourceModel::kNoLine);
  model.refresh(document, jobs);
  jobs.finish();
  EXPECT_EQ(model.cost(), nullptr);
  EXPECT_TRUE(model.listing().rows.empty());
  document.close();
  model.refresh(document, jobs);
  EXPECT_EQ(model.data(), nullptr);
}

TEST(ShortModule, KeepsTheNumberThatTellsEqualModulesApart) {
  const auto in = [](const std::string& path, size_t most) {
    return short_module(
        path, [most](const std::string& text) { return static_cast<size_t>(inspector::text_width(text)) <= most; });
  };
  const std::string path = "backbone.encoder.blocks.3.expansion.expand_conv";
  EXPECT_EQ(in(path, 60), path);
  EXPECT_EQ(in(path, 40), "…encoder.blocks.3.expansion.expand_conv");
  EXPECT_EQ(in(path, 26), "…3.expansion.expand_conv");
  EXPECT_EQ(in(path, 22), "…blocks.3…expand_conv");
  EXPECT_EQ(in(path, 16), "…3…expand_conv");
  EXPECT_EQ(in(path, 13), "…expand_conv") << "where that is too much, its end";
  EXPECT_EQ(in("encoder.norm", 6), "…norm");
  EXPECT_EQ(in("norm", 2), "norm");
  EXPECT_EQ(in("", 2), "");
}

}  // namespace
}  // namespace et::gui::test
