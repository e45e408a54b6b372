// The table writer: fits terminals, keeps full precision for programs, escapes what it must.
#include "inspector/text/table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace et::inspector {
namespace {

Table sample() {
  Table t;
  t.columns = {{.title = "self", .kind = CellKind::Duration, .unit = {"us", 1000, 1}},
               {.title = "share", .kind = CellKind::ShareBar},
               {.title = "count", .kind = CellKind::Integer, .drop = 1},
               {.title = "op", .min_width = 10}};
  t.add({int64_t{12345}, 0.75, int64_t{1234}, "a_very_long_operator_name"}, RowStyle::Normal, 0.75);
  t.add({4100.5, 0.25, Cell(), "b,\"c\"|d"});
  t.add({int64_t{16445}, 1.0, Cell(), "total"}, RowStyle::Total);
  return t;
}

std::string written(const Table& t, const TableOptions& options) {
  std::string out;
  EXPECT_TRUE(t.write(options, &out).ok());
  return out;
}

TEST(Table, ColumnsAlignOnATerminal) {
  EXPECT_EQ(written(sample(), {}),
            "self (µs)   share             count  op\n"
            "─────────  ─────────────────  ─────  ─────────────────────────\n"
            "     12.3   75.0% ███████▌    1,234  a_very_long_operator_name\n"
            "      4.1   25.0% ██▌                b,\"c\"|d\n"
            "─────────  ─────────────────  ─────  ─────────────────────────\n"
            "     16.4  100.0% ██████████         total\n");
}

TEST(Table, NoLineIsWiderThanTheTerminal) {
  for (int width = 36; width < 90; ++width) {
    std::istringstream lines(written(sample(), {.width = width}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), width) << line;
  }
}

TEST(Table, UnimportantColumnsGoBeforeNamesBecomeUnreadable) {
  const std::string narrow = written(sample(), {.width = 36});
  EXPECT_EQ(narrow.find("1,234"), std::string::npos);
  EXPECT_NE(narrow.find("…r_name"), std::string::npos) << narrow;
}

TEST(Table, EachDurationNamesItsUnitAndNumbersStandAboveEachOther) {
  Table t;
  TimeUnit unit;
  ASSERT_TRUE(choose_unit("auto", "ns", 12.1e9, &unit).ok());
  t.columns = {{.title = "sum", .kind = CellKind::Duration, .unit = unit}, {.title = "op"}};
  for (const double ns : {12.1e9, 1.394e6, 120e3, 820.0}) t.add({ns, "op"});
  EXPECT_EQ(written(t, {}),
            "    sum  op\n"
            "───────  ──\n"
            "12.1 s   op\n"
            "1.39 ms  op\n"
            " 120 µs  op\n"
            " 820 ns  op\n");
  EXPECT_NE(written(t, {.format = "markdown"}).find("| 1.39 ms |"), std::string::npos);
}

TEST(Table, ReasonsWrapInsteadOfLosingTheirMiddle) {
  Table t;
  t.columns = {{.title = "op"}, {.title = "why", .min_width = 8, .wrap = true}};
  t.add({"add", "dtype int64 is not supported by the delegate"});
  t.add({"mul", "short"});
  EXPECT_EQ(written(t, {.width = 20}),
            "op   why\n"
            "───  ───────────────\n"
            "add  dtype int64 is\n"
            "     not supported\n"
            "     by the delegate\n"
            "mul  short\n");
}

TEST(Table, ColourOnlyWhenAsked) {
  EXPECT_EQ(written(sample(), {}).find('\x1b'), std::string::npos);
  EXPECT_NE(written(sample(), {.color = true}).find("\x1b[1;31m"), std::string::npos);
}

TEST(Table, CsvKeepsEveryDigitAndQuotes) {
  EXPECT_EQ(written(sample(), {.format = "csv"}),
            "self_us,share,count,op\r\n12.345,0.75,1234,a_very_long_operator_name\r\n4.1005,0.25,,\"b,\"\"c\"\"|"
            "d\"\r\n16.445,1,,total\r\n");
}

TEST(Table, TsvStaysOneLineARow) {
  Table t;
  t.columns = {{.title = "a b"}, {.title = "c"}};
  t.add({"x\ty", "1\n2\\"});
  EXPECT_EQ(written(t, {.format = "tsv"}), "a_b\tc\nx\\ty\t1\\n2\\\\\n");
}

TEST(Table, MarkdownCellsCannotBreakTheirRow) {
  const std::string text = written(sample(), {.format = "markdown"});
  EXPECT_NE(text.find("| self (µs) | share | count | op |\n|---:|---:|---:|---|\n"), std::string::npos) << text;
  EXPECT_NE(text.find("b,\"c\"\\|d"), std::string::npos) << text;
}

TEST(Table, JsonHasTypesAndNulls) {
  EXPECT_EQ(
      written(sample(), {.format = "json"}),
      "[\n  {\n    \"self_us\": 12.345,\n    \"share\": 0.75,\n    \"count\": 1234,\n    \"op\": "
      "\"a_very_long_operator_name\"\n  },\n"
      "  {\n    \"self_us\": 4.1005,\n    \"share\": 0.25,\n    \"count\": null,\n    \"op\": \"b,\\\"c\\\"|d\"\n  },\n"
      "  {\n    \"self_us\": 16.445,\n    \"share\": 1,\n    \"count\": null,\n    \"op\": \"total\"\n  }\n]\n");
}

TEST(Table, UnknownFormatsAreNamed) {
  std::string out;
  const Status status = sample().write({.format = "xml"}, &out);
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("markdown"), std::string::npos);
}

}  // namespace
}  // namespace et::inspector
