// A store that a test fills by hand: rows of the private tables, with the statistics that ingest would compute.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inspector/store/store.h"

namespace et::inspector {

class ExportStore {
 public:
  ExportStore() {
    const Status s = Store::open("", Store::Mode::Memory, &store);
    EXPECT_TRUE(s.ok()) << s.message();
    run("INSERT INTO raw_trace(id, name, unit, events, executions) VALUES(1, NULL, 'ns', 0, 0)");
    run("INSERT INTO raw_method(id, trace, ordinal, name, sources) VALUES(1, 1, 0, 'forward', 'record')");
  }

  struct OpSpec {
    std::string name;
    std::string kind = "operator_call";
    int64_t parent = 0;  // 0 = none
    std::optional<int64_t> instruction = {};
    std::string backend = {};
    std::string clock = {};  // foreign
    std::string op_types = {};
    int64_t delegate = 0;
  };

  void run(const std::string& sql) {
    const Status s = store.exec(sql.c_str());
    EXPECT_TRUE(s.ok()) << s.message() << "\n" << sql;
  }
  int64_t block(const std::string& kind = "execute", bool has_method = true) {
    const int64_t id = ++blocks_;
    store
        .query(
            "INSERT INTO raw_block(id, trace, ordinal, name, kind, method, runs, total) VALUES(?1,1,?2,?3,?4,?5,0,0)")
        .run(id, id - 1, kind == "execute" ? "Execute" : "Default", kind,
             has_method ? std::optional<int64_t>(1) : std::nullopt);
    return id;
  }
  int64_t op(int64_t block, const OpSpec& o) {
    const int64_t id = ++ops_;
    auto text = [](const std::string& s) { return s.empty() ? std::nullopt : std::optional<std::string>(s); };
    auto row = [](int64_t v) { return v == 0 ? std::nullopt : std::optional<int64_t>(v); };
    Statement st = store.query(
        "INSERT INTO raw_op(id, trace, block, ordinal, parent, name, kind, instruction_id, backend, clock, op_types, "
        "resolution_limited, count, sum, self, delegate) VALUES(?1,1,?2,?3,?4,?5,?6,?7,?8,?9,?10,0,0,0,0,?11)");
    const auto backend = text(o.backend), clock = text(o.clock), types = text(o.op_types);
    EXPECT_TRUE(st.run(id, block, id, row(o.parent), store.intern(o.name), o.kind, o.instruction, backend, clock, types,
                       row(o.delegate)));
    return id;
  }
  int64_t execution(int64_t block) {
    const int64_t id = ++runs_;
    store
        .query(
            "INSERT INTO raw_run(id, trace, block, ordinal, execution, start, duration, is_cold, complete) "
            "VALUES(?1,1,?2,?3,?4,0,0,?5,1)")
        .run(id, block, id - 1, executions_[block]++, id == 1 ? 1 : 0);
    return id;
  }
  void sample(int64_t op, int64_t run_id, int64_t start, int64_t duration) {
    store.query("INSERT INTO raw_sample VALUES(?1,?2,?3,?4)")
        .run((op << 32) + positions_[op]++, run_id, start, duration);
    ++samples;
  }
  int64_t node(const std::string& name, const std::string& op, const std::string& arguments,
               const std::string& file = "", int64_t line = 0, std::optional<int64_t> handle = {},
               const std::string& code = "", const std::string& subgraph = "") {
    const int64_t id = ++nodes_;
    auto text = [&](const std::string& s) { return s.empty() ? std::nullopt : std::optional(store.intern(s)); };
    const auto f = text(file), c = text(code), fn = text(file.empty() ? "" : "forward");
    EXPECT_TRUE(store
                    .query("INSERT INTO raw_node(id, trace, method, graph, subgraph, ordinal, name, target, op, "
                           "debug_handle, file, line, "
                           "function, code, arguments, dtype, shape) "
                           "VALUES(?1,1,1,'edge',?11,?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,'float32','[2, 3]')")
                    .run(id, name, "executorch.exir.dialects.edge.ops." + op, op, handle, f,
                         file.empty() ? std::nullopt : std::optional(line), fn, c, arguments, subgraph));
    return id;
  }
  void edge(int64_t from, int64_t to, const std::string& value) {
    store.query("INSERT INTO raw_edge VALUES(1,?1,?2,?3,'float32','[2, 3]')").run(from, to, value);
  }
  void value(const std::string& role, int64_t ordinal, const std::string& name, std::optional<int64_t> node_id = {},
             const std::string& kind = "", const std::string& target = "", const std::string& subgraph = "") {
    store.query("INSERT INTO raw_graph_value VALUES(1,1,'edge',?7,?1,?2,?3,?4,?5,?6,'float32','[2, 3]')")
        .run(role, ordinal, name, node_id, kind, target, subgraph);
  }
  void instruction(int64_t number, const std::string& kind, const std::string& kernel, int64_t delegate,
                   const std::string& handles) {
    store
        .query(
            "INSERT INTO raw_instruction(trace, method, instruction_id, kind, operator, delegate, arguments, "
            "debug_handles) "
            "VALUES(1,1,?1,?2,?3,?4,'[]',?5)")
        .run(number, kind, kernel.empty() ? std::nullopt : std::optional(kernel),
             delegate == 0 ? std::nullopt : std::optional(delegate), handles);
  }
  void link(int64_t op, int64_t node, double weight = 1) {
    store.query("INSERT INTO raw_link VALUES(?1,?2,'instruction',1.0,?3,0)").run(op, node, weight);
  }

