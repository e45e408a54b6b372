// One method of a program with inputs, run again and again: what et-run does, without its printing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "base/status.h"
#include "bundled_program/bundle.h"
#include "cli/run/fill_tensor.h"
#include "etdump/etdump_gen.h"
#include "runtime/executor/method.h"
#include "runtime/executor/program.h"
#include "runtime/loader/buffer_data_loader.h"
#include "runtime/module/host_tensor.h"
#include "runtime/module/method_arenas.h"
#include "runtime/module/weights.h"

namespace et::cli {

struct ModelOptions {
  std::string path;
  std::string method;                            // empty: forward, or the only one
  std::vector<std::string> inputs;               // .npy, one for each tensor input
  std::vector<std::string> data_files;           // .ptd
  bool find_data = true;                         // without any: those beside the program, where it asks for weights
  std::vector<std::pair<size_t, size_t>> pools;  // memory id → bytes
  Fill fill = Fill::Ones;
  uint64_t seed = 0;
  EventTracer* tracer = nullptr;
  bool fallback = false;  // a delegate that cannot be loaded stops the run where it is called, not the loading
};

class ModelRun {
 public:
  ModelRun();
  ~ModelRun();

  /// Opens the files and loads the method. The message of an error says which file and what.
  Status load(const ModelOptions& options);
  /// Sets the inputs of `round` (bundled programs have several, others one). Before each execution: a program may use
  /// the planned memory of its inputs for something else once it has read them.
  Status prepare(size_t round);
  Status execute();
  /// Off: executions leave no events, for warming up.
  void set_traced(bool traced) { method_->set_event_tracer(traced ? tracer_ : nullptr); }
  /// Rounds of one iteration: the test cases of a bundled program, else 1.
  size_t rounds() const;

  struct Arena {
    std::string name;
    uint64_t capacity = 0;    // 0: grows as needed
    uint64_t high_water = 0;  // bytes that were in use at most
  };
  std::vector<Arena> arenas() const;
  const Method& method() const { return *method_; }
  bool loaded() const { return method_.has_value(); }
  /// What delegates said that could not be loaded, under `fallback`.
  const std::string& left_out() const { return left_out_; }
  const std::string& method_name() const { return name_; }
  std::span<const uint8_t> program_bytes() const { return program_bytes_; }
  std::span<const uint8_t> first_data_bytes() const { return weights_.first_file(); }
  /// Tensor files that nobody named.
  const std::vector<std::string>& found_data() const { return found_data_; }
  bool bundled() const { return bundled_; }

 private:
  Status choose_method(const ModelOptions& options);
  Status make_inputs(const ModelOptions& options);
  Status make_bundled_inputs(size_t round);
  Status refused_input(size_t round, size_t i, Error error) const;

  MappedFile file_;
  std::span<const uint8_t> program_bytes_;
  bool bundled_ = false;
  bundled::Suite suite_;
  std::optional<BufferDataLoader> loader_;
  std::optional<Program> program_;
  Weights weights_;
  std::vector<std::string> found_data_;
  std::vector<std::unique_ptr<uint8_t[]>> pool_memory_;
  std::unique_ptr<MethodArenas> arenas_;
  std::optional<Method> method_;
  std::string name_, left_out_;
  std::vector<std::unique_ptr<HostTensor>> inputs_, outputs_;
  std::vector<EValue> values_;  // one for each input; tensors are those of inputs_
  EventTracer* tracer_ = nullptr;
};

}  // namespace et::cli
