#include "inspector/ingest/check_results.h"

#include <cmath>
#include <utility>

#include "base/hex.h"
#include "base/mapped_file.h"
#include "base/sha256.h"
#include "inspector/ingest/check_results_json.h"
#include "inspector/ingest/dump/dump_fingerprint.h"
#include "inspector/match/median_interval.h"
#include "inspector/match/statistics.h"
#include "inspector/text/json_list.h"

namespace et::inspector {
namespace {

/// A statement of many columns, bound from left to right. Texts must live until run().
class Row {
 public:
  Row(Store& store, const std::string& table, int columns) : st_(store.query(insert(table, columns))) {}

  template <class T>
  Row& operator<<(const T& v) {
    st_.bind(++at_, v);
    return *this;
  }
  /// SQLite has no NaN: it is kept as a text.
  Row& operator<<(const CheckReal& v) {
    v&& std::isnan(*v) ? st_.bind(++at_, "NaN") : st_.bind(++at_, v);
    return *this;
  }
  Row& operator<<(const CheckName& c) { return *this << c.file << c.program << c.method << c.case_index; }
  void run() {
    st_.step();
    st_.reset();
    at_ = 0;
  }

 private:
  static std::string insert(const std::string& table, int columns) {
    std::string sql = "INSERT INTO " + table + " VALUES(?1";
    for (int i = 2; i <= columns; ++i) sql += ",?" + std::to_string(i);
    return sql + ")";
  }
  Statement st_;
  int at_ = 0;
};

int64_t next_id(Store& store, const char* table) {
  Statement st = store.query("SELECT coalesce(max(id), 0) + 1 FROM " + std::string(table));
  return st.step() ? st.integer(0) : 1;
}

/// The ETDump that a case names, as it is written or next to the file of the results.
std::optional<std::string> fingerprint_of(const std::string& dump, std::string_view results) {
  if (auto found = dump_fingerprint(dump)) return found;
  const size_t slash = results.rfind('/');
  if (dump.starts_with('/') || slash == std::string_view::npos) return std::nullopt;
  return dump_fingerprint(std::string(results.substr(0, slash + 1)) + dump);
}

/// NaN does not fit into a REAL column: a verdict without that number.
CheckReal finite_or_null(const CheckReal& v) { return v && std::isnan(*v) ? std::nullopt : v; }

class Writer {
 public:
  Writer(Store& store, int64_t run, std::string_view name) : store_(store), run_(run), name_(name) {}

  void cases(const std::vector<CheckCase>& all) {
    Row row(store_, "raw_check_case", 21), output(store_, "raw_check_output", 25),
        sample(store_, "raw_check_sample", 3);
    int64_t id = next_id(store_, "raw_check_case"), output_id = next_id(store_, "raw_check_output");
    for (size_t i = 0; i < all.size(); ++i, ++id) {
      const CheckCase& c = all[i];
      const std::string operators = json_list(c.operators);
      std::vector<int64_t> samples = c.samples_ns;
      const std::optional<MedianInterval> interval = median_interval(samples);
      std::optional<double> median, low, high;
      if (interval) low = interval->low, high = interval->high;
      if (c.duration_ns) median = static_cast<double>(*c.duration_ns);
      if (!samples.empty()) median = percentile(samples, 0.5);
      const CheckText fingerprint = c.etdump ? fingerprint_of(*c.etdump, name_) : std::nullopt;
      row << id << run_ << i << c.check << c.passed << c.kind << c.reason << c.max_abs_error << operators
          << c.duration_ns << samples.size() << median << low << high << c.memory_bytes << c.iterations << c.etdump
          << fingerprint;
      row.run();
      for (size_t o = 0; o < c.outputs.size(); ++o)
        write(output, output_id++, id, static_cast<int64_t>(o), c.outputs[o]);
      for (size_t s = 0; s < c.samples_ns.size(); ++s) {
        sample << id << s << c.samples_ns[s];
        sample.run();
      }
    }
  }

  void performance(const std::vector<CheckPerformance>& all) {
    Row row(store_, "raw_check_performance", 21);
    int64_t id = next_id(store_, "raw_check_performance");
    for (size_t i = 0; i < all.size(); ++i) {
      const CheckPerformance& p = all[i];
      std::optional<int64_t> passed;
      if (p.passed) passed = *p.passed ? 1 : 0;
      row << id++ << run_ << i << p.check << p.against << p.verdict << passed << p.text;
      for (const CheckReal* v : {&p.median_ns, &p.baseline_median_ns, &p.ratio, &p.ratio_low, &p.ratio_high, &p.noise})
        row << finite_or_null(*v);
      row << p.rounds << p.samples << finite_or_null(p.max_slowdown) << p.clock;
      row.run();
    }
  }

  void explanations(const std::vector<CheckExplanation>& all) {
    Row row(store_, "raw_check_explanation", 14);
    int64_t id = next_id(store_, "raw_check_explanation");
    for (size_t i = 0; i < all.size(); ++i) {
      const CheckExplanation& e = all[i];
      row << id++ << run_ << i << e.check.file << e.check.method << e.check.case_index << e.reference << e.op
          << e.instruction << e.node << e.source << e.delegate << e.max_abs_error << e.text;
      row.run();
    }
  }

 private:
  static void write(Row& row, int64_t id, int64_t check_case, int64_t position, const CheckOutput& o) {
    row << id << check_case << o.index.value_or(position) << o.name << o.passed << o.kind << o.reason << o.dtype
        << o.shape << o.elements << o.outside << o.rtol << o.atol << o.tolerance_from << o.max_abs_error << o.max_abs_at
        << o.max_rel_error << o.max_rel_at << o.mean_abs_error << o.snr_db << o.cosine_similarity << o.nan_mismatch
        << o.inf_mismatch << o.got << o.want;
    row.run();
  }

  Store& store_;
  int64_t run_;
  std::string_view name_;
};

}  // namespace

Status import_check_results(Store& store, std::string_view json, std::string_view name, CheckImport* out) {
  CheckResults results;
  Status status = parse_check_results(json, name, &results);
  if (!status.ok()) return status;
  const std::string sha = hex_text(et::sha256({reinterpret_cast<const uint8_t*>(json.data()), json.size()}));
  CheckImport done{0, false, results.failed};

  Transaction transaction(store);
  status = transaction.begin_status();
  if (status.ok()) status = store.ensure_part("checks", "raw_check_run");
  if (!status.ok()) return status;
  {
    Statement known = store.query("SELECT id FROM raw_check_run WHERE sha256 = ?1");
    known.bind(1, sha);
    done.known = known.step();
    if (done.known) done.check_run_id = known.integer(0);
  }
  if (!done.known) {
    done.check_run_id = next_id(store, "raw_check_run");
    Row run(store, "raw_check_run", 15);
    run << done.check_run_id << sha << name << results.started << results.duration_ns << results.label << results.tool
        << results.tool_version << results.host << results.cpu << results.cores << results.os << results.passed
        << results.failed << results.skipped;
    run.run();
    Writer writer(store, done.check_run_id, name);
    writer.cases(results.cases);
    writer.performance(results.performance);
    writer.explanations(results.explanations);
    status = transaction.commit();
  }
  if (status.ok() && out != nullptr) *out = done;
  return status;
}

Status import_check_file(Store& store, const std::string& path, CheckImport* out) {
  MappedFile file;
  Status status = MappedFile::open(path, &file);
  if (!status.ok()) return status;
  const auto bytes = file.bytes();
  return import_check_results(store, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path, out);
}

}  // namespace et::inspector
