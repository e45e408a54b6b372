// get_etdump_data(): closes the ETDump, finds out how large it gets, and writes it; what does not fit into the output
// is dropped from the end that the policy names, and counted as lost.
#include "etdump/dump_writer.h"
#include "runtime/platform/log.h"

namespace et::etdump {
namespace {

constexpr uint64_t kLargest = uint64_t{1} << 31;  // offsets of a flatbuffer are signed 32-bit numbers

}  // namespace

// Drops the share of the records that did not fit, and a little more. False: there is nothing left to drop.
bool ETDumpGen::trim(uint64_t needed, uint64_t available) {
  uint64_t records = 0;
  for (Record* r = log_.oldest(); r != nullptr; r = log_.next(r)) ++records;
  const double share = static_cast<double>(available) / static_cast<double>(needed) * 0.97;
  uint64_t keep = static_cast<uint64_t>(static_cast<double>(records) * share);
  if (keep >= records && records != 0) keep = records - 1;
  if (log_.ring()) {
    if (records == 0) return false;
    for (Record* r = log_.oldest(); r != nullptr && records > keep; --records) {
      drop_one();
      r = log_.oldest();
    }
    return true;
  }
  if (records <= 1) return false;
  if (keep == 0) keep = 1;  // the first block
  Record* cut = log_.oldest();
  RunRecord* run = nullptr;
  for (uint64_t i = 0; i < keep; ++i, cut = log_.next(cut)) {
    if (cut->kind == RecordKind::Run) run = static_cast<RunRecord*>(cut);
  }
  bool run_stays = true;
  for (Record* r = cut; r != nullptr; r = log_.next(r)) {
    if (r->kind == RecordKind::Run) {
      run_stays = false;
      --blocks_;
      ++lost_.runs;
      continue;
    }
    const uint64_t events = r->kind == RecordKind::Steps ? static_cast<StepsRecord*>(r)->events()
                            : r->kind == RecordKind::Profile || r->kind == RecordKind::Debug ? 1
                                                                                             : 0;
    lost_.events += events;
    if (run_stays) run->lost += events;
  }
  log_.truncate(cut);
  return true;
}

ETDumpResult ETDumpGen::write() {
  const Platform& p = platform();
  DumpWriter writer(*this);
  for (;;) {
    const uint64_t dump = writer.dump(nullptr, 0);
    const uint64_t behind = trailer_ ? writer.trailer(nullptr, 0) : 0;
    const uint64_t available = static_ ? output_.size() : kLargest;
    if (dump >= kLargest || behind >= kLargest || dump + behind > available) {
      if (trim(dump + behind, available < kLargest ? available : kLargest - 1)) continue;
      ET_LOG(Error, "ETDumpGen: %zu bytes are too few for an ETDump", output_.size());
      return {nullptr, 0};
    }
    const size_t size = static_cast<size_t>(dump + behind);
    uint8_t* to = output_.data();
    if (!static_) to = p.allocate == nullptr ? nullptr : static_cast<uint8_t*>(p.allocate(size));
    if (to == nullptr) {
      ET_LOG(Error, "ETDumpGen: cannot allocate %zu bytes for the ETDump", size);
      return {nullptr, 0};
    }
    writer.dump(to, static_cast<size_t>(dump));
    if (trailer_) writer.trailer(to + dump, static_cast<size_t>(behind));
    return {to, size};
  }
}

ETDumpResult ETDumpGen::get_etdump_data() {
  close_steps();
  if (state_ == State::Open) {
    state_ = State::Closed;
    const Platform& p = platform();
    ratio_ = p.tick_ratio();
    const int64_t utc = p.utc_ns();
    utc_at_zero_ = utc == 0 ? 0 : utc - static_cast<int64_t>(TickScale(ratio_).ns(p.ticks()));
  }
  return blocks_ == 0 ? ETDumpResult{nullptr, 0} : write();
}

}  // namespace et::etdump
