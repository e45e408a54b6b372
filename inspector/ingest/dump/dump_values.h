// What a run has besides times: logged values, counters, allocations. They go into the store as they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "etdump/debug_buffer.h"
#include "inspector/ingest/dump/run_groups.h"

namespace et::inspector {

class DumpValues {
 public:
  /// `run`: where each run is read to.
  DumpValues(ImportContext& context, const DumpFile& dump, const RunEvents& run);

  /// Allocation events of the run that was read last, and what the trailer adds to it.
  void add_extras(const Trace& trace, const etdump::Run& run, const Variant& variant, int64_t run_row);
  /// Its logged values.
  void add_values(const Trace& trace, const etdump::Run& run, const Variant& variant, int64_t run_row);

  bool saw_values() const { return saw_values_; }

 private:
  struct LoggedValue;
  void add_tensor(const etdump::DebugBuffer& buffer, const etdump::TensorInfo& info, const LoggedValue& v,
                  int64_t item);
  std::string keep_bytes(const etdump::TensorView& view, const LoggedValue& v, int64_t item,
                         std::span<const uint8_t>* bytes, std::vector<uint8_t>* copy);
  void begin_value(const LoggedValue& v, int64_t item);
  void end_value();
  std::string place(size_t run, uint32_t event) const { return dump_.place(run, event); }

  ImportContext& context_;
  const DumpFile& dump_;
  const RunEvents& run_;
  Statement insert_value_, insert_counter_, insert_allocation_, insert_arena_;
  uint64_t kept_value_bytes_ = 0, read_value_bytes_ = 0;
  bool saw_values_ = false;
  std::unordered_map<std::string, size_t> value_hash_;  // of the first run, by block, op and place
};

}  // namespace et::inspector
