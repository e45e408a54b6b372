// Module: a program and its methods behind one object, for applications with an operating system and a heap. What is
// needed is loaded when it is first asked for.
//
//   et::Module model("model.pte");
//   auto input = et::from_blob(data, {1, 3});
//   auto outputs = model.forward(input);   // Result<std::vector<EValue>>
//
// Names, argument orders and defaults are those of ExecuTorch's Module. Outputs refer to the method's memory: its next
// execution overwrites them. One thread at a time.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/core/event_tracer.h"
#include "runtime/executor/method.h"
#include "runtime/executor/program.h"
#include "runtime/module/method_arenas.h"
#include "runtime/module/shared_arenas.h"

namespace et {

class Module {
 public:
  enum class LoadMode {
    File,                      // read into memory
    Mmap,                      // mapped, read as it is touched
    MmapUseMlock,              // and kept in memory; loading fails when the system refuses that
    MmapUseMlockIgnoreErrors,  // and kept in memory if the system lets us
    MmapUseMadvise,            // and read ahead
  };

  /// Files are opened by load(). `data_files` are tensor files (.ptd) with weights that the program keeps outside.
  /// Without allocators memory comes from the heap and is given back when a method is unloaded.
  ///
  /// `share_memory_arenas`: all methods share the arenas 1 and 2, as large as the largest needs, so that one method's
  /// execution overwrites the outputs of another. False: they share arena 2 alone, and only when at least two methods
  /// keep named state there (programs exported with shared mutable buffers).
  explicit Module(const std::string& file_path, LoadMode load_mode = LoadMode::File,
                  std::unique_ptr<EventTracer> event_tracer = nullptr,
                  std::unique_ptr<MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<MemoryAllocator> temp_allocator = nullptr, bool share_memory_arenas = false);
  explicit Module(const std::string& file_path, const std::string& data_map_path, LoadMode load_mode = LoadMode::File,
                  std::unique_ptr<EventTracer> event_tracer = nullptr,
                  std::unique_ptr<MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<MemoryAllocator> temp_allocator = nullptr, bool share_memory_arenas = false);
  explicit Module(const std::string& file_path, std::vector<std::string> data_files,
                  LoadMode load_mode = LoadMode::File, std::unique_ptr<EventTracer> event_tracer = nullptr,
                  std::unique_ptr<MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<MemoryAllocator> temp_allocator = nullptr, bool share_memory_arenas = false);
  explicit Module(std::unique_ptr<DataLoader> data_loader, std::unique_ptr<MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<MemoryAllocator> temp_allocator = nullptr,
                  std::unique_ptr<EventTracer> event_tracer = nullptr,
                  std::unique_ptr<DataLoader> data_map_loader = nullptr, bool share_memory_arenas = false);
  /// The program from a loader, the weights from files.
  explicit Module(std::unique_ptr<DataLoader> data_loader, std::vector<std::string> data_files, LoadMode load_mode,
                  bool share_memory_arenas = false);
  /// The program's loader must outlive the program.
  explicit Module(std::shared_ptr<Program> program, std::unique_ptr<MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<MemoryAllocator> temp_allocator = nullptr,
                  std::unique_ptr<EventTracer> event_tracer = nullptr,
                  std::unique_ptr<DataLoader> data_map_loader = nullptr, bool share_memory_arenas = false);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  virtual ~Module() = default;

  // --- Program --------------------------------------------------------------------------------------------------
  /// AccessFailed, NotSupported: a file cannot be read that way; InvalidProgram, InvalidExternalData: it is not what it
  /// should be; InvalidArgument: two data files share a key. The log names file and cause.
  [[nodiscard]] virtual Error load(Program::Verification verification = Program::Verification::Minimal);
  virtual bool is_loaded() const { return program_ != nullptr; }
  /// Null before load(). Keeps its loader alive.
  std::shared_ptr<Program> program() const { return program_; }
  Result<size_t> num_methods();
  Result<std::unordered_set<std::string>> method_names();
  /// InvalidArgument: no such method; the log lists those there are.
  Result<MethodMeta> method_meta(const std::string& method_name);

  // --- Methods --------------------------------------------------------------------------------------------------
  /// A loaded method stays as it is. `planned_memory`, `event_tracer` and the memory that the rows of `kernels` point
  /// to must live until it is unloaded; `kernels` go before the global registry. Without a tracer the module's is used.
  /// `options`: settings of backends for this load.
  /// OperatorMissing, NotFound: every operator without kernel and every missing backend is in the log.
  [[nodiscard]] Error load_method(const std::string& method_name, HierarchicalAllocator* planned_memory = nullptr,
                                  EventTracer* event_tracer = nullptr, std::vector<Kernel> kernels = {},
                                  ArrayRef<BackendLoadOptions> options = {});
  [[nodiscard]] Error load_method(const std::string& method_name, EventTracer* event_tracer) {
    return load_method(method_name, nullptr, event_tracer);
  }
  [[nodiscard]] Error load_forward(HierarchicalAllocator* planned_memory = nullptr, EventTracer* event_tracer = nullptr,
                                   std::vector<Kernel> kernels = {}, ArrayRef<BackendLoadOptions> options = {}) {
    return load_method("forward", planned_memory, event_tracer, std::move(kernels), options);
  }
  [[nodiscard]] Error load_forward(EventTracer* event_tracer) { return load_forward(nullptr, event_tracer); }
  /// False: it was not loaded. State that no loaded method shares is lost.
  bool unload_method(const std::string& method_name);
  bool unload_forward() { return unload_method("forward"); }
  bool is_method_loaded(const std::string& method_name) const { return methods_.count(method_name) > 0; }
  /// Loads the method if needed. Valid until it is unloaded.
  Result<Method*> method(const std::string& method_name);

