#include "inspector/report/dataset/dataset_parts.h"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>

#include "base/hex.h"
#include "base/sha256.h"
#include "inspector/report/dataset/dataset_views.h"

namespace et::inspector {
namespace {

constexpr size_t kLongestPartition = 200;  // bytes; names of files end at 255

/// Numbers of the fleet begin at the first 62 bits of a hash: a trace's, and from there on those of its ops, nodes and
/// executions. So they are the same wherever a trace is read, and never more than SQL's integers.
int64_t key_of(const std::string& hash) {
  return static_cast<int64_t>(std::stoull(hash.substr(0, 16), nullptr, 16) & ((1ULL << 62) - 1));
}

/// For a trace whose ETDump came from no file: what was measured tells it from all others.
std::string hash_of_contents(const Store& store, int64_t trace) {
  std::string text;
  Statement st = store.query(
      "SELECT r.start, r.duration, (SELECT group_concat(o.sum) FROM raw_op o WHERE o.trace = ?1) FROM raw_run r "
      "WHERE r.trace = ?1 ORDER BY r.id");
  st.bind(1, trace);
  bool first = true;
  while (st.step()) {
    text += st.str(0) + ' ' + st.str(1) + '\n';
    if (first) text += st.str(2) + '\n';
    first = false;
  }
  return hex_text(et::sha256({reinterpret_cast<const uint8_t*>(text.data()), text.size()}));
}

/// Day of the file's last change, UTC; "unknown" where there is no such file.
std::string day_of(const std::string& path) {
  struct stat st {};
  std::tm parts{};
  if (path.empty() || ::stat(path.c_str(), &st) != 0 || ::gmtime_r(&st.st_mtime, &parts) == nullptr) return "unknown";
  char text[16];
  return std::strftime(text, sizeof text, "%Y-%m-%d", &parts) == 0 ? "unknown" : text;
}

std::string temporary(std::string sql) {
  const std::string made = "\nCREATE VIEW ", temp = "\nCREATE TEMP VIEW ";
  for (size_t at = sql.find(made); at != std::string::npos; at = sql.find(made, at + 1))
    sql.replace(at, made.size(), temp);
  return sql;
}

}  // namespace

std::string partition_text(const std::string& value) {
  std::string out;
  for (const char c : value) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    if (plain) {
      out += c;
    } else {
      const auto byte = static_cast<uint8_t>(c);
      out += '%';
      out += "0123456789ABCDEF"[byte >> 4];
      out += "0123456789ABCDEF"[byte & 15];
    }
  }
  return out;
}

DatasetParts::~DatasetParts() {
  for (const char* name :
       {"VIEW fleet_sketches", "VIEW fleet_ops", "VIEW fleet_traces", "TABLE fleet_part", "TABLE fleet_check",
        "TABLE fleet_partition", "TABLE raw_label", "TABLE raw_trace", "TABLE raw_dump_fingerprint"}) {
    const std::string object(name);
    const size_t space = object.find(' ');
    (void)store_.exec(("DROP " + object.substr(0, space) + " IF EXISTS temp." + object.substr(space + 1)).c_str());
  }
}

Status DatasetParts::make(const std::vector<int64_t>& traces, const DatasetOptions& options,
                          const std::set<std::string>& known, DatasetResult* result) {
  Status status = shadow_tables(traces, options);
  if (status.ok()) status = number_traces(options, known, result);
  if (status.ok()) status = number_checks(options, known, result);
  return status.ok() ? number_partitions() : status;
}

