// What all panels call the model.
#include <gtest/gtest.h>

#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

/// The name after `change` was made to the store.
std::string model_after(const std::string& change) {
  const TemporaryFolder folder;
  const std::string path = folder / "store.db";
  EXPECT_TRUE(import_artifact("partial_delegation", path).ok());
  inspector::Store store;
  EXPECT_TRUE(inspector::Store::open(path, inspector::Store::Mode::ReadWrite, &store).ok());
  const Status status = store.exec(change.c_str());
  EXPECT_TRUE(status.ok()) << status.message();
  TraceData data;
  EXPECT_TRUE(load_trace_data(store, 1, Cancel(), &data).ok());
  return data.model;
}

constexpr const char* kStacks = " WHERE id IN (SELECT nn_module_stack FROM raw_node) AND text LIKE '%,,%'";

TEST(ModelName, IsNoWrappers) {
  const std::string own = model_after("");
  ASSERT_FALSE(own.empty());
  EXPECT_EQ(own.find("Wrapper"), std::string::npos);
  for (const char* wrapper :
       {"__main__.Wrapper", "export.LogitsWrapper", "my.Model", "_M", "ExportableModule", "__main__.Method"}) {
    EXPECT_EQ(model_after("UPDATE raw_string SET text = 'L__self__,," + std::string(wrapper) +
                          ";' || replace(text, 'L__self__,,', 'L__self__model,model,')" + kStacks),
              own)
        << wrapper;
  }
}

// One that holds a container is the model itself.
TEST(ModelName, IsThatOfAModelOfOneContainer) {
  EXPECT_EQ(
      model_after("UPDATE raw_string SET text = 'L__self__,,my.Encoder;L__self__net,net,torch.nn.Sequential;n' || "
                  "id || ',net.' || id || ',my.Layer'" +
                  std::string(kStacks)),
      "Encoder");
}

// Commands that are offered name a method where they would look for one that is not there.
TEST(MethodOption, IsOfProgramsWithoutForward) {
  EXPECT_EQ(OpenedTrace("partial_delegation").data->method_option(), "");
  const OpenedTrace several("multi_method_shared_state");
  for (const inspector::MethodRow& m : several.data->facts.methods) ASSERT_NE(m.name, "forward");
  EXPECT_TRUE(several.data->method_option().starts_with(" --method ")) << several.data->method_option();
}

TEST(ModelName, IsTheFoldersWhereNoClassSaysAnything) {
  EXPECT_EQ(model_after("UPDATE raw_string SET text = 'L__self__,,__main__.Wrapper;n' || id || ',n,my.Net'" +
                        std::string(kStacks)),
            "partial_delegation");
}

}  // namespace
}  // namespace et::gui::test
