// For the tests of ETDumpGen: a clock that the test sets, tensors, and the dump as the reader sees it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "etdump/debug_buffer.h"
#include "etdump/etdump_gen.h"
#include "etdump/reader.h"
#include "runtime/platform/default_platform.h"

namespace et::etdump::test {

/// While it lives, the platform's clock shows `now` and counts `ratio`; log lines are counted.
class FakeClock {
 public:
  static inline Timestamp now = 0;
  static inline Timestamp step = 1;  // per reading
  static inline TickRatio ratio = {};
  static inline int64_t utc = 0;
  static inline int logs = 0;

  FakeClock() {
    now = 0;
    step = 1;
    ratio = {};
    utc = 0;
    logs = 0;
    Platform p = default_platform();
    p.clock_name = "fake";
    p.ticks = +[]() -> Timestamp { return now += step; };
    p.tick_ratio = +[] { return ratio; };
    p.utc_ns = +[] { return utc; };
    p.emit_log = +[](const LogMessage&) { ++logs; };
    set_platform(p);
  }
  ~FakeClock() { set_platform(default_platform()); }
};

/// A tensor that owns all its parts; dense unless strides are given.
struct OwnTensor {
  std::vector<int32_t> sizes, strides;
  std::vector<uint8_t> order;
  std::vector<uint8_t> data;
  std::unique_ptr<TensorImpl> impl;

  OwnTensor(ScalarType type, std::vector<int32_t> s, std::vector<uint8_t> bytes, std::vector<uint8_t> dim_order = {})
      : sizes(std::move(s)), strides(sizes.size()), order(std::move(dim_order)), data(std::move(bytes)) {
    if (order.empty()) {
      order.resize(sizes.size());
      std::iota(order.begin(), order.end(), uint8_t{0});
    }
    dim_order_to_strides(sizes, order, strides.data());
    impl = std::make_unique<TensorImpl>(type, sizes.size(), sizes.data(), data.data(), order.data(), strides.data());
  }
  template <class T>
  static OwnTensor of(ScalarType type, std::vector<int32_t> s, const std::vector<T>& values) {
    std::vector<uint8_t> bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return OwnTensor(type, std::move(s), std::move(bytes));
  }
  Tensor tensor() const { return Tensor(impl.get()); }
  EValue value() const { return EValue(tensor()); }
};

/// Takes the dump and frees it.
inline std::vector<uint8_t> take(ETDumpGen& gen) {
  const ETDumpResult r = gen.get_etdump_data();
  const uint8_t* p = static_cast<const uint8_t*>(r.buf);
  std::vector<uint8_t> bytes(p, p + r.size);
  if (!gen.is_static_etdump()) std::free(r.buf);
  return bytes;
}

/// A dump that must be sound in every part.
class Dump {
 public:
  explicit Dump(std::vector<uint8_t> b) : bytes(std::move(b)) {
    EXPECT_TRUE(Reader::open(bytes, &reader).ok());
    for (size_t i = 0; i < reader.run_count(); ++i) {
      Run run;
      EXPECT_TRUE(reader.run(i, &run));
      names.emplace_back(run.name());
      bundled.push_back(run.bundled_input_index());
      std::vector<Event> list(run.event_count());
      for (size_t k = 0; k < list.size(); ++k) EXPECT_TRUE(run.event(k, &list[k])) << "run " << i << " event " << k;
      events.push_back(std::move(list));
    }
    EXPECT_EQ(reader.lost_tables(), 0u);
    EXPECT_FALSE(reader.truncated());
    if (reader.trailer() != nullptr) {
      EXPECT_EQ(reader.trailer()->run_count(), reader.run_count());
    }
  }
  const Trailer& trailer() const { return *reader.trailer(); }
  /// Value of a label, "" when it is not there.
  std::string label(std::string_view key) const {
    for (size_t i = 0; i < trailer().label_count(); ++i) {
      if (trailer().label(i).key == key) return std::string(trailer().label(i).value);
    }
    return {};
  }

  std::vector<uint8_t> bytes;
  Reader reader;
  std::vector<std::string> names;
  std::vector<int32_t> bundled;
  std::vector<std::vector<Event>> events;
};

}  // namespace et::etdump::test
