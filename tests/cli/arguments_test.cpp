// What a user types: values, typos, and their messages.
#include "cli/arguments.h"

#include <gtest/gtest.h>

#include "base/nearest.h"

namespace et::cli {
namespace {

struct Outcome {
  Status status;
  Arguments args;
};

Outcome parsed(const std::vector<std::string>& words) {
  Outcome out;
  out.status = parse(et_inspect(), words, &out.args);
  return out;
}

std::string error_of(const std::vector<std::string>& words) {
  const Outcome out = parsed(words);
  EXPECT_EQ(out.status.code(), Error::InvalidArgument);
  return out.status.message();
}

TEST(Arguments, OptionsStandBeforeAndBehindTheTrace) {
  const Outcome o = parsed({"--top", "5", "dump.etdp", "-e", "record.bin", "--format=json", "--samples", "-q"});
  ASSERT_TRUE(o.status.ok()) << o.status.message();
  EXPECT_EQ(o.args.text("trace"), "dump.etdp");
  EXPECT_EQ(o.args.integer("top"), 5);
  EXPECT_EQ(o.args.text("etrecord"), "record.bin");
  EXPECT_EQ(o.args.text("format"), "json");
  EXPECT_TRUE(o.args.flag("samples"));
  EXPECT_TRUE(o.args.flag("quiet"));
  EXPECT_FALSE(o.args.flag("no-progress"));
}

TEST(Arguments, StandardInputIsAPathAndReadOnce) {
  const Outcome o = parsed({"-", "-o", "-"});
  ASSERT_TRUE(o.status.ok()) << o.status.message();
  EXPECT_EQ(o.args.text("trace"), "/dev/stdin");
  EXPECT_EQ(o.args.text("output"), "-");
  EXPECT_EQ(parsed({"d.etdp", "--etrecord", "-"}).args.text("etrecord"), "/dev/stdin");
  EXPECT_EQ(error_of({"-", "--etrecord", "-"}),
            "--etrecord: standard input is read as TRACE already; it can be read once");
}

TEST(Arguments, DefaultsComeFromTheTable) {
  const Outcome o = parsed({"dump.etdp"});
  EXPECT_EQ(o.args.text("format"), "table");
  EXPECT_EQ(o.args.text("units"), "auto");
  EXPECT_EQ(o.args.text("etrecord"), "");
  EXPECT_EQ(o.args.integer("top", -1), -1);
  EXPECT_FALSE(o.args.given("format"));
}

TEST(Arguments, RepeatedOptionsKeepTheirOrderAndDoNotEatTheTrace) {
  const Outcome o = parsed({"--delegate-clock", "A=us", "--delegate-clock", "B=cycles@1GHz", "dump.etdp"});
  ASSERT_TRUE(o.status.ok()) << o.status.message();
  EXPECT_EQ(o.args.list("delegate-clock"), (std::vector<std::string>{"A=us", "B=cycles@1GHz"}));
  EXPECT_EQ(o.args.text("trace"), "dump.etdp");
}

TEST(Arguments, TheOrderOfOptionsIsKept) {
  const Outcome o =
      parsed({"--sort", "mean", "--delegate-clock", "A=us", "d", "--sort=name", "-q", "--delegate-clock", "B=ns"});
  ASSERT_TRUE(o.status.ok()) << o.status.message();
  std::string text;
  for (const auto& [name, value] : o.args.in_order()) text += std::string(name) + "=" + value + " ";
  EXPECT_EQ(text, "sort=mean delegate-clock=A=us trace=d sort=name quiet=true delegate-clock=B=ns ");
}

TEST(Arguments, TheLastOfTwoValuesCounts) {
  EXPECT_EQ(parsed({"d", "--format", "csv", "--format", "json"}).args.text("format"), "json");
}

TEST(Arguments, SourceMapsAreSplitAtTheFirstSign) {
  const Outcome o = parsed({"d", "--source-map", "/src=./a=b", "--source-map", "/x="});
  ASSERT_TRUE(o.status.ok()) << o.status.message();
  const auto pairs = o.args.pairs("source-map");
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0], (std::pair<std::string, std::string>("/src", "./a=b")));
  EXPECT_EQ(pairs[1].second, "");
  EXPECT_NE(error_of({"d", "--source-map", "nothing"}).find("expected FROM=TO"), std::string::npos);
}

TEST(Arguments, ValuesInBracketsAndEmptyOnesStayAsTheyAre) {
  EXPECT_EQ(parsed({"[a,b]"}).args.text("trace"), "[a,b]");
  EXPECT_EQ(parsed({"d", "--filter", "[x]"}).args.text("filter"), "[x]");
  EXPECT_EQ(parsed({"d", "--filter=-x"}).args.text("filter"), "-x");
  EXPECT_TRUE(parsed({"d", "--name", ""}).args.given("name"));
}

TEST(Arguments, FilesStandInAnyOrderAmongOptions) {
  const Outcome o = parsed({"[a,b]", "--top", "3", "r.bin", "--samples", "p.pte"});
  ASSERT_TRUE(o.status.ok()) << o.status.message();
  EXPECT_EQ(o.args.list("trace"), (std::vector<std::string>{"[a,b]", "r.bin", "p.pte"}));
  EXPECT_EQ(error_of({"d", "r.bin", "--xyzzy", "p.pte"}), "unknown option '--xyzzy'");
  EXPECT_EQ(parsed({"d", "--", "-r.bin", "-p.pte"}).args.list("trace"),
            (std::vector<std::string>{"d", "-r.bin", "-p.pte"}));
}

