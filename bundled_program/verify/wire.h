// Verdicts as bytes, for the pipe between a worker and its parent: both are the same program, so numbers go as they
// are.
#pragma once

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "bundled_program/verify/verdict.h"

namespace et::bundled {

class WireWriter {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& v) { bytes_.append(reinterpret_cast<const char*>(&v), sizeof(T)); }
  void put(const std::string& text) {
    put(text.size());
    bytes_ += text;
  }
  template <class T>
  void put(const std::vector<T>& list) {
    put(list.size());
    for (const T& v : list) put(v);
  }
  void put(const OutputVerdict& v);

  std::string bytes_;
};

/// Reads what WireWriter wrote. After bytes that are too short everything is empty and ok() is false.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }

 private:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void get(T& v) {
    ok_ = ok_ && bytes_.size() >= sizeof(T);
    if (!ok_) return;
    std::memcpy(&v, bytes_.data(), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
  }
  void get(std::string& text) {
    size_t size = 0;
    get(size);
    ok_ = ok_ && bytes_.size() >= size;
    if (!ok_) return;
    text.assign(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
  }
  template <class T>
  void get(std::vector<T>& list) {
    size_t size = 0;
    get(size);
    ok_ = ok_ && bytes_.size() >= size;
    if (!ok_) return;
    list.resize(size);
    for (T& v : list) get(v);
  }
  void get(OutputVerdict& v);

  std::string_view bytes_;
  bool ok_ = true;
};

// The members of the structs, once for both directions.
template <class Wire, class V>
void members_of_output(Wire& wire, V& v) {
  wire(v.index, v.failure, v.reason, v.dtype, v.shape, v.tolerance, v.tolerance_from, v.compared, v.figures);
}
template <class Wire, class V>
void members_of_case(Wire& wire, V& v) {
  wire(v.file, v.program, v.method, v.test_case, v.failure, v.reason, v.operators, v.backends, v.outputs, v.samples_ns,
       v.iterations, v.memory_bytes, v.etdump, v.debug_buffer);
}
inline void WireWriter::put(const OutputVerdict& v) { members_of_output(*this, v); }
inline void WireReader::get(OutputVerdict& v) { members_of_output(*this, v); }

}  // namespace et::bundled
