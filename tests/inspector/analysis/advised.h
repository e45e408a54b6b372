// What the rules say of a fixture.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "tests/inspector/analysis/imported.h"

namespace et::inspector::test {

/// A fixture, changed by SQL before the rules see it.
struct Advised {
  explicit Advised(const std::string& name, const std::vector<std::string>& changes = {},
                   const char* dump = "etdump.etdp")
      : in(name, true, true, true, dump) {
    for (const std::string& sql : changes) {
      const Status changed = in.store.exec(sql.c_str());
      EXPECT_TRUE(changed.ok()) << changed.message() << "\n" << sql;
    }
    Status s = load_shown_ops(in.store, 1, {}, &shown);
    if (s.ok()) s = find_advice(in.store, shown, &advice);
    EXPECT_TRUE(s.ok()) << s.message();
  }
  const Advice* of(const std::string& id) const {
    for (const Advice& a : advice)
      if (a.id == id) return &a;
    return nullptr;
  }
  std::set<std::string> ids() const {
    std::set<std::string> out;
    for (const Advice& a : advice) out.insert(a.id);
    return out;
  }
  double execution() const {
    double sum = 0;
    for (const OpBlock& b : shown.blocks) sum += b.kind == "execute" ? b.cost : 0;
    return sum;
  }
  ImportedFixture in;
  OpTable shown;
  std::vector<Advice> advice;
};

}  // namespace et::inspector::test
