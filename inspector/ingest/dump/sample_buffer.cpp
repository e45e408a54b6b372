#include "inspector/ingest/dump/sample_buffer.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>

namespace et::inspector {

namespace {

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

SampleBuffer::SampleBuffer(Store& store, size_t limit)
    : store_(store),
      limit_(store.path().empty() ? std::numeric_limits<size_t>::max() : limit),
      spill_(folder_of(store.path())) {}

Status SampleBuffer::spill() {
  for (PerOp& op : ops_) {
    if (op.pending.empty()) continue;
    op.spilled.push_back({spill_.size(), op.pending.size()});
    if (Status status = spill_.add(op.pending); !status.ok()) return status;
    op.pending.clear();
  }
  held_ = 0;
  return spill_.end_block();
}

void SampleBuffer::seal() {
  users_ = std::vector<std::atomic<uint8_t>>(ops_.size());
  for (std::atomic<uint8_t>& users : users_) users = 2;
}

Status SampleBuffer::write() {
  SampleRows rows(store_);
  std::vector<Sample> part;
  for (size_t o = 0; o < ops_.size(); ++o) {
    int64_t id = ops_[o].row << 32;
    bool written = true;
    for (const Part& p : ops_[o].spilled) {
      part.resize(p.count);
      if (Status status = spill_.read(p.at, part); !status.ok()) return status;
      written = written && rows.append(id, part);
      id += static_cast<int64_t>(p.count);
    }
    if (!written || !rows.append(id, ops_[o].pending))
      return {Error::AccessFailed, store_.path() + ": cannot write: " + store_.error_text()};
    release(o);
  }
  return {};
}

Status SampleBuffer::samples(size_t op, std::vector<Sample>* scratch, std::span<const Sample>* out) const {
  const PerOp& p = ops_[op];
  *out = p.pending;
  if (p.spilled.empty()) return {};
  uint64_t count = p.pending.size();
  for (const Part& part : p.spilled) count += part.count;
  scratch->resize(count);
  Sample* at = scratch->data();
  for (const Part& part : p.spilled) {
    if (Status status = spill_.read(part.at, {at, part.count}); !status.ok()) return status;
    at += part.count;
  }
  std::copy(p.pending.begin(), p.pending.end(), at);
  *out = *scratch;
  return {};
}

void SampleBuffer::release(size_t op) {
  if (users_[op].fetch_sub(1) == 1) std::vector<Sample>().swap(ops_[op].pending);
}

}  // namespace et::inspector
