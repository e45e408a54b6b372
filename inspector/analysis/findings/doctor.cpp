#include "inspector/analysis/findings/doctor.h"

#include <algorithm>
#include <set>

#include "inspector/text/format.h"

namespace et::inspector {
namespace {

class Doctor {
 public:
  Doctor(const Store& store, int64_t trace) : store_(store), trace_(trace) {}

  std::vector<Finding> run() {
    Statement t =
        query("SELECT events, executions, record_path, program_path, unit, dump_path FROM traces WHERE trace_id = ?1");
    if (!t.step()) return {};
    events_ = t.integer(0);
    executions_ = t.integer(1);
    has_record_ = !t.is_null(2);
    has_program_ = !t.is_null(3);
    unit_ = t.str(4);
    has_dump_ = !t.is_null(5);
    content();
    pairing();
    if (executions_ > 0) links();
    methods();
    samples();
    values();
    diagnostics();
    return std::move(found_);
  }

 private:
  Statement query(std::string_view sql) {
    Statement st = store_.query(sql);
    st.bind_all(trace_);
    return st;
  }
  int64_t number(std::string_view sql) {
    Statement st = query(sql);
    return st.step() ? st.integer(0) : 0;
  }
  bool diagnosed(const char* code) {
    Statement st = store_.query("SELECT 1 FROM diagnostics WHERE trace_id = ?1 AND id = ?2");
    st.bind_all(trace_, code);
    return st.step();
  }
  void add(const char* severity, const char* id, std::string text, std::string advice = "") {
    found_.push_back({severity, id, std::move(text), std::move(advice)});
  }

  void content() {
    if (!has_dump_) {
      answered_.insert("no-dump");
      add("info", "no-dump", message("no-dump") + ": times are not known",
          "Run the program with event tracing on, and give the ETDump.");
      return;
    }
    if (events_ == 0) {
      answered_.insert("empty-dump");
      add("error", "dump-empty", "the dump has no events",
          diagnosed("dump-damaged") || diagnosed("run-damaged")
              ? "It is damaged: take a fresh one. Upstream's runtime damages dumps that log float16 or bfloat16 "
                "tensors."
              : "Build the runtime with EXECUTORCH_ENABLE_EVENT_TRACER=ON, give the tracer to the Module or Method, "
                "and write the dump after "
                "execute().");
      return;
    }
    if (executions_ == 0) {
      add("warning", "no-execution", "the dump has " + format_count(events_) + " events, but no execution",
          "Only loading was recorded: execute the method before the dump is written.");
      return;
    }
    add("ok", "dump",
        "the dump has " + format_count(events_) + " events of " + format_count(executions_) + " executions");
  }

  void pairing() {
    if (!has_record_) {
      add("warning", "no-record", "no record was given: operators have no graph nodes, Python lines and modules",
          "Export with generate_etrecord=True, save it with get_etrecord().save(path), and give it with --etrecord.");
    } else if (diagnosed("record-mismatch")) {
      answered_.insert("record-mismatch");
      add("error", "record-pairing", "the record is of another program: " + message("record-mismatch"),
          "Use the record that was saved by the very export that wrote the .pte which ran.");
    } else if (diagnosed("record-incomplete") &&
               number("SELECT count(*) FROM links l JOIN ops o ON o.op_id = l.op_id WHERE o.trace_id = ?1") == 0) {
      answered_.insert("record-incomplete");
      add("error", "record-pairing", "the record lacks what links need: " + message("record-incomplete"),
          "Save it again; upstream's writer fails half-way when a control flow body holds a tensor constant.");
    } else if (executions_ > 0) {
      const int64_t kernels =
          number("SELECT count(*) FROM ops WHERE trace_id = ?1 AND kind = 'kernel' AND method IS NOT NULL");
      const int64_t sure = number(
          "SELECT count(DISTINCT o.op_id) FROM ops o JOIN links l ON l.op_id = o.op_id WHERE o.trace_id = ?1 AND "
          "o.kind = 'kernel' AND l.via = "
          "'instruction'");
      const int64_t delegates = number(
          "SELECT count(*) FROM ops WHERE trace_id = ?1 AND kind = 'delegate_call' AND debug_handles IS NOT NULL");
      add("ok", "record-pairing",
          "record and dump belong together: " + std::to_string(sure) + " of " + std::to_string(kernels) +
              " kernels and " + std::to_string(delegates) + " delegate calls lead to graph nodes");
    }
    if (has_program_ && diagnosed("program-mismatch")) {
      answered_.insert("program-mismatch");
      add("error", "program-pairing", "the program is not the one that ran: " + message("program-mismatch"),
          "Give the .pte that was loaded on the device.");
    } else if (has_program_ && has_dump_) {
      add("ok", "program-pairing", "program and dump belong together");
    } else if (number("SELECT count(*) FROM ops WHERE trace_id = ?1 AND backend = 'XnnpackBackend' AND is_delegated") >
               0) {
      add("info", "no-program", "events of XNNPACK are linked by inference only",
          "Give the program with --pte: its payloads name the nodes.");
    }
  }

