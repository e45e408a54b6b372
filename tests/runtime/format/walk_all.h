// Touches every field that a view can reach, payloads and programs inside programs included. Tests and fuzz targets
// share it: under the sanitizers, a field that points outside the file shows.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/format/demo_payload.h"
#include "runtime/format/mps_payload.h"
#include "runtime/format/payload.h"
#include "runtime/format/program.h"
#include "runtime/format/tensor_file.h"
#include "runtime/format/tosa_payload.h"
#include "runtime/format/vela_payload.h"
#include "runtime/format/vulkan_payload.h"
#include "runtime/format/xnnpack_payload.h"

namespace et::format::testing {

/// A number that depends on everything read, so that no read is optimised away.
class Walker {
 public:
  void program(const Program& p);
  void tensor_file(const TensorFile& f);
  void xnnpack(const XnnpackPayload& p);
  void tosa(const TosaPayload& p);
  void vela(const VelaPayload& p);
  void vulkan(const VulkanPayload& p);
  void mps(const MpsPayload& p);
  void demo(const DemoPayload& p);
  /// Opens and walks what the first bytes say; a payload that does not open is walked no further.
  void payload(std::string_view backend, std::span<const uint8_t> bytes);

  uint64_t sum() const { return sum_; }
  /// Payloads that opened.
  uint32_t payloads() const { return payloads_; }

 private:
  void method(const Method& m);
  void tensor(const TensorView& t);
  void constant(const XnnConstant& c);
  void operator_of_tosa(const TosaOperator& op);
  void number(uint64_t n) { sum_ = (sum_ ^ n) * 1099511628211u; }
  void real(double d);
  void text(std::string_view s);
  template <class T>
  void numbers(et::Span<const T> s) {
    for (const T& v : s) number(static_cast<uint64_t>(v));
  }
  void bytes(std::span<const uint8_t> b);

  uint64_t sum_ = 14695981039346656037u;
  uint32_t payloads_ = 0;
  uint32_t tried_ = 0;
  int depth_ = 0;
};

}  // namespace et::format::testing
