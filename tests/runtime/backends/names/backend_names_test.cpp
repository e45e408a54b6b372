// What doctor says of a program's delegates is what et-run finds in its registry.
#include "runtime/backends/backend_names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "runtime/backends/backend.h"

namespace et {
namespace {

TEST(BackendNames, AreThoseOfTheRegistry) {
  std::set<std::string> listed, registered;
  for (const BackendName& b : kBackendNames) {
    if (b.name != nullptr) listed.insert(b.name);
  }
  for (const Backend* b = first_backend(); b != nullptr; b = b->next) registered.insert(b->name);
  EXPECT_EQ(listed, registered);
  EXPECT_EQ(listed.count("XnnpackBackend"), 1u);
}

}  // namespace
}  // namespace et
