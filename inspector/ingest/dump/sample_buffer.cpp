#include "inspector/ingest/dump/sample_buffer.h"

#include <sqlite3.h>

namespace et::inspector {

bool SampleBuffer::flush(bool keep) {
  Statement st = store_.query("INSERT INTO raw_sample VALUES(?1,?2,?3,?4)");
  sqlite3_stmt* raw = st.raw();
  for (PerOp& op : ops_) {
    int64_t id = (op.row << 32) + op.written;
    for (const Sample& s : op.pending) {
      sqlite3_bind_int64(raw, 1, id++);
      sqlite3_bind_int64(raw, 2, s.run);
      sqlite3_bind_int64(raw, 3, s.start);
      sqlite3_bind_int64(raw, 4, s.duration);
      const int rc = sqlite3_step(raw);
      sqlite3_reset(raw);
      if (rc != SQLITE_DONE) return false;
    }
    if (!keep) {
      op.written += static_cast<int64_t>(op.pending.size());
      op.pending.clear();
    }
  }
  if (!keep) held_ = 0;
  return true;
}

void SampleBuffer::samples(size_t op, std::vector<Sample>* out) const {
  out->clear();
  const PerOp& p = ops_[op];
  if (p.written > 0) {
    Statement st = store_.query("SELECT run, start, duration FROM raw_sample WHERE id >= ?1 AND id < ?2");
    st.bind_all(p.row << 32, (p.row << 32) + p.written);
    while (st.step()) out->push_back({st.integer(0), st.integer(1), st.integer(2)});
  }
  out->insert(out->end(), p.pending.begin(), p.pending.end());
}

}  // namespace et::inspector
