// --filter: the terms find what they say, and mistakes are told.
#include "inspector/analysis/ops/filter.h"

#include <gtest/gtest.h>

#include "tests/inspector/report/report_store.h"

namespace et::inspector {
namespace {

class FilterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = test::filled_store();
    ASSERT_TRUE(load_op_table(store_, 1, {}, &table_).ok());
  }
  std::string found(const std::string& text) {
    Filter filter;
    const Status status = Filter::parse(text, &filter);
    if (!status.ok()) return status.message();
    std::string out;
    for (const OpEntry& op : table_.ops) {
      if (filter.matches(table_, op)) out += (out.empty() ? "" : ",") + std::to_string(op.id);
    }
    return out;
  }
  Store store_;
  OpTable table_;
};

TEST_F(FilterTest, PlainTextLooksWhereAPersonWouldLook) {
  EXPECT_EQ(found("ADD"), "11,12");           // name, and the node of its call
  EXPECT_EQ(found("aten.linear"), "14");      // operator type
  EXPECT_EQ(found("model.py:21"), "14");      // source line
  EXPECT_EQ(found("layers.0"), "11,12");      // module
  EXPECT_EQ(found("Method::execute"), "10");  // :: is no key
  EXPECT_EQ(found("(NC linear"), "14");       // words are and-ed
  EXPECT_EQ(found("\"(NC, F32)\""), "14");
  EXPECT_EQ(found(""), "1,10,11,12,13,14,15,16,17");
}

TEST_F(FilterTest, KeysSelectByTheirColumn) {
  EXPECT_EQ(found("name:linear"), "14");
  EXPECT_EQ(found("name=linear"), "");
  EXPECT_EQ(found("name=transpose"), "15");
  EXPECT_EQ(found("kind=kernel"), "12");
  EXPECT_EQ(found("op=transpose"), "15");
  EXPECT_EQ(found("handle:7"), "11,12");
  EXPECT_EQ(found("handle>8"), "13,14");
  EXPECT_EQ(found("node:add"), "11,12");
  EXPECT_EQ(found("delegate:xnn"), "13,14,15,16");
  EXPECT_EQ(found("p50>1"), found("p50>=2"));
  EXPECT_EQ(found("layer2:conv"), "") << "with a digit, and no key: text";
  EXPECT_EQ(found("line:20"), "14");
  EXPECT_EQ(found("line:2"), "");
  EXPECT_EQ(found("line:model.py:2"), "14");
  EXPECT_EQ(found("line>15"), "14");
  EXPECT_EQ(found("file:model.py"), "11,12,14");
  EXPECT_EQ(found("module:linear"), "11,12,14");
  EXPECT_EQ(found("backend:xnn"), "13,14,15,16");
  EXPECT_EQ(found("delegated:yes"), "13,14,15,16");
  EXPECT_EQ(found("delegated:no kind:call"), "11");
  EXPECT_EQ(found("instruction:1 !role:layout"), "13,14,16");
  EXPECT_EQ(found("block:default"), "1");
  EXPECT_EQ(found("method=forward count=4"), "12");
  EXPECT_EQ(found("share>=45 block:Execute clock"), "");
  EXPECT_EQ(found("share>=45% self<1us"), "1,14");
  EXPECT_EQ(found("mean>0.3us mean<600"), "11,14");
}

TEST_F(FilterTest, MistakesAreToldWithWhatThereIs) {
  EXPECT_NE(found("colour:red").find("unknown key 'colour'; expected name, op, type, module, node, handle, line"),
            std::string::npos)
      << found("colour:red");
  EXPECT_NE(found("share>big").find("percent such as 5%"), std::string::npos);
  EXPECT_NE(found("mean>5%").find("a time such as"), std::string::npos);
  EXPECT_NE(found("name>5").find("is a text"), std::string::npos);
  EXPECT_NE(found("delegated:maybe").find("delegated:yes"), std::string::npos);
  EXPECT_NE(found("\"open").find("not closed"), std::string::npos);
}

}  // namespace
}  // namespace et::inspector
