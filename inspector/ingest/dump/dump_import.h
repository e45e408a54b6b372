// The ETDump's part of a trace: runs are read one by one, grouped into blocks as upstream's Inspector groups them, and
// every measurement becomes a sample of an op. Holds one run and the bounded sample buffer, never the whole dump.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mapped_file.h"
#include "etdump/debug_buffer.h"
#include "etdump/reader.h"
#include "inspector/ingest/dump/sample_buffer.h"
#include "inspector/ingest/import_context.h"
#include "inspector/ingest/trace_model.h"

namespace et::inspector {

class DumpImport {
 public:
  /// Called once for each new block, before its first sample: tells method, backends and clocks.
  using NewBlock = std::function<void(Trace&, Block&)>;

  explicit DumpImport(ImportContext& context) : context_(context), samples_(context.store) {}

  /// Opens the files; without a dump there are no runs. Errors: the dump or the debug buffer cannot be opened, or is no
  /// dump at all.
  Status open();
  /// Names of methods that the trailer knows, in order of appearance.
  std::vector<std::string> trailer_methods() const;
  /// Reads all runs into `trace`, writes runs, samples, values, counters and allocations.
  Status read(Trace& trace, const NewBlock& on_new_block);
  /// Statistics, self times, shares and totals. After read().
  void finish(Trace& trace);
  /// Row of the trace with what dump and trailer say of themselves.
  void write_trace_row(const Trace& trace) const;
  const etdump::Reader& reader() const { return reader_; }

 private:
  struct Variant {  // one exact sequence of events
    std::vector<uint32_t> keys;
    int32_t block = -1;
    std::vector<int32_t> op_of_event;  // -1 for program outputs
    std::vector<uint32_t> roots;       // events that nothing encloses, on the trace's clock
  };
  struct RunEvents {
    std::vector<uint32_t> keys, indexes;
    std::vector<uint64_t> starts, ends;
    std::vector<uint8_t> flags;
    void clear();
  };

  uint32_t key_of(const etdump::Event& event, size_t position);
  bool read_run(const etdump::Run& run);
  int32_t variant_of(Trace& trace, const etdump::Run& run, const NewBlock& on_new_block);
  void make_variant(Trace& trace, const etdump::Run& run, Variant& variant, const NewBlock& on_new_block);
  void nest_variant(Trace& trace, Variant& variant, bool fresh, const etdump::Run& run, const NewBlock& on_new_block);
  void add_run(Trace& trace, const etdump::Run& run, int32_t variant);
  void add_extras(const Trace& trace, const etdump::Run& run, const Variant& variant, int64_t run_row);
  void add_values(const Trace& trace, const etdump::Run& run, const Variant& variant, int64_t run_row);
  struct LoggedValue;
  void add_tensor(const etdump::DebugBuffer& buffer, const etdump::TensorInfo& info, const LoggedValue& v,
                  int64_t item);
  std::string keep_bytes(const etdump::TensorView& view, const LoggedValue& v, int64_t item,
                         std::vector<uint8_t>* data);
  void begin_value(const LoggedValue& v, int64_t item);
  void end_value();
  int64_t to_trace_time(uint64_t ticks);
  int64_t duration_of(const Op& op, uint64_t start, uint64_t end, size_t run, uint32_t event);
  std::string place(size_t run, uint32_t event) const;

  ImportContext& context_;
  format::MappedFile file_, buffer_file_;
  etdump::Reader reader_;
  SampleBuffer samples_;
  uint64_t scale_numerator_ = 1, scale_denominator_ = 1;
  bool has_buffer_ = false;

  std::vector<EventKey> keys_;
  std::unordered_multimap<uint64_t, uint32_t> key_by_hash_;
  std::vector<Variant> variants_;
  std::unordered_multimap<uint64_t, int32_t> variant_by_hash_;
  std::unordered_map<std::string, int32_t> block_by_signature_;
  std::vector<std::string> block_identity_;                       // by block
  std::vector<std::unordered_map<uint32_t, int32_t>> block_ops_;  // by block: key → op
  std::vector<uint32_t> last_keys_;
  int32_t last_variant_ = -1;
  RunEvents run_;
  std::optional<RowIds> run_ids_, block_ids_, op_ids_;
  Statement insert_run_, insert_value_, insert_counter_, insert_allocation_, insert_arena_;
  bool saw_load_ = false;
  std::unordered_map<std::string, bool> method_ran_;
  uint64_t kept_value_bytes_ = 0, read_value_bytes_ = 0;
  bool saw_values_ = false;
  std::unordered_map<std::string, size_t> value_hash_;  // of the first run, by block, op and place
};

}  // namespace et::inspector
