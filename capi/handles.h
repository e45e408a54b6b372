// What the opaque handles of the C interface hold.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "etdump/etdump_gen.h"
#include "etdump/file_data_sink.h"
#include "runtime/module/module.h"
#include "runtime/module/tensor_ptr.h"

/// What a tracer and the programs that use it share.
struct et_trace_state {
  std::unique_ptr<et::etdump::FileDataSink> values;
  et::etdump::ETDumpGen gen;
};

struct et_tracer {
  std::shared_ptr<et_trace_state> state;
};

struct et_tensor {
  et::TensorPtr tensor;
};

struct et_program {
  std::shared_ptr<et_trace_state> trace;
  std::vector<uint8_t> bytes;  // of a program that was given as a buffer
  /// Inputs that a method may still point to.
  std::map<std::pair<std::string, size_t>, et::TensorPtr> inputs;
  std::unique_ptr<et::Module> module;  // last: uses the rest
};
