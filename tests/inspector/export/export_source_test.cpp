#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include "inspector/analysis/ops/source_lines.h"
#include "inspector/report/source_report.h"
#include "tests/inspector/export/export_store.h"

namespace et::inspector {
namespace {

std::string source_of(const Store& store, const SourceOptions& options = {}) {
  std::string out;
  const Status s = write_source(store, 1, options, &out);
  EXPECT_TRUE(s.ok()) << s.message();
  return out;
}

/// A folder with model.py, removed at the end.
class SourceFolder {
 public:
  explicit SourceFolder(const std::string& text) {
    std::string pattern = (std::filesystem::temp_directory_path() / "et_source_XXXXXX").string();
    path = ::mkdtemp(pattern.data());
    std::ofstream(path + "/model.py") << text;
  }
  ~SourceFolder() { std::filesystem::remove_all(path); }
  std::string path;
};

constexpr const char* kModel =
    "import torch\n"               // 1
    "class M:\n"                   // 2
    "    def forward(self, x):\n"  // 3
    "        # one\n"              // 4
    "        # two\n"              // 5
    "        # three\n"            // 6
    "        # four\n"             // 7
    "        y = x + 1\n"          // 8
    "        return y * y\n";      // 9

void fill_lines(ExportStore* x) {
  const int64_t b = x->block();
  const int64_t exec = x->op(b, {.name = "Method::execute", .kind = "framework"});
  const int64_t add = x->op(b, {.name = "OPERATOR_CALL", .parent = exec, .instruction = 0});
  const int64_t mul = x->op(b, {.name = "OPERATOR_CALL", .parent = exec, .instruction = 1});
  const int64_t r = x->execution(b);
  x->sample(exec, r, 0, 1000);
  x->sample(add, r, 0, 600);
  x->sample(mul, r, 600, 300);
  const int64_t n = x->node("add", "aten.add.Tensor", "self=x", "/src/model.py", 8, 1, "y = x + 1");
  x->link(add, n);
  x->link(mul, x->node("mul", "aten.mul.Tensor", "self=y", "/src/other.py", 9, 2, "return y * y"));
  const int64_t file = x->store.intern("/src/model.py"), fn = x->store.intern("forward");
  x->store.query("INSERT INTO raw_frame VALUES(?1,0,?2,3,?3,?4)")
      .run(n, file, fn, x->store.intern("def forward(self, x):"));
  x->store.query("INSERT INTO raw_frame VALUES(?1,1,?2,8,?3,?4)").run(n, file, fn, x->store.intern("y = x + 1"));
  x->finish();
}

TEST(SourceReport, ShowsTheUsersFileWithCostBesideItsLines) {
  const SourceFolder folder(kModel);
  ExportStore x;
  fill_lines(&x);
  const std::string text = source_of(x.store, {.source_maps = {{"/src", folder.path}}, .context = 1});
  EXPECT_NE(text.find("60.0%"), std::string::npos) << text;
  EXPECT_NE(text.find("        y = x + 1  # aten.add.Tensor\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    def forward(self, x):\n"), std::string::npos) << "the head of the function\n" << text;
  EXPECT_NE(text.find("# four"), std::string::npos) << "a line of context";
  EXPECT_EQ(text.find("import torch"), std::string::npos) << "what is far away stays out";
  EXPECT_NE(text.find("/src/other.py  (file not found"), std::string::npos) << text;
}

TEST(SourceReport, TimesAddUpToTheExecutions) {
  ExportStore x;
  fill_lines(&x);
  const std::string text = source_of(x.store);
  EXPECT_NE(text.find("10.0%"), std::string::npos) << text;
  EXPECT_NE(text.find("no Python line"), std::string::npos) << text;
  EXPECT_NE(text.find("100.0%"), std::string::npos) << text;
}

TEST(SourceReport, WithoutTheFileTheRecordsLinesAreShown) {
  ExportStore x;
  fill_lines(&x);
  const std::string text = source_of(x.store, {.file = "model.py"});
  EXPECT_NE(text.find("y = x + 1  # aten.add.Tensor"), std::string::npos) << text;
  EXPECT_EQ(text.find("return y * y"), std::string::npos) << "another file";
  EXPECT_NE(text.find("other files"), std::string::npos) << text;
}

TEST(SourceReport, SaysThatTheFileIsNotAsItWas) {
  const SourceFolder folder("# nothing is left\n");
  ExportStore x;
  fill_lines(&x);
  const std::string text = source_of(x.store, {.source_maps = {{"/src/", folder.path + "/"}}});
  EXPECT_NE(text.find("not as it was at export"), std::string::npos) << text;
  EXPECT_NE(text.find("y = x + 1"), std::string::npos) << "the record's text\n" << text;
}

TEST(SourceReport, CsvHasARowALineAndOneForTheRest) {
  ExportStore x;
  fill_lines(&x);
  const std::string text = source_of(x.store, {.format = "csv"});
  EXPECT_NE(text.find("/src/model.py,8,forward,0.6,600"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5) << text;  // head, 3 and 8 of model.py, 9 of other.py, rest
}

TEST(SourceReport, SaysWhatThereIsWhenAskedForSomethingElse) {
  ExportStore x;
  fill_lines(&x);
  std::string out;
  Status s = write_source(x.store, 1, {.file = "odel.py"}, &out);
  EXPECT_EQ(s.code(), Error::InvalidArgument);
  EXPECT_NE(s.message().find("/src/model.py"), std::string::npos) << s.message();
  EXPECT_EQ(write_source(x.store, 1, {.format = "xml"}, &out).code(), Error::InvalidArgument);
  EXPECT_EQ(write_source(x.store, 9, {}, &out).code(), Error::NotFound);
}

TEST(SourceReport, AMapChangesWholeFoldersOnly) {
  const SourceFolder folder(kModel);
  ExportStore x;
  fill_lines(&x);
  const std::string text = source_of(x.store, {.source_maps = {{"/sr", folder.path}}});
  EXPECT_NE(text.find("/src/model.py  (file not found"), std::string::npos) << text;
}

TEST(SourceLines, WhatOpsAreChargedAddsUpToTheCostOfTheirLines) {
  ExportStore x;
  fill_lines(&x);
  SourceCost cost;
  OpTable table;
  ASSERT_TRUE(load_op_table(x.store, 1, {}, &table).ok());
  ASSERT_TRUE(load_source_cost(x.store, table, &cost).ok());
  std::map<std::pair<std::string, int64_t>, double> charged;
  double all = 0;
  const auto take = [&](const LineCharge& c) {
    charged[{std::string(c.file), c.line}] += c.ns;
    all += c.ns;
  };
  for_each_line_charge(table, take);
  EXPECT_DOUBLE_EQ(all, cost.total_ns);
  EXPECT_DOUBLE_EQ((charged[{"", 0}]), cost.no_line_ns);
  ASSERT_FALSE(cost.files.empty());
  for (const SourceFileCost& file : cost.files) {
    for (const SourceLine& line : file.lines)
      EXPECT_DOUBLE_EQ((charged[{file.file, line.line}]), line.ns) << file.file << ":" << line.line;
  }
}

TEST(SourceReport, OddPathsOfARecordAreNoFiles) {
  for (const char* path : {"/dev/zero", "/", "", "<string>", "/proc/self/mem"}) {
    ExportStore x;
    const int64_t b = x.block();
    const int64_t o = x.op(b, {.name = "OPERATOR_CALL"});
    x.sample(o, x.execution(b), 0, 5);
    const int64_t n = x.node("n", "aten.add.Tensor", "", "/x", 1, {}, "\x1b[31mred");
    x.store.query("UPDATE raw_node SET file = ?1").run(x.store.intern(path));
    x.link(o, n);
    x.finish();
    const std::string text = source_of(x.store);
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << "a terminal is not for the record to steer";
  }
}

}  // namespace
}  // namespace et::inspector
