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
  for (const char* wrapper : {"__main__.Wrapper", "export.LogitsWrapper", "my.Model", "_M", "ExportableModule"}) {
    EXPECT_EQ(model_after("UPDATE raw_string SET text = 'L__self__,," + std::string(wrapper) +
                          ";' || replace(text, 'L__self__,,', 'L__self__model,model,')" + kStacks),
              own)
        << wrapper;
  }
}

TEST(ModelName, IsTheFoldersWhereNoClassSaysAnything) {
  EXPECT_EQ(model_after("UPDATE raw_string SET text = 'L__self__,,__main__.Wrapper;n' || id || ',n,my.Net'" +
                        std::string(kStacks)),
            "partial_delegation");
}

}  // namespace
}  // namespace et::gui::test
