#include "inspector/ingest/dump/sample_buffer.h"

#include <sqlite3.h>

#include <string>

namespace et::inspector {

namespace {

constexpr size_t kRowsAtOnce = 16;  // of a statement: to begin and end one costs as much as a row

std::string sample_insert_sql(size_t rows) {
  std::string sql = "INSERT INTO raw_sample VALUES(?,?,?,?)";
  for (size_t i = 1; i < rows; ++i) sql += ",(?,?,?,?)";
  return sql;
}

bool insert_samples(sqlite3_stmt* raw, int64_t id, const Sample* samples, size_t count) {
  int column = 0;
  for (size_t i = 0; i < count; ++i) {
    sqlite3_bind_int64(raw, ++column, id++);
    sqlite3_bind_int64(raw, ++column, samples[i].run);
    sqlite3_bind_int64(raw, ++column, samples[i].start);
    sqlite3_bind_int64(raw, ++column, samples[i].duration);
  }
  const int rc = sqlite3_step(raw);
  sqlite3_reset(raw);
  return rc == SQLITE_DONE;
}

}  // namespace

bool SampleBuffer::flush(bool keep) {
  Statement one = store_.query(sample_insert_sql(1)), many = store_.query(sample_insert_sql(kRowsAtOnce));
  for (PerOp& op : ops_) {
    const int64_t first = (op.row << 32) + op.written;
    for (size_t i = 0; i < op.pending.size();) {
      const size_t rows = op.pending.size() - i >= kRowsAtOnce ? kRowsAtOnce : 1;
      if (!insert_samples((rows == 1 ? one : many).raw(), first + static_cast<int64_t>(i), &op.pending[i], rows))
        return false;
      i += rows;
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
