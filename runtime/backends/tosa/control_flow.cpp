// COND_IF and WHILE_LOOP: operators whose attributes name regions.
#include <cstring>

#include "runtime/backends/tosa/loader.h"

namespace et::tosa {
namespace {

struct Ends {
  std::vector<const uint8_t*> in;
  std::vector<uint8_t*> out;
};

bool match(OpBuilder& builder, const Value& outer, const Value& inner, const char* what, size_t i) {
  return (outer.type == inner.type && outer.shape == inner.shape) ||
         builder.fail("%s %zu of the region: expected the operator's type and shape %s, got shape %s", what, i,
                      shape_text(outer.shape).c_str(), shape_text(inner.shape).c_str());
}

/// The region takes the operator's inputs from `first` on.
bool takes_inputs(OpBuilder& builder, const Block& region, size_t first) {
  if (region.inputs.size() != builder.in_count() - first) {
    return builder.fail("region %.40s: expected %zu inputs, got %zu", region.name.c_str(), builder.in_count() - first,
                        region.inputs.size());
  }
  for (size_t i = 0; i < region.inputs.size(); ++i) {
    if (!match(builder, builder.in(first + i), region.input(i), "input", i)) return false;
  }
  return true;
}

bool gives_outputs(OpBuilder& builder, const Block& region) {
  if (region.outputs.size() != builder.out_count()) {
    return builder.fail("region %.40s: expected %zu outputs, got %zu", region.name.c_str(), builder.out_count(),
                        region.outputs.size());
  }
  for (size_t i = 0; i < region.outputs.size(); ++i) {
    if (!match(builder, builder.out(i), region.output(i), "output", i)) return false;
  }
  return true;
}

std::vector<uint32_t> ids(OpBuilder& builder, bool inputs, size_t first) {
  std::vector<uint32_t> list;
  const size_t n = inputs ? builder.in_count() : builder.out_count();
  for (size_t i = first; i < n; ++i) list.push_back(inputs ? builder.in_id(i) : builder.out_id(i));
  return list;
}

}  // namespace

Kernel prepare_cond_if(OpBuilder& builder, Loader& loader) {
  if (builder.in_count() == 0 || !builder.is_type(builder.in(0), Type::Bool) || builder.in(0).count != 1) {
    builder.fail("expected a condition of one BOOL");
    return {};
  }
  Block* then_block = loader.region(builder, builder.text("then_graph"));
  if (then_block == nullptr) return {};
  Block* else_block = loader.region(builder, builder.text("else_graph"));
  if (else_block == nullptr) return {};
  for (const Block* region : {then_block, else_block}) {
    if (!takes_inputs(builder, *region, 1) || !gives_outputs(builder, *region)) return {};
  }
  return [condition = builder.in_id(0), in = ids(builder, true, 1), out = ids(builder, false, 0), then_block,
          else_block](Frame& f) {
    Ends ends;
    for (const uint32_t id : in) ends.in.push_back(f.at<uint8_t>(id));
    for (const uint32_t id : out) ends.out.push_back(f.at<uint8_t>(id));
    return f.run().block(*f.at<uint8_t>(condition) != 0 ? *then_block : *else_block, ends.in, ends.out);
  };
}

Kernel prepare_while_loop(OpBuilder& builder, Loader& loader, Budget& budget) {
  Block* test = loader.region(builder, builder.text("cond_graph"));
  if (test == nullptr) return {};
  Block* body = loader.region(builder, builder.text("body_graph"));
  if (body == nullptr) return {};
  if (!takes_inputs(builder, *test, 0) || !takes_inputs(builder, *body, 0) || !gives_outputs(builder, *body)) return {};
  if (builder.in_count() != builder.out_count()) {
    builder.fail("expected as many outputs as inputs, got %zu inputs and %zu outputs", builder.in_count(),
                 builder.out_count());
    return {};
  }
  if (test->outputs.size() != 1 || test->output(0).type != Type::Bool || test->output(0).count != 1) {
    builder.fail("region %.40s: expected one BOOL as its output", test->name.c_str());
    return {};
  }
  // The state of a turn and that of the next one; a body may give its inputs back in another order.
  auto state = std::make_shared<std::vector<std::vector<uint8_t>>>();
  std::vector<size_t> sizes;
  for (size_t i = 0; i < builder.in_count(); ++i) {
    if (!match(builder, builder.in(i), builder.out(i), "output", i)) return {};
    sizes.push_back(builder.in(i).bytes());
    if (!builder.memory(2 * sizes.back())) return {};
    for (int k = 0; k < 2; ++k) state->emplace_back(sizes.back() + 8);
  }
  return [in = ids(builder, true, 0), out = ids(builder, false, 0), sizes, state, test, body,
          limit = budget.limits.iterations](Frame& f) {
    Ends ends[2];
    for (size_t i = 0; i < in.size(); ++i) {
      for (size_t k = 0; k < 2; ++k) {
        ends[k].in.push_back((*state)[2 * i + k].data());
        ends[k].out.push_back((*state)[2 * i + k].data());
      }
      std::memcpy(ends[0].out[i], f.at<uint8_t>(in[i]), sizes[i]);
    }
    size_t now = 0;
    for (uint64_t turn = 0;; ++turn) {
      uint8_t goes_on = 0;
      uint8_t* const answer = &goes_on;
      if (!f.run().block(*test, ends[now].in, {&answer, 1})) return false;
      if (goes_on == 0) break;
      if (turn == limit) return f.fail("the loop exceeds the limit of iterations");
      if (!f.run().block(*body, ends[now].in, ends[1 - now].out)) return false;
      now = 1 - now;
    }
    for (size_t i = 0; i < out.size(); ++i) std::memcpy(f.at<uint8_t>(out[i]), ends[now].in[i], sizes[i]);
    return true;
  };
}

}  // namespace et::tosa
