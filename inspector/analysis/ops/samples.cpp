#include "inspector/analysis/ops/samples.h"

#include <limits>
#include <string>

namespace et::inspector {
namespace {

void take(const Statement& st, OpSamples* out) {
  out->runs.push_back(st.integer(0));
  out->durations.push_back(st.integer(1));
}

}  // namespace

Status load_op_samples(const Store& store, int64_t op_id, size_t limit, OpSamples* out) {
  if (limit == 0) return {Error::InvalidArgument, "samples of an op: the limit must be at least 1"};
  OpSamples samples;
  samples.op_id = op_id;
  Statement op;
  Status status = store.prepare("SELECT count FROM ops WHERE op_id = ?1", &op);
  if (!status.ok()) return status;
  op.bind_all(op_id);
  if (!op.step()) {
    status = op.finish("samples");
    return status.ok() ? Status(Error::NotFound, store.path() + ": no op " + std::to_string(op_id) + " in the store")
                       : status;
  }
  samples.total = op.integer(0);
  const auto most = static_cast<int64_t>(limit);
  if (samples.total <= most) {
    Statement all;
    status = store.prepare("SELECT run_id, duration_ns FROM samples WHERE op_id = ?1 ORDER BY sample LIMIT ?2", &all);
    if (!status.ok()) return status;
    all.bind_all(op_id, most);
    while (all.step()) take(all, &samples);
    status = all.finish("samples");
  } else {
    // The view would compute the position of each sample; the key finds those that are wanted at once.
    Statement one;
    status = store.prepare("SELECT run, duration FROM raw_sample WHERE id = ?1", &one);
    if (!status.ok()) return status;
    samples.step = samples.total / most + (samples.total % most != 0 ? 1 : 0);
    constexpr int64_t kLargestOp = std::numeric_limits<int32_t>::max();
    if (op_id > kLargestOp || op_id < 0) return {Error::InvalidExternalData, store.path() + ": op id out of range"};
    for (int64_t i = 0; i < samples.total && status.ok(); i += samples.step) {
      one.bind_all((op_id << 32) + i);
      if (one.step()) {
        take(one, &samples);
      } else {
        status = one.finish("samples");
      }
      one.reset();
    }
  }
  if (status.ok()) *out = std::move(samples);
  return status;
}

}  // namespace et::inspector
