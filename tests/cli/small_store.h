// A store with a few traces, filled without any file.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "inspector/store/store.h"

namespace et::cli::test {

/// One trace for each name ("" for none), numbered from 1; each has a block `Execute` with two ops of 30 and 70 ns.
inline void add_traces(inspector::Store& store, const std::vector<std::string>& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    const auto t = static_cast<int64_t>(i + 1);
    const std::string n = std::to_string(t);
    std::string sql = "INSERT INTO raw_trace(id, name, dump_path, unit, events, executions) VALUES(" + n +
                      ", nullif('" + names[i] + "', ''), 'dump" + n + ".etdp', 'ns', 2, 1);";
    sql += "INSERT OR IGNORE INTO raw_string(id, text) VALUES(1, 'native_call_add.out'), (2, 'native_call_mul.out');";
    sql += "INSERT INTO raw_block(id, trace, ordinal, name, kind, runs, total) VALUES(" + n + "," + n +
           ", 0, 'Execute', 'execute', 1, 100);";
    for (int op = 1; op <= 2; ++op) {
      sql +=
          "INSERT INTO raw_op(id, trace, block, ordinal, name, kind, instruction_id, resolution_limited, count, sum, "
          "self, share) "
          "VALUES(" +
          std::to_string(t * 10 + op) + "," + n + "," + n + "," + std::to_string(op - 1) + "," + std::to_string(op) +
          ", 'kernel', " + std::to_string(op - 1) + ", 0, 1, " + (op == 1 ? "30, 30, 0.3" : "70, 70, 0.7") + ");";
    }
    const Status status = store.exec(sql.c_str());
    ASSERT_TRUE(status.ok()) << status.message();
  }
}

inline inspector::Store memory_store(const std::vector<std::string>& names) {
  inspector::Store store;
  const Status status = inspector::Store::open("", inspector::Store::Mode::Memory, &store);
  EXPECT_TRUE(status.ok()) << status.message();
  add_traces(store, names);
  return store;
}

inline void store_file(const std::string& path, const std::vector<std::string>& names) {
  inspector::Store store;
  const Status status = inspector::Store::open(path, inspector::Store::Mode::ReadWrite, &store);
  ASSERT_TRUE(status.ok()) << status.message();
  add_traces(store, names);
}

}  // namespace et::cli::test