TEST(Arguments, ATraceMayBeginWithADashBehindTwoDashes) {
  const Outcome o = parsed({"--", "-odd.etdp"});
  ASSERT_TRUE(o.status.ok()) << o.status.message();
  EXPECT_EQ(o.args.text("trace"), "-odd.etdp");
}

TEST(Arguments, SubcommandsAreFoundBehindCommonOptions) {
  const Outcome o = parsed({"--color", "never", "sql", "store.db", "SELECT 1"});
  ASSERT_TRUE(o.status.ok()) << o.status.message();
  EXPECT_STREQ(o.args.command().name, "sql");
  EXPECT_EQ(o.args.text("query"), "SELECT 1");
  EXPECT_EQ(o.args.text("color"), "never");
}

TEST(Arguments, AValueThatLooksLikeACommandIsAValue) {
  const Outcome o = parsed({"--name", "sql", "--store", "s.db", "dump.etdp"});
  ASSERT_TRUE(o.status.ok()) << o.status.message();
  EXPECT_STREQ(o.args.command().name, "");
  EXPECT_EQ(o.args.text("name"), "sql");
}

TEST(Arguments, HelpNeedsNothingElse) {
  EXPECT_TRUE(parsed({"sql", "--help"}).status.ok());
  EXPECT_TRUE(parsed({"--help"}).status.ok());
  EXPECT_TRUE(parsed({"-h"}).args.flag("help"));
  EXPECT_TRUE(parsed({"--version"}).status.ok());
  EXPECT_TRUE(parsed({"-V"}).args.flag("version"));
}

TEST(Arguments, HelpIsAWordToo) {
  EXPECT_TRUE(parsed({"help"}).args.flag("help"));
  const Outcome o = parsed({"help", "sql"});
  EXPECT_TRUE(o.status.ok() && o.args.flag("help")) << o.status.message();
  EXPECT_STREQ(o.args.command().name, "sql");
  EXPECT_EQ(error_of({"help", "sqll"}), "help: unknown command 'sqll'; did you mean 'sql'?");
}

TEST(Arguments, ACommandGoesFirst) {
  EXPECT_EQ(error_of({"d.etdp", "source"}),
            "unexpected argument 'source'; the command goes first: et-inspect source ...");
  EXPECT_EQ(error_of({"d.etdp", "-e", "r.bin", "sql", "SELECT 1"}),
            "unexpected argument 'sql'; the command goes first: et-inspect sql ...");
}

TEST(Arguments, JsonIsAFormat) {
  EXPECT_EQ(parsed({"d", "--json"}).args.text("format"), "json");
  EXPECT_TRUE(parsed({"d", "--format", "json"}).args.flag("json"));
  EXPECT_FALSE(parsed({"d", "--format", "csv"}).args.flag("json"));
  EXPECT_TRUE(parsed({"d", "--json", "--format", "json"}).status.ok());
  EXPECT_EQ(error_of({"d", "--json", "--format", "csv"}), "--json and --format csv are mutually exclusive");
}

TEST(Arguments, TyposAreNamedWithWhatWasMeant) {
  EXPECT_EQ(error_of({"d", "--fromat", "json"}), "unknown option '--fromat'; did you mean '--format'?");
  EXPECT_EQ(error_of({"d", "--etrecrd=x"}), "unknown option '--etrecrd'; did you mean '--etrecord'?");
  EXPECT_NE(error_of({"d", "--format", "jsn"}).find("did you mean 'json'?"), std::string::npos);
  EXPECT_EQ(error_of({"d", "--xyzzy"}), "unknown option '--xyzzy'");
}

TEST(Arguments, MistakesNameTheOptionAndWhatWasExpected) {
  EXPECT_NE(error_of({}).find("missing argument TRACE"), std::string::npos);
  EXPECT_NE(error_of({"d", "--top", "many"}).find("--top: expected a non-negative integer"), std::string::npos);
  EXPECT_NE(error_of({"d", "--top", "-3"}).find("--top"), std::string::npos);
  EXPECT_NE(error_of({"d", "--top", "99999999999999999999"}).find("--top"), std::string::npos);
  EXPECT_EQ(error_of({"d", "--top"}), "--top: expected a value");
  EXPECT_NE(error_of({"sql", "d", "SELECT 1", "extra"}).find("unexpected argument 'extra'"), std::string::npos);
  EXPECT_NE(error_of({"d", "--samples=yes"}).find("samples"), std::string::npos);
}

TEST(Nearest, OnlyWhatWasProbablyMeant) {
  const std::vector<std::string> words = {"format", "filter", "top", "store"};
  EXPECT_EQ(nearest("fromat", words), "format");
  EXPECT_EQ(nearest("filtre", words), "filter");
  EXPECT_EQ(nearest("form", words), "format");
  EXPECT_EQ(nearest("tpo", words), "top");
  EXPECT_EQ(nearest("completely-else", words), "");
  EXPECT_EQ(nearest("", words), "");
  EXPECT_EQ(nearest(std::string(100000, 'a'), words), "");
  EXPECT_EQ(typos("abc", "abc"), 0);
  EXPECT_EQ(typos("abc", "acb"), 1);
  EXPECT_EQ(typos("", "abc"), 3);
}

}  // namespace
}  // namespace et::cli