/// The fleet's views of this connection see the chosen traces, with the labels that the caller gives.
Status DatasetParts::shadow_tables(const std::vector<int64_t>& traces, const DatasetOptions& options) {
  Status status = store_.exec(
      "CREATE TEMP TABLE raw_trace AS SELECT * FROM main.raw_trace;"
      "CREATE TEMP TABLE raw_label AS SELECT * FROM main.raw_label;"
      "CREATE INDEX temp.fleet_label ON raw_label(trace, key);");
  if (status.ok() && !store_.has_table("raw_dump_fingerprint"))
    status = store_.exec("CREATE TEMP TABLE raw_dump_fingerprint(trace INTEGER, fingerprint TEXT);");
  if (!status.ok()) return status;
  if (!traces.empty()) {
    std::string ids;
    for (const int64_t id : traces) ids += (ids.empty() ? "" : ",") + std::to_string(id);
    status = store_.exec(("DELETE FROM temp.raw_trace WHERE id NOT IN (" + ids + ")").c_str());
  }
  for (const auto& [key, value] :
       {std::pair("date", &options.date), std::pair("device", &options.device), std::pair("build", &options.build)}) {
    if (!status.ok() || value->empty()) continue;
    Statement drop = store_.query("DELETE FROM temp.raw_label WHERE key = ?1");
    Statement add = store_.query("INSERT INTO temp.raw_label SELECT id, ?1, ?2 FROM temp.raw_trace");
    if (!drop.run(key) || !add.run(key, *value)) status = store_.damaged(store_.error_text());
  }
  if (status.ok())
    status = store_.exec(
        "DROP VIEW IF EXISTS temp.fleet_sketches; DROP VIEW IF EXISTS temp.fleet_ops; DROP VIEW IF EXISTS "
        "temp.fleet_traces;");
  return status.ok() ? store_.exec(temporary(schema_part("fleet")).c_str()) : status;
}

Status DatasetParts::number_traces(const DatasetOptions& options, const std::set<std::string>& known,
                                   DatasetResult* result) {
  // What the data set is partitioned by can be read in its folders' names anyway.
  const std::string value =
      options.key.empty()
          ? "l.value"
          : "CASE WHEN l.key IN ('date', 'device', 'build') THEN l.value ELSE fleet_redact(l.value) END";
  const std::string parts =
      "CREATE TEMP TABLE fleet_part AS SELECT f.*, 0 AS key, 0 AS part, t.dump_path,"
      " (SELECT json_group_array(json_object('key', l.key, 'value', " +
      value +
      ")) FROM raw_label l WHERE l.trace = t.id) AS labels"
      " FROM fleet_traces f JOIN temp.raw_trace t ON t.id = f.trace_id;"
      "CREATE UNIQUE INDEX temp.fleet_part_trace ON fleet_part(trace_id);";
  Status status = store_.exec(parts.c_str());
  if (!status.ok()) return status;
  Statement all = store_.query("SELECT trace_id, trace_hash, date, dump_path FROM fleet_part ORDER BY trace_id");
  Statement number = store_.query("UPDATE fleet_part SET trace_hash = ?2, key = ?3, date = ?4 WHERE trace_id = ?1");
  Statement drop = store_.query("DELETE FROM fleet_part WHERE trace_id = ?1");
  struct Row {
    int64_t id;
    std::string hash, date;
  };
  std::vector<Row> rows;
  while (all.step()) {
    const int64_t id = all.integer(0);
    rows.push_back({id, all.is_null(1) ? hash_of_contents(store_, id) : all.str(1),
                    all.text(2) == "unknown" ? day_of(all.str(3)) : all.str(2)});
  }
  status = all.finish("the traces");
  for (const Row& row : rows) {
    const bool fresh = known.count(row.hash) == 0 && result->hashes.insert(row.hash).second;
    if (fresh) {
      ++result->traces;
      if (!number.run(row.id, row.hash, key_of(row.hash), row.date)) return number.finish("the traces");
    } else {
      ++result->skipped;
      if (!drop.run(row.id)) return drop.finish("the traces");
    }
  }
  for (const std::string& table : numbered_tables()) {
    if (!status.ok()) return status;
    const std::string base = "ALTER TABLE fleet_part ADD COLUMN " + table + ";UPDATE fleet_part SET " + table +
                             " = b.first FROM (SELECT trace, min(id) AS first FROM " + table +
                             " GROUP BY trace) b WHERE b.trace = fleet_part.trace_id;";
    status = store_.exec(base.c_str());
  }
  // From here on the views speak of these traces, and do not look labels up for each op.
  return !status.ok()
             ? status
             : store_.exec(
                   "DROP VIEW temp.fleet_traces; CREATE TEMP VIEW fleet_traces AS SELECT trace_id, trace_hash, "
                   "date, device, build, unit, events, executions, execute_ns, lost_events FROM fleet_part;");
}