  /// Statistics, totals and indexes, as ingest leaves them.
  void finish() {
    run("UPDATE raw_op SET count = (SELECT count(*) FROM samples s WHERE s.op_id = raw_op.id),"
        " sum = (SELECT coalesce(sum(duration_ns), 0) FROM samples s WHERE s.op_id = raw_op.id)");
    run("UPDATE raw_op SET mean = 1.0 * sum / count, p50 = 1.0 * sum / count,"
        " min = (SELECT min(duration_ns) FROM samples s WHERE s.op_id = raw_op.id),"
        " max = (SELECT max(duration_ns) FROM samples s WHERE s.op_id = raw_op.id) WHERE count > 0");
    run("UPDATE raw_op SET self = sum - (SELECT coalesce(sum(c.sum), 0) FROM raw_op c WHERE c.parent = raw_op.id AND "
        "c.clock IS raw_op.clock)");
    run("UPDATE raw_block SET total = (SELECT coalesce(sum(sum), 0) FROM raw_op o WHERE o.block = raw_block.id AND "
        "o.parent IS NULL AND o.clock IS NULL),"
        " runs = (SELECT count(*) FROM raw_run r WHERE r.block = raw_block.id)");
    run("UPDATE raw_op SET share = 1.0 * sum / (SELECT nullif(total, 0) FROM raw_block b WHERE b.id = block),"
        " self_share = 1.0 * self / (SELECT nullif(total, 0) FROM raw_block b WHERE b.id = block)");
    EXPECT_TRUE(store.build_indexes().ok());
  }

  Store store;
  int64_t samples = 0;

 private:
  int64_t blocks_ = 0, ops_ = 0, runs_ = 0, nodes_ = 0;
  std::map<int64_t, int64_t> positions_, executions_;
};

/// A small trace of two executions: Method::execute around an operator, a delegate call with three inner ops of whole
/// microseconds (one of no length, together longer than the call) and an op on the clock of an accelerator.
inline void fill_usual(ExportStore* x) {
  const int64_t load = x->block("load"), b = x->block();
  const int64_t init = x->op(load, {.name = "Method::init", .kind = "framework"});
  const int64_t call = x->op(
      b,
      {.name = "DELEGATE_CALL", .kind = "delegate_call", .parent = 6, .instruction = 1, .backend = "XnnpackBackend"});
  const int64_t conv = x->op(
      b,
      {.name = "Convolution #1", .kind = "delegate_op", .parent = call, .instruction = 1, .backend = "XnnpackBackend"});
  const int64_t none = x->op(
      b, {.name = "Clamp #1", .kind = "delegate_op", .parent = call, .instruction = 1, .backend = "XnnpackBackend"});
  const int64_t npu = x->op(
      b, {.name = "NPU", .kind = "delegate_op", .parent = call, .instruction = 1, .backend = "Npu", .clock = "cycles"});
  const int64_t exec = x->op(b, {.name = "Method::execute", .kind = "framework"});
  const int64_t add =
      x->op(b, {.name = "OPERATOR_CALL", .parent = exec, .instruction = 0, .op_types = "[\"aten.add.Tensor\"]"});
  const int64_t kernel = x->op(b, {.name = "native_call_add.out", .kind = "kernel", .parent = add, .instruction = 0});
  ASSERT_EQ(exec, 6);
  const int64_t r0 = x->execution(load);
  x->sample(init, r0, 100, 500);
  for (int k = 0; k < 2; ++k) {
    const int64_t r = x->execution(b), t = 10000 + 20000 * k;
    x->sample(exec, r, t, 12345);
    x->sample(add, r, t, 3000);  // starts with its parent
    x->sample(kernel, r, t + 100, 2000);
    x->sample(call, r, t + 4000, 7500);
    x->sample(conv, r, t + 4200, 6000);
    x->sample(none, r, t + 10200, k == 0 ? 0 : 2000);  // the second one sticks out by 700
    x->sample(npu, r, 77 + 1000 * k, 999);
  }
  const int64_t n =
      x->node("aten_add_tensor", "aten.add.Tensor", "self=x, other=y", "/src/model.py", 3, 1, "return x + y");
  x->link(add, n);
  x->finish();
}

}  // namespace et::inspector
