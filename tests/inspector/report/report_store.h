// A store for report tests, filled by SQL: one trace with a delegate, kernels, a loop, a foreign clock and loading.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "inspector/store/store.h"

namespace et::inspector::test {

// Execute: two runs, 2000 ns in all.
//   0 Method::execute         2000 (self 100)
//   1  OPERATOR_CALL           700 (self  50)  instruction 0
//   2   native_call_add.out    650             instruction 0   model.py:10, layers.0
//   3  DELEGATE_CALL          1200 (self 200)  instruction 1
//   4   Linear (NC, F32) #1    900             instruction 1   model.py:20 and model.py:21, whole microseconds
//   5   Transpose              100             instruction 1   layout
//   6   npu_conv              5555 cycles on a clock of its own
//   7 (value only)
inline Store filled_store() {
  Store store;
  Status status = Store::open("", Store::Mode::Memory, &store);
  EXPECT_TRUE(status.ok()) << status.message();
  const auto s = [&](const char* text) { return std::to_string(store.intern(text)); };
  std::string sql =
      "INSERT INTO raw_trace(id, name, dump_path, record_path, unit, events, executions, threads) "
      "VALUES(1, 'base', 'etdump.etdp', 'etrecord.bin', 'ns', 16, 2, 1);"
      "INSERT INTO raw_label VALUES(1, 'build', 'debug');"
      "INSERT INTO raw_diagnostic VALUES(1, 'unknown_event', 'info', 1, 'an event is new', 'Nothing is lost.');"
      "INSERT INTO raw_diagnostic VALUES(1, 'truncated_dump', 'data-loss', 3, 'etdump.etdp: ends at byte 99', 'Run it "
      "again.');"
      "INSERT INTO raw_method(id, trace, ordinal, name, sources) VALUES(1, 1, 0, 'forward', 'program');"
      "INSERT INTO raw_method(id, trace, ordinal, name, sources) VALUES(2, 1, 1, 'encode', 'program');"
      "INSERT INTO raw_block(id, trace, ordinal, name, kind, runs, total) VALUES(1, 1, 0, 'Default', 'load', 1, 300);"
      "INSERT INTO raw_block(id, trace, ordinal, name, kind, method, method_via, method_confidence, runs, total, cold, "
      "warm_mean, "
      "warm_p50) VALUES(2, 1, 1, 'Execute', 'execute', 1, 'program', 0.9, 2, 2000, 1100, 900, 900);"
      "INSERT INTO raw_run(id, trace, block, ordinal, execution, duration, is_cold, complete) VALUES(1, 1, 1, 0, 0, "
      "300, 0, 1), "
      "(2, 1, 2, 1, 0, 1100, 1, 1), (3, 1, 2, 2, 1, 900, 0, 1);";
  const std::string file = s("/src/models/model.py");
  const auto op = [&](int id, int block, int ordinal, const char* parent, const char* name, const char* kind,
                      const char* instruction, const char* more, int count, int sum, int self) {
    const std::string total = block == 1 ? "300.0" : "2000.0", n = std::to_string(count), v = std::to_string(sum);
    const std::string mean = count == 0 ? "NULL" : v + " * 1.0 / " + n;
    const std::string least = count == 0 ? "NULL" : v + " / " + n;
    sql +=
        "INSERT INTO raw_op(id, trace, block, ordinal, parent, name, kind, instruction_id, resolution_limited, count, "
        "sum, self, "
        "share, self_share, mean, stddev, min, p10, p50, p90, p99, max, backend, delegate_id_int, role, clock, "
        "debug_handles, "
        "op_types) VALUES(" +
        std::to_string(id) + ", 1, " + std::to_string(block) + ", " + std::to_string(ordinal) + ", " + parent + ", " +
        s(name) + ", '" + kind + "', " + instruction + ", " + (id == 14 ? "1" : "0") + ", " + n + ", " + v + ", " +
        std::to_string(self) + ", " + v + " / " + total + ", " + std::to_string(self) + " / " + total + ", " + mean +
        ", " + (count == 0 ? "NULL" : "0.0") + ", " + least + ", " + mean + ", " + mean + ", " + mean + ", " + mean +
        ", " + least + ", " + more + ");";
  };
  op(1, 1, 0, "NULL", "Program::load_method", "framework", "NULL", "NULL, NULL, NULL, NULL, NULL, NULL", 1, 300, 300);
  op(10, 2, 0, "NULL", "Method::execute", "framework", "NULL", "NULL, NULL, NULL, NULL, NULL, NULL", 2, 2000, 100);
  op(11, 2, 1, "10", "OPERATOR_CALL", "operator_call", "0", "NULL, NULL, NULL, NULL, '[7]', NULL", 2, 700, 50);
  op(12, 2, 2, "11", "native_call_add.out", "kernel", "0", "NULL, NULL, NULL, NULL, '[7]', '[\"aten.add.Tensor\"]'", 4,
     650, 650);
  op(13, 2, 3, "10", "DELEGATE_CALL", "delegate_call", "1", "'XnnpackBackend', NULL, NULL, NULL, '[8, 9]', NULL", 2,
     1200, 200);
  op(14, 2, 4, "13", "Linear (NC, F32) #1", "delegate_op", "1",
     "'XnnpackBackend', 3, NULL, NULL, '[8, 9]', '[\"aten.linear.default\", \"aten.relu.default\"]'", 2, 900, 900);
  op(15, 2, 5, "13", "Transpose", "delegate_op", "1", "'XnnpackBackend', 4, 'layout', NULL, NULL, NULL", 2, 100, 100);
  op(16, 2, 6, "13", "npu_conv", "delegate_op", "1", "'XnnpackBackend', 5, NULL, 'cycles', NULL, NULL", 2, 5555, 5555);
  sql += "UPDATE raw_op SET unit = 'cycles' WHERE clock = 'cycles';";
  op(17, 2, 7, "NULL", "value", "value", "2", "NULL, NULL, NULL, NULL, NULL, NULL", 0, 0, 0);
  const auto node = [&](int id, const char* name, const char* type, const char* line, const char* module) {
    sql +=
        "INSERT INTO raw_node(id, trace, method, graph, subgraph, ordinal, name, target, op, debug_handle, file, line, "
        "function, "
        "code, module_path, module_type) VALUES(" +
        std::to_string(id) + ", 1, 1, 'edge', '', " + std::to_string(id) + ", '" + name + "', 'edge." + type + "', '" +
        type + "', " + std::to_string(id) + ", " + file + ", " + line + ", " + s("forward") + ", " + s("return x") +
        ", " + s(module) + ", " + s("torch.nn.modules.linear.Linear") + ");";
  };
  node(7, "aten_add_tensor", "aten.add.Tensor", "10", "layers.0");
  node(8, "aten_linear_default", "aten.linear.default", "20", "layers.1");
  node(9, "aten_relu_default", "aten.relu.default", "21", "layers.1.act");
  sql +=
      "INSERT INTO raw_link VALUES(12, 7, 'instruction', 1.0, 1.0, 0), (11, 7, 'instruction', 1.0, 0.0, 0), "
      "(14, 8, 'payload_node', 1.0, 0.75, 0), (14, 9, 'dataflow', 0.6, 0.25, 1);"
      "INSERT INTO raw_unlinked VALUES(15, 'inserted by the lowering');";
  for (const int id : {12, 14}) {
    for (int i = 0; i < (id == 12 ? 4 : 2); ++i) {
      sql += "INSERT INTO raw_sample VALUES((" + std::to_string(id) + " << 32) | " + std::to_string(i) + ", 2, 0, " +
             std::to_string(100 + i) + ");";
    }
  }
  sql +=
      "INSERT INTO raw_value(trace, op, run, ordinal, item, is_output, kind, dtype, shape, numel, min, max, sum, "
      "abs_sum, nan_count, "
      "inf_count, first_values) VALUES(1, 12, 2, 0, 0, 0, 'tensor', 'float32', '[2, 2]', 4, -1.5, 2.0, 0.5, 3.5, 0, 0, "
      "'[1, 2]'), "
      "(1, NULL, 2, 1, 0, 1, 'tensor', 'float32', '[2]', 2, 0, 1, 1, 1, 0, 0, 'not json');";
  status = store.exec(sql.c_str());
  EXPECT_TRUE(status.ok()) << status.message();
  status = store.build_indexes();
  EXPECT_TRUE(status.ok()) << status.message();
  return store;
}

}  // namespace et::inspector::test