  // --- Execution ------------------------------------------------------------------------------------------------
  /// Sets the first inputs, runs the method and gives its outputs. Inputs set before stay set. An output that the
  /// program leaves to the caller, and that set_output() gave no memory, gets some of the module.
  [[nodiscard]] virtual Result<std::vector<EValue>> execute(const std::string& method_name,
                                                            const std::vector<EValue>& input_values);
  [[nodiscard]] Result<std::vector<EValue>> execute(const std::string& method_name,
                                                    std::initializer_list<EValue> input_values) {
    return execute(method_name, std::vector<EValue>(input_values));
  }
  [[nodiscard]] Result<std::vector<EValue>> execute(const std::string& method_name, const EValue& input_value) {
    return execute(method_name, std::vector<EValue>{input_value});
  }
  [[nodiscard]] Result<std::vector<EValue>> execute(const std::string& method_name) {
    return execute(method_name, std::vector<EValue>{});
  }
  /// The first output. InvalidArgument: the method has none.
  [[nodiscard]] Result<EValue> get(const std::string& method_name, const std::vector<EValue>& input_values);
  [[nodiscard]] Result<EValue> get(const std::string& method_name, std::initializer_list<EValue> input_values) {
    return get(method_name, std::vector<EValue>(input_values));
  }
  [[nodiscard]] Result<EValue> get(const std::string& method_name, const EValue& input_value) {
    return get(method_name, std::vector<EValue>{input_value});
  }
  [[nodiscard]] Result<EValue> get(const std::string& method_name) { return get(method_name, std::vector<EValue>{}); }
  [[nodiscard]] Result<std::vector<EValue>> forward(const std::vector<EValue>& input_values) {
    return execute("forward", input_values);
  }
  [[nodiscard]] Result<std::vector<EValue>> forward(std::initializer_list<EValue> input_values) {
    return execute("forward", std::vector<EValue>(input_values));
  }
  [[nodiscard]] Result<std::vector<EValue>> forward(const EValue& input_value) {
    return execute("forward", input_value);
  }
  [[nodiscard]] Result<std::vector<EValue>> forward() { return execute("forward"); }

  // --- Inputs and outputs: load the method if needed --------------------------------------------------------------
  [[nodiscard]] Error set_input(const std::string& method_name, const EValue& input_value, size_t input_index);
  [[nodiscard]] Error set_input(const EValue& input_value, size_t input_index) {
    return set_input("forward", input_value, input_index);
  }
  [[nodiscard]] Error set_inputs(const std::string& method_name, const std::vector<EValue>& input_values);
  [[nodiscard]] Error set_inputs(const std::vector<EValue>& input_values) {
    return set_inputs("forward", input_values);
  }
  /// The output is written into the tensor's memory, which must outlive the executions. InvalidArgument: no tensor, or
  /// another dtype or too little memory; InvalidState: the program planned that output's memory.
  [[nodiscard]] Error set_output(const std::string& method_name, EValue output_value, size_t output_index = 0);
  [[nodiscard]] Error set_output(EValue output_value, size_t output_index = 0) {
    return set_output("forward", output_value, output_index);
  }
  [[nodiscard]] Error set_outputs(const std::string& method_name, const std::vector<EValue>& output_values);
  [[nodiscard]] Error set_outputs(const std::vector<EValue>& output_values) {
    return set_outputs("forward", output_values);
  }
  /// The values as they are now, without execution.
  [[nodiscard]] Result<std::vector<EValue>> get_outputs(const std::string& method_name);
  [[nodiscard]] Result<std::vector<EValue>> get_outputs() { return get_outputs("forward"); }
  [[nodiscard]] Result<EValue> get_output(const std::string& method_name, size_t output_index = 0);
  [[nodiscard]] Result<EValue> get_output(size_t output_index = 0) { return get_output("forward", output_index); }

  /// The tracer that the constructor was given, or null.
  EventTracer* event_tracer() const { return event_tracer_.get(); }

 private:
  struct WeightFile {
    std::string name;
    std::unique_ptr<DataLoader> loader;
    FreeableBuffer bytes;
    std::unique_ptr<NamedDataMap> map;
  };
  struct Loaded {
    std::vector<Kernel> kernels;
    std::unique_ptr<MethodArenas> arenas;
    std::vector<std::vector<uint8_t>> outputs;  // memory of outputs that nobody planned
    std::unique_ptr<Method> method;             // last: it uses the rest
  };

  Error load_program();
  Error load_weights();
  Error provide_outputs(Loaded* loaded) const;
  Result<Loaded*> loaded(const std::string& method_name);

  std::string name_ = "program";  // for messages
  LoadMode load_mode_ = LoadMode::File;
  bool share_all_ = false;
  std::shared_ptr<DataLoader> loader_;
  std::unique_ptr<MemoryAllocator> memory_allocator_, temp_allocator_;
  std::unique_ptr<EventTracer> event_tracer_;
  std::vector<WeightFile> weights_;
  std::vector<const NamedDataMap*> weight_maps_;
  std::unique_ptr<MergedDataMap> merged_;
  std::shared_ptr<Program> program_;
  SharedArenas shared_;

 protected:
  /// A derived class may keep more with the program.
  virtual std::shared_ptr<Program> own_program(Program&& program) const {
    return std::make_shared<Program>(std::move(program));
  }

  std::unordered_map<std::string, Loaded> methods_;  // last: uses all of the above
};

}  // namespace et
