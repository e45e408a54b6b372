// Lifetimes to addresses: values that live at the same time never overlap, and those that do not share memory.
#include <gtest/gtest.h>

#include <random>

#include "runtime/backends/xnnpack/graph/memory_plan.h"

namespace et::xnn::testing {
namespace {

class Node final : public Operator {
 public:
  Error reshape(Graph&) override { return Error::Ok; }
  void run(Graph&, uint8_t*) override {}
};

struct Made {
  Graph graph;
  std::vector<Operator*> order;

  uint32_t value(int64_t elements) {
    Value v;
    v.storage = Storage::F32;
    v.datatype = format::XnnDatatype::Fp32;
    v.shape = v.declared = {1, {elements}};
    graph.values.push_back(v);
    return static_cast<uint32_t>(graph.values.size()) - 1;
  }
  Operator& node(std::vector<uint32_t> in, uint32_t out, Operator::Reuse reuse = Operator::Reuse::None) {
    auto op = std::make_unique<Node>();
    op->inputs = std::move(in);
    op->outputs = {out};
    op->result = out;
    op->reuse = reuse;
    graph.operators.push_back(std::move(op));
    order.push_back(graph.operators.back().get());
    return *order.back();
  }
  void place(MemoryPlan* plan, uint8_t* arena) {
    ASSERT_EQ(plan->make(graph, order, size_t{1} << 30), Error::Ok);
    plan->place(graph, arena, std::vector<uint8_t*>(graph.values.size()));
  }
};

TEST(MemoryPlan, AChainNeedsTwoBuffers) {
  Made m;
  uint32_t last = m.value(100);
  m.node({}, last);
  for (int i = 0; i < 10; ++i) {
    const uint32_t next = m.value(100);
    m.node({last}, next);
    last = next;
  }
  MemoryPlan plan;
  ASSERT_EQ(plan.make(m.graph, m.order, 1 << 20), Error::Ok);
  EXPECT_EQ(plan.bytes(), 2u * 448);  // 400 bytes in steps of 64
}

TEST(MemoryPlan, InPlaceOnlyWhenNobodyElseReads) {
  Made m;
  const uint32_t a = m.value(100), b = m.value(100), c = m.value(100);
  m.node({}, a);
  m.node({a}, b, Operator::Reuse::InPlace);
  m.node({b}, c, Operator::Reuse::InPlace);
  std::vector<uint8_t> arena(4096);
  MemoryPlan plan;
  m.place(&plan, arena.data());
  EXPECT_EQ(m.graph.values[a].data, m.graph.values[c].data);
  m.node({a}, m.value(100));  // a is read at the end
  m.place(&plan, arena.data());
  EXPECT_NE(m.graph.values[a].data, m.graph.values[b].data);
  EXPECT_EQ(m.graph.values[b].data, m.graph.values[c].data);
}

TEST(MemoryPlan, AViewKeepsItsSourceAlive) {
  Made m;
  const uint32_t a = m.value(100), view = m.value(100), b = m.value(100), c = m.value(100);
  m.node({}, a);
  m.node({a}, view, Operator::Reuse::View);
  m.node({a}, b, Operator::Reuse::InPlace);  // not in place: the view is read below
  m.node({view, b}, c);
  std::vector<uint8_t> arena(4096);
  MemoryPlan plan;
  m.place(&plan, arena.data());
  EXPECT_EQ(m.graph.values[a].data, m.graph.values[view].data);
  EXPECT_NE(m.graph.values[a].data, m.graph.values[b].data);
}

TEST(MemoryPlan, RandomGraphsNeverOverlap) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    Made m;
    const int n = 2 + static_cast<int>(random() % 30);
    std::vector<uint32_t> made;
    for (int i = 0; i < n; ++i) {
      std::vector<uint32_t> in;
      for (size_t k = 0; !made.empty() && k < 1 + random() % 2; ++k) in.push_back(made[random() % made.size()]);
      // Views have the size of their source.
      const auto reuse = static_cast<Operator::Reuse>(in.empty() ? 0 : random() % 3);
      const int64_t size = in.empty() || (reuse == Operator::Reuse::None && random() % 2)
                               ? 1 + random() % 300
                               : m.graph.values[in[0]].shape.numel();
      const uint32_t out = m.value(size);
      m.node(in, out, reuse);
      made.push_back(out);
    }
    std::vector<uint8_t> arena(1 << 20);
    MemoryPlan plan;
    m.place(&plan, arena.data());
    // Every value holds its own number (views that of their source) from when it is written until it is read last.
    std::vector<int> content(arena.size(), -1);
    std::vector<int> number(m.graph.values.size(), -1);
    for (size_t i = 0; i < m.order.size(); ++i) {
      const Operator& op = *m.order[i];
      for (const uint32_t v : op.inputs) {
        const Value& value = m.graph.values[v];
        for (size_t b = 0; b < value.bytes(); ++b) {
          ASSERT_EQ(content[static_cast<size_t>(value.data - arena.data()) + b], number[v]) << "round " << round;
        }
      }
      const Value& out = m.graph.values[op.result];
      const bool view = op.reuse == Operator::Reuse::View && out.data == m.graph.values[op.inputs[0]].data;
      number[op.result] = view ? number[op.inputs[0]] : static_cast<int>(i);
      ASSERT_LE(static_cast<size_t>(out.data - arena.data()) + out.bytes(), plan.bytes());
      std::fill_n(content.begin() + (out.data - arena.data()), out.bytes(), number[op.result]);
    }
  }
}

TEST(MemoryPlan, RefusesMoreThanTheLimit) {
  Made m;
  m.node({}, m.value(1000));
  MemoryPlan plan;
  EXPECT_EQ(plan.make(m.graph, m.order, 1000), Error::MemoryAllocationFailed);
}

}  // namespace
}  // namespace et::xnn::testing
