#include "bundled_program/perf/method_workload.h"

#include <cstring>
#include <optional>
#include <random>

#include "bundled_program/cases/input_value.h"
#include "runtime/executor/method.h"
#include "runtime/executor/program.h"
#include "runtime/loader/buffer_data_loader.h"
#include "runtime/module/host_tensor.h"
#include "runtime/module/log_capture.h"
#include "runtime/module/method_arenas.h"
#include "runtime/module/output_memory.h"

namespace et::perf {
namespace {

constexpr size_t kLine = 64;
constexpr size_t kPlaces = 64;                     // positions of a buffer within a page, a cache line apart
constexpr size_t kLargestCopy = size_t{64} << 20;  // of a program; larger ones stay where they are

/// Memory at a random place: `size` bytes from a multiple of the cache line on.
class Placed {
 public:
  Placed(size_t size, std::mt19937_64* random) : memory_(new uint8_t[size + (kPlaces + 1) * kLine]) {
    const auto start = (reinterpret_cast<uintptr_t>(memory_.get()) + kLine - 1) & ~uintptr_t{kLine - 1};
    at_ = reinterpret_cast<uint8_t*>(start) + ((*random)() % kPlaces) * kLine;
  }
  uint8_t* data() const { return at_; }

 private:
  std::unique_ptr<uint8_t[]> memory_;
  uint8_t* at_ = nullptr;
};

class MethodInstance : public Instance {
 public:
  Status load(const std::string& name, std::span<const uint8_t> program, const std::string& method,
              const std::vector<bundled::Value>& inputs, const NamedDataMap* weights, uint64_t seed) {
    std::mt19937_64 random(seed);
    static_cast<void>(take_errors());
    const auto failed = [&](Error error) {
      const std::string text = take_errors();
      return Status(error, name + ": " + (text.empty() ? "" : text + " ") + "(" + error_name(error) + ")");
    };
    if (program.size() <= kLargestCopy) {
      keep_.emplace_back(program.size(), &random);
      std::memcpy(keep_.back().data(), program.data(), program.size());
      program = {keep_.back().data(), program.size()};
    }
    loader_.emplace(program.data(), program.size());
    Result<Program> loaded = Program::load(&*loader_);
    if (!loaded.ok()) return failed(loaded.error());
    program_.emplace(std::move(*loaded));
    Result<MethodMeta> meta = program_->method_meta(method.c_str());
    if (!meta.ok()) return failed(meta.error());
    std::vector<MethodArenas::Given> given;
    for (size_t i = 0; i < meta->num_memory_planned_buffers(); ++i) {
      const auto bytes = static_cast<size_t>(*meta->memory_planned_buffer_size(i));
      keep_.emplace_back(bytes, &random);
      std::memset(keep_.back().data(), 0, bytes);
      given.push_back({i + 1, {keep_.back().data(), bytes}});
    }
    keep_.emplace_back(random() % 4096, &random);  // shifts what the heap gives next
    Result<std::unique_ptr<MethodArenas>> arenas = MethodArenas::create(*meta, given);
    if (!arenas.ok()) return failed(arenas.error());
    arenas_ = std::move(*arenas);
    Result<Method> ready = program_->load_method(method.c_str(), arenas_->manager(), nullptr, weights);
    if (!ready.ok()) return failed(ready.error());
    method_.emplace(std::move(*ready));
    give_output_memory(*method_, [&](const Tensor& t) {
      keep_.emplace_back(t.nbytes(), &random);
      return keep_.back().data();
    });
    return set_values(name, inputs, &random);
  }

  Error run() override {
    for (size_t i = 0; i < values_.size(); ++i) {
      if (const Error error = method_->set_input(values_[i], i); error != Error::Ok) return error;
    }
    return method_->execute();
  }

 private:
  Status set_values(const std::string& name, const std::vector<bundled::Value>& inputs, std::mt19937_64* random) {
    if (inputs.size() != method_->inputs_size()) {
      return {Error::InvalidArgument, name + ": the test case has " + std::to_string(inputs.size()) +
                                          " inputs, the method takes " + std::to_string(method_->inputs_size())};
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].kind == bundled::ValueKind::None) {
        return {Error::InvalidArgument, name + ": input " + std::to_string(i) + " is missing in the test case"};
      }
      // Shifts where the heap puts the tensor.
      if (inputs[i].kind == bundled::ValueKind::Tensor) keep_.emplace_back((*random)() % 4096, random);
      values_.push_back(bundled::input_value(inputs[i], method_->get_input(i), &tensors_));
    }
    return {};
  }

  std::vector<Placed> keep_;
  std::optional<BufferDataLoader> loader_;
  std::optional<Program> program_;
  std::unique_ptr<MethodArenas> arenas_;
  std::vector<std::unique_ptr<HostTensor>> tensors_;
  std::vector<EValue> values_;
  std::optional<Method> method_;  // last: it goes first
};

}  // namespace

MethodWorkload::MethodWorkload(std::string name, std::span<const uint8_t> program, std::string method,
                               std::vector<bundled::Value> inputs, const NamedDataMap* weights)
    : name_(std::move(name)),
      program_(program),
      method_(std::move(method)),
      inputs_(std::move(inputs)),
      weights_(weights) {}

Status MethodWorkload::make(uint64_t seed, std::unique_ptr<Instance>* out) {
  auto made = std::make_unique<MethodInstance>();
  if (Status status = made->load(name_, program_, method_, inputs_, weights_, seed); !status.ok()) return status;
  *out = std::move(made);
  return {};
}

std::string MethodWorkload::reason() { return name_ + ": " + take_errors(); }

}  // namespace et::perf
