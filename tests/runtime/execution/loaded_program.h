// A program from a file or from bytes, loaded and run for a test: memory from the heap, error messages kept.
#pragma once

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/executor/method.h"
#include "runtime/executor/program.h"
#include "runtime/loader/buffer_data_loader.h"
#include "runtime/module/method_arenas.h"
#include "runtime/platform/platform.h"

namespace et::testing {

/// Bytes at an address that is a multiple of 64, with nothing readable behind the last one for the sanitizer.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  explicit AlignedBytes(const std::vector<uint8_t>& bytes) { assign(bytes.data(), bytes.size()); }
  void assign(const uint8_t* data, size_t size) {
    size_ = size;
    memory_.reset(static_cast<uint8_t*>(std::aligned_alloc(64, (size + 63) / 64 * 64 + 64)));
    // At the end of the block: reading past the file is reading past the block, as far as alignment allows.
    if (size > 0) std::memcpy(memory_.get(), data, size);
  }
  uint8_t* data() const { return memory_.get(); }
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(uint8_t* p) const { std::free(p); }
  };
  std::unique_ptr<uint8_t, Free> memory_;
  size_t size_ = 0;
};

inline std::vector<uint8_t> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Error messages of the runtime, from construction to destruction.
class ErrorLog {
 public:
  ErrorLog() {
    text().clear();
    Platform p = platform();
    p.emit_log = [](const LogMessage& m) {
      if (text().size() < 4000) text() += std::string(m.message, m.length) + "\n";
    };
    previous_ = platform();
    set_platform(p);
  }
  ErrorLog(const ErrorLog&) = delete;
  ErrorLog& operator=(const ErrorLog&) = delete;
  ~ErrorLog() { set_platform(previous_); }
  static std::string& text() {
    static std::string t;
    return t;
  }

 private:
  Platform previous_;
};

/// A program, and a method of it with its memory and inputs.
class LoadedProgram {
 public:
  explicit LoadedProgram(const std::vector<uint8_t>& bytes) : bytes_(bytes), loader_(bytes_.data(), bytes_.size()) {}

  Error open() {
    Result<Program> p = Program::load(&loader_);
    if (!p.ok()) return p.error();
    program_.emplace(std::move(*p));
    return Error::Ok;
  }
  Error load(const char* name, EventTracer* tracer = nullptr, const NamedDataMap* weights = nullptr) {
    Result<MethodMeta> meta = program_->method_meta(name);
    if (!meta.ok()) return meta.error();
    Result<std::unique_ptr<MethodArenas>> arenas = MethodArenas::create(*meta);
    if (!arenas.ok()) return arenas.error();
    arenas_ = std::move(*arenas);
    Result<Method> m = program_->load_method(name, arenas_->manager(), tracer, weights);
    if (!m.ok()) return m.error();
    method_.emplace(std::move(*m));
    return Error::Ok;
  }
  /// Gives every input the program's own value, tensors memory with bytes from `next`, or zeros.
  template <class Next>
  Error set_inputs(const Next& next) {
    for (size_t i = 0; i < method_->inputs_size(); ++i) {
      EValue v = method_->get_input(i);
      if (v.isTensor()) {
        const Tensor t = v.toTensor();
        if (t.nbytes() > (size_t{1} << 24)) return Error::MemoryAllocationFailed;
        memory_.push_back(std::make_unique<std::vector<uint8_t>>(t.nbytes() + 64, uint8_t{0}));
        for (uint8_t& byte : *memory_.back()) byte = next();
        auto at = (reinterpret_cast<uintptr_t>(memory_.back()->data()) + 63) & ~uintptr_t{63};
        impls_.push_back(std::make_unique<TensorImpl>(
            t.scalar_type(), static_cast<size_t>(t.dim()), const_cast<int32_t*>(t.sizes().data()),
            reinterpret_cast<void*>(at), const_cast<uint8_t*>(t.dim_order().data()),
            const_cast<int32_t*>(t.strides().data())));
        v = EValue(Tensor(impls_.back().get()));
      }
      if (const Error e = method_->set_input(v, i); e != Error::Ok) return e;
    }
    return Error::Ok;
  }

  Error set_default_inputs() {
    return set_inputs([] { return uint8_t{0}; });
  }

  Program& program() { return *program_; }
  Method& method() { return *method_; }
  MethodArenas& arenas() { return *arenas_; }

 private:
  AlignedBytes bytes_;
  BufferDataLoader loader_;
  std::optional<Program> program_;
  std::unique_ptr<MethodArenas> arenas_;
  std::optional<Method> method_;
  std::vector<std::unique_ptr<std::vector<uint8_t>>> memory_;
  std::vector<std::unique_ptr<TensorImpl>> impls_;
};

}  // namespace et::testing
