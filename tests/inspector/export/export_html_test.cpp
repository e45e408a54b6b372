#include <simdjson.h>

#include <sstream>

#include "inspector/report/exporters.h"
#include "tests/inspector/export/export_store.h"

namespace et::inspector {
namespace {

std::string html_of(const Store& store, const ExportOptions& options = {}) {
  std::ostringstream out;
  const Status s = find_exporter("html")->write(store, 1, options, out);
  EXPECT_TRUE(s.ok()) << s.message();
  return out.str();
}

/// The embedded JSON, cut out as a browser does: up to the first end of a script.
std::string data_of(const std::string& html) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const size_t begin = html.find(open) + open.size();
  return html.substr(begin, html.find("</script", begin) - begin);
}

size_t count_of(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(HtmlExport, AHostileNameDoesNotBecomeMarkup) {
  ExportStore plain, x;
  const std::string evil = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>&";
  for (ExportStore* s : {&plain, &x}) {
    const std::string name = s == &x ? evil : "op";
    const int64_t b = s->block();
    const int64_t o = s->op(b, {.name = name, .backend = name, .op_types = s == &x ? "[\"</script>\"]" : "[\"t\"]"});
    s->sample(o, s->execution(b), 1, 2);
    s->link(o, s->node(name, name, "self=x", "/src/" + name, 3, 1, name));
    s->finish();
  }
  const std::string html = html_of(x.store), usual = html_of(plain.store);
  EXPECT_EQ(count_of(html, "<script"), count_of(usual, "<script"));
  EXPECT_EQ(count_of(html, "</script"), count_of(usual, "</script"));
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_EQ(html.find("<!--"), std::string::npos);
  simdjson::dom::parser parser;
  simdjson::dom::element data;
  ASSERT_EQ(parser.parse(data_of(html)).get(data), simdjson::SUCCESS);
  EXPECT_EQ(std::string_view(data.at_pointer("/ops/0/event")), evil) << "the name itself is all there";
}

TEST(HtmlExport, AsksNothingOfTheNetwork) {
  ExportStore x;
  fill_usual(&x);
  const std::string html = html_of(x.store);
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  for (const char* bad : {"https://", "src=\"", "@import", "url(", "<link", "fetch(", "XMLHttpRequest", "innerHTML"}) {
    EXPECT_EQ(html.find(bad), std::string::npos) << bad;
  }
}

TEST(HtmlExport, CarriesOpsPartsAndLinesWhoseTimesAddUp) {
  ExportStore x;
  fill_usual(&x);
  simdjson::dom::parser parser;
  simdjson::dom::element data;
  ASSERT_EQ(parser.parse(data_of(html_of(x.store))).get(data), simdjson::SUCCESS);
  double self = 0;
  for (simdjson::dom::element o : simdjson::dom::array(data["ops"])) {
    if (uint64_t(o["block"]) == 1 && std::string_view(o["clock"]).empty()) self += double(o["self"]);
  }
  EXPECT_EQ(self, 2 * 12345);
  double parts = 0;
  for (simdjson::dom::element p : simdjson::dom::array(data["parts"])) parts += double(p["sum"]);
  EXPECT_EQ(parts, 2 * 12345);
  double lines = double(data["no_line"]);
  for (simdjson::dom::element f : simdjson::dom::array(data["sources"])) lines += double(f["ns"]);
  EXPECT_EQ(lines, double(data["source_total"]));
}

TEST(HtmlExport, RanksOpsOnEveryBasisThatThereIs) {
  ExportStore x;
  fill_usual(&x);
  simdjson::dom::parser parser;
  simdjson::dom::element data;
  ASSERT_EQ(parser.parse(data_of(html_of(x.store))).get(data), simdjson::SUCCESS);
  const simdjson::dom::array bases(data.at_pointer("/ranking/bases")), totals(data.at_pointer("/ranking/totals"));
  ASSERT_EQ(bases.size(), totals.size());
  ASSERT_GE(bases.size(), 2u);
  for (size_t b = 0; b < bases.size(); ++b) {
    double sum = 0;
    for (simdjson::dom::element row : simdjson::dom::array(data.at_pointer("/ranking/costs"))) {
      const simdjson::dom::array costs(row);
      ASSERT_EQ(costs.size(), bases.size() + 1);
      EXPECT_LT(uint64_t(costs.at(0)), simdjson::dom::array(data["ops"]).size());
      sum += double(costs.at(b + 1));
    }
    EXPECT_NEAR(sum, double(totals.at(b)), 1e-6) << std::string_view(bases.at(b)["text"]);
    EXPECT_GT(sum, 0);
  }
  EXPECT_EQ(simdjson::dom::array(data["errors"]).size(), 0u);
}

TEST(HtmlExport, StaysSmallWithManySamples) {
  ExportStore x;
  const int64_t b = x.block();
  const int64_t o = x.op(b, {.name = "op"});
  x.run("BEGIN");
  for (int i = 0; i < 70000; ++i) x.sample(o, x.execution(b), 10 * i, i % 1000);
  x.run("COMMIT");
  x.finish();
  const std::string html = html_of(x.store);
  EXPECT_LT(html.size(), 64u << 10);
  simdjson::dom::parser parser;
  simdjson::dom::element data;
  ASSERT_EQ(parser.parse(data_of(html)).get(data), simdjson::SUCCESS);
  EXPECT_EQ(simdjson::dom::array(data.at_pointer("/ops/0/q")).size(), 512u);
  EXPECT_EQ(int64_t(data.at_pointer("/ops/0/stride")), 2);
}

}  // namespace
}  // namespace et::inspector