Status DatasetParts::number_checks(const DatasetOptions& options, const std::set<std::string>& known,
                                   DatasetResult* result) {
  Status status = store_.exec(
      "CREATE TEMP TABLE fleet_check(check_run_id INTEGER PRIMARY KEY, key INTEGER, date TEXT, device TEXT, build TEXT,"
      " part INTEGER, case_base INTEGER, performance_base INTEGER, output_base INTEGER);");
  if (!status.ok() || !store_.has_table("raw_check_run")) return status;
  struct Row {
    int64_t id;
    std::string hash, date, device, build;
  };
  std::vector<Row> rows;
  Statement all = store_.query("SELECT id, sha256, substr(started, 1, 10), cpu, label FROM raw_check_run ORDER BY id");
  const auto given = [](const std::string& option, const std::string& own) {
    return !option.empty() ? option : own.empty() ? std::string("unknown") : own;
  };
  while (all.step()) {
    rows.push_back({all.integer(0), all.str(1), given(options.date, all.str(2)), given(options.device, all.str(3)),
                    given(options.build, all.str(4))});
  }
  status = all.finish("the results of et-check");
  Statement add = store_.query(
      "INSERT INTO fleet_check SELECT ?1, ?2, ?3, ?4, ?5, 0, (SELECT min(id) FROM raw_check_case WHERE run = ?1),"
      " (SELECT min(id) FROM raw_check_performance WHERE run = ?1),"
      " (SELECT min(o.id) FROM raw_check_output o JOIN raw_check_case c ON c.id = o.check_case WHERE c.run = ?1)");
  for (const Row& row : rows) {
    if (!status.ok()) break;
    if (known.count(row.hash) != 0 || !result->hashes.insert(row.hash).second) {
      ++result->skipped;
      continue;
    }
    ++result->checks;
    if (!add.run(row.id, key_of(row.hash), row.date, row.device, row.build))
      status = add.finish("the results of et-check");
  }
  return status;
}

Status DatasetParts::number_partitions() {
  Status status = store_.exec(
      "CREATE TEMP TABLE fleet_partition AS SELECT row_number() OVER (ORDER BY date, device, build) - 1 AS part, date, "
      "device,"
      " build FROM (SELECT date, device, build FROM fleet_part UNION SELECT date, device, build FROM fleet_check);"
      "UPDATE fleet_part SET part = p.part FROM fleet_partition p WHERE p.date = fleet_part.date AND p.device ="
      " fleet_part.device AND p.build = fleet_part.build;"
      "UPDATE fleet_check SET part = p.part FROM fleet_partition p WHERE p.date = fleet_check.date AND p.device ="
      " fleet_check.device AND p.build = fleet_check.build;");
  if (!status.ok()) return status;
  Statement all = store_.query("SELECT date, device, build FROM fleet_partition ORDER BY part");
  while (all.step()) partitions_.push_back({all.str(0), all.str(1), all.str(2)});
  for (const DatasetPartition& p : partitions_) {
    for (const auto& [name, value] :
         {std::pair("date", &p.date), std::pair("device", &p.device), std::pair("build", &p.build)}) {
      if (partition_text(*value).size() > kLongestPartition) {
        return {Error::InvalidArgument, std::string(name) + ": expected at most " + std::to_string(kLongestPartition) +
                                            " bytes as the name of a folder, got '" + value->substr(0, 40) + "…'; --" +
                                            name + " names it otherwise"};
      }
    }
  }
  return all.finish("the partitions");
}

}  // namespace et::inspector