  void links() {
    Statement total = query(
        "SELECT total(max(o.self_ns, 0)), total(CASE WHEN EXISTS (SELECT 1 FROM links l WHERE l.op_id = o.op_id AND "
        "l.weight > 0) THEN "
        "max(o.self_ns, 0) ELSE 0 END) FROM ops o JOIN blocks b ON b.block_id = o.block_id WHERE o.trace_id = ?1 AND "
        "b.kind = 'execute' AND "
        "o.clock IS NULL");
    if (!total.step() || total.real(0) <= 0) return;
    const double share = total.real(1) / total.real(0);
    add(share >= 0.5  ? "ok"
        : has_record_ ? "warning"
                      : "info",
        "linked-time",
        format_share(share) +
            " of the execution time leads to Python lines; the rest is overhead and what is listed below");
    Statement st = query(
        "SELECT reason, count(*), total(sum_ns), min(name) FROM unlinked WHERE trace_id = ?1 GROUP BY reason ORDER BY "
        "3 DESC, 1");
    while (st.step()) {
      add("info", "unlinked",
          std::to_string(st.integer(1)) + " ops (" + format_duration_with_unit(st.real(2), unit_) + ", e.g. " +
              st.str(3) + "): " + st.str(0));
    }
  }

  void methods() {
    const int64_t unknown =
        number("SELECT count(*) FROM blocks WHERE trace_id = ?1 AND kind = 'execute' AND method IS NULL");
    if (unknown > 0 && (has_record_ || has_program_)) {
      answered_.insert("method-unknown");
      add("warning", "method-unknown", std::to_string(unknown) + " blocks fit none or several of the methods",
          "Give --pte as well as --etrecord; dumps of et-run name the method themselves.");
    }
  }

  void samples() {
    Statement st =
        query("SELECT min(runs - (cold_ns IS NOT NULL)) FROM blocks WHERE trace_id = ?1 AND kind = 'execute'");
    if (st.step() && !st.is_null(0) && st.integer(0) < 3) {
      add("info", "few-samples",
          "a block has only " + std::to_string(st.integer(0)) + " warm executions: percentiles say little",
          "Execute ten times or more before writing the dump.");
    }
  }

  void values() {
    const int64_t values = number("SELECT count(*) FROM debug_values WHERE trace_id = ?1");
    const int64_t readable = number("SELECT count(*) FROM debug_values WHERE trace_id = ?1 AND problem IS NULL");
    if (values > 0 && readable == values) add("ok", "values", format_count(values) + " logged values are readable");
  }

  std::string message(const char* code) {
    Statement st = store_.query("SELECT message FROM diagnostics WHERE trace_id = ?1 AND id = ?2");
    st.bind_all(trace_, code);
    return st.step() ? st.str(0) : "";
  }

  void diagnostics() {
    Statement st = query(
        "SELECT severity, id, count, message, help FROM diagnostics WHERE trace_id = ?1 ORDER BY severity = 'error' "
        "DESC, severity = 'data-loss' DESC, id");
    while (st.step()) {
      if (answered_.contains(st.str(1))) continue;
      const std::string times = st.integer(2) > 1 ? " (" + format_count(st.integer(2)) + " times)" : "";
      found_.push_back({st.str(0), st.str(1), st.str(3) + times, st.str(4)});
    }
  }

  const Store& store_;
  int64_t trace_;
  int64_t events_ = 0, executions_ = 0;
  bool has_dump_ = false, has_record_ = false, has_program_ = false;
  std::string unit_;
  std::vector<Finding> found_;
  std::set<std::string> answered_;
};

}  // namespace

Status diagnose(const Store& store, int64_t trace_id, std::vector<Finding>* out) {
  *out = Doctor(store, trace_id).run();
  return {};
}

}  // namespace et::inspector
