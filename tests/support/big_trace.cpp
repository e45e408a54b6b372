// Big synthetic traces: executions of a made-up program, all alike but for their times.
#include <array>

#include "tests/support/trace_chunks.h"

namespace et::test {

namespace {

constexpr std::array<const char*, 8> kOperators = {
    "add.out", "mul.out", "mean.out", "_softmax.out", "cumsum.out", "view_copy.out", "_to_dim_order_copy.out",
    "bmm.out"};
constexpr std::array<const char*, 6> kDelegateOperators = {"Convolution (NHWC, F32) IGEMM",
                                                           "Fully Connected (NC, F32) GEMM",
                                                           "Transpose (ND, X32)",
                                                           "Clamp (NC, F32)",
                                                           "Add (ND, F32)",
                                                           "Softmax (NC, F32)"};

// Events outside of instructions: upstream leaves instruction 0 on them.
EventSpec framework(const char* name) { return {.name = name, .chain = -1, .instruction = 0}; }

Chunk default_chunk() {
  Chunk c("Default", 2);
  c.event(framework("Method::init"));
  c.event(framework("Program::load_method"));
  c.finish();
  c.set_times(0, 1'000, 41'000);
  c.set_times(1, 500, 45'000);
  return c;
}

Chunk execute_chunk(const BigTrace& shape) {
  Chunk c("Execute", shape.events_per_execution());
  int32_t instruction = 0;
  for (unsigned i = 0; i < shape.operators; ++i, ++instruction) {
    c.event({.name = std::string("native_call_") + kOperators[i % kOperators.size()], .instruction = instruction});
    c.event({.name = "OPERATOR_CALL", .instruction = instruction});
  }
  for (unsigned i = 0; i < shape.delegates; ++i, ++instruction) {
    for (unsigned k = 0; k < shape.delegate_operators; ++k) {
      const size_t kind = k % kDelegateOperators.size();
      c.event({.instruction = instruction,
               .delegate_str =
                   std::string(kDelegateOperators[kind]) + " #" + std::to_string(k / kDelegateOperators.size() + 1),
               .metadata = std::vector<uint8_t>()});
    }
    c.event({.name = "DELEGATE_CALL", .instruction = instruction});
  }
  c.event(framework("Method::execute"));
  c.finish();
  return c;
}

// Gives an execution that begins at `now` its times; returns when it ends.
uint64_t set_execution_times(const BigTrace& shape, uint64_t now, uint64_t* noise, Chunk* c) {
  auto jitter = [&](uint64_t below) {
    *noise = *noise * 6364136223846793005u + 1442695040888963407u;
    return (*noise >> 33) % below;
  };
  size_t e = 0;
  uint64_t t = now + 300;
  for (unsigned i = 0; i < shape.operators; ++i) {
    const uint64_t call = t;
    const uint64_t kernel = call + 60 + jitter(20);
    const uint64_t done = kernel + 1'000 * (i + 1) + jitter(200);
    t = done + 40;
    c->set_times(e++, kernel, done);
    c->set_times(e++, call, t);
    t += 30;
  }
  for (unsigned i = 0; i < shape.delegates; ++i) {
    const uint64_t call = t;
    uint64_t at = call + 900;
    for (unsigned k = 0; k < shape.delegate_operators; ++k) {
      const uint64_t us = 2 * (k + 1) + jitter(3);
      c->set_times(e++, at, at + 1'000 * us);
      at += 1'000 * us;
    }
    t = at + 1'500 + jitter(300);
    c->set_times(e++, call, t);
    t += 30;
  }
  c->set_times(e++, now, t + 100);
  return t + 100;
}

TrailerSpec big_trailer(const BigTrace& shape) {
  TrailerSpec trailer;
  trailer.producer = "et_make_trace 1";
  trailer.policy = "stop";
  trailer.overhead_ns = 35;
  trailer.host = TrailerSpec::Host{"bench", "synthetic cpu", "Linux", "g++ -O2", "portable", 2, 1};
  trailer.clock = TrailerSpec::Clock{"monotonic", 1, 1, 0};
  trailer.labels = {{"kind", "synthetic"}};
  trailer.runs.resize(shape.executions + 1);
  trailer.runs[0].method = "forward";
  trailer.runs[0].kind = "load";
  for (uint64_t i = 0; i < shape.executions; ++i) {
    trailer.runs[i + 1].method = "forward";
    trailer.runs[i + 1].kind = "execute";
    trailer.runs[i + 1].execution = i;
  }
  return trailer;
}

}  // namespace

void make_big_trace(const std::string& path, const BigTrace& shape) {
  RepeatedDump dump{.each = execute_chunk(shape), .repeats = shape.executions, .size_prefixed = shape.size_prefixed};
  dump.once.push_back(default_chunk());
  if (shape.trailer) dump.trailer = big_trailer(shape).bytes();
  uint64_t now = 100'000;
  uint64_t noise = 1;
  dump.set_times = [&](uint64_t, Chunk* c) { now = 5'000 + set_execution_times(shape, now, &noise, c); };
  dump.write(path);
}

}  // namespace et::test
