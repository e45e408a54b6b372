#include "inspector/report/json_report.h"

#include <cmath>
#include <string_view>
#include <unordered_map>

#include "inspector/analysis/delegation/delegation.h"
#include "inspector/analysis/findings/finding.h"
#include "inspector/analysis/ops/execution_notes.h"
#include "inspector/analysis/ops/executions.h"
#include "inspector/analysis/ops/frame_tree.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/ingest/links/unlinked_reasons.h"
#include "inspector/report/op_statistics.h"
#include "inspector/store/foreign_files.h"
#include "inspector/text/json_writer.h"

namespace et::inspector {
namespace {

// Members that hold times, named after the clock that counted them: sum_ns, sum_cycles.
class Times {
 public:
  Times(JsonWriter* json, std::string_view unit) : json_(json), suffix_(unit == "ns" ? "_ns" : "_cycles") {}
  template <class T>
  const Times& member(std::string_view name, const T& v) const {
    json_->member(std::string(name) + suffix_, v);
    return *this;
  }

 private:
  JsonWriter* json_;
  const char* suffix_;
};

const char* part_id(Part part) {
  switch (part) {
    case Part::Delegate:
      return "delegate";
    case Part::Kernel:
      return "kernels";
    case Part::Control:
      return "control";
    case Part::Framework:
      break;
  }
  return "framework";
}

class JsonReport {
 public:
  JsonReport(const Store& store, const JsonReportInput& input, std::string* out)
      : store_(store),
        in_(input),
        table_(*input.table),
        summary_(*input.summary),
        json_(out),
        times_(&json_, table_.unit) {}

  Status write() {
    Status status = prepare();
    if (!status.ok()) return status;
    json_.begin_object().member("schema_version", kJsonSchemaVersion);
    trace();
    diagnostics();
    findings();
    execution_notes();
    methods();
    blocks();
    ops();
    unattributed();
    delegation();
    unlinked();
    costs();
    if (in_.group_by) groups();
    lines();
    json_.end_object();
    return {};
  }

 private:
  Status prepare() {
    // Counts of another model's graph would be no answer.
    const ForeignFiles foreign = foreign_files(store_, table_.trace_id);
    Status status = foreign.hides_record() || foreign.hides_instructions()
                        ? Status()
                        : et::inspector::delegation(store_, table_.trace_id, &delegation_);
    if (status.ok()) status = find_findings(store_, *in_.shown, &findings_, &notes_);
    if (status.ok() && in_.group_by)
      status = load_groups(store_, *in_.grouped, *in_.group_by, *in_.filter, in_.source_maps, &groups_);
    if (status.ok() && in_.samples)
      status = store_.prepare("SELECT duration_ns FROM samples WHERE op_id = ?1 ORDER BY sample", &samples_);
    if (!status.ok() || !in_.values) return status;
    status = execution_numbers(store_, table_, &numbers_);
    if (!status.ok()) return status;
    const std::string columns =
        "SELECT e.execution, v.ordinal, v.item, v.is_output, v.kind, v.dtype, v.numel, v.nan_count, v.inf_count, "
        "v.scalar, v.min, "
        "v.max, v.mean, v.sum, v.abs_sum, iif(json_valid(v.shape), json(v.shape), NULL), "
        "iif(json_valid(v.strides), json(v.strides), NULL), iif(json_valid(v.first_values), json(v.first_values), "
        "NULL), "
        "v.problem, v.run_id FROM debug_values v LEFT JOIN executions e ON e.run_id = v.run_id WHERE ";
    status = store_.prepare(columns + "v.op_id = ?1 ORDER BY v.value_id", &values_);
    if (!status.ok()) return status;
    return store_.prepare(columns + "v.op_id IS NULL AND v.trace_id = ?1 AND e.block_id = ?2 ORDER BY v.value_id",
                          &outputs_);
  }

  void trace() {
    const TraceFacts& s = summary_;
    json_.key("trace").begin_object();
    json_.member("id", s.id).member("name", s.name).member("dump_path", s.dump_path).member("dump_bytes", s.dump_bytes);
    json_.member("record_path", s.record_path)
        .member("program_path", s.program_path)
        .member("debug_buffer_path", s.debug_buffer_path);
    json_.member("unit", s.unit).member("events", s.events).member("executions", s.executions);
    times_.member("execute", s.execute_total);
    json_.member("producer", s.producer)
        .member("host", s.host)
        .member("cpu", s.cpu)
        .member("os", s.os)
        .member("build", s.build);
    json_.member("threads", s.threads).member("clock", s.clock).member("program_sha256", s.program_sha256);
    json_.member("lost_events", s.lost_events).member("event_overhead_ns", s.event_overhead_ns);
    json_.key("labels").begin_object();
    for (size_t i = 0; i < s.labels.size(); ++i) {
      // Keys may repeat in the trailer, not in an object: the last one stands.
      if (i + 1 < s.labels.size() && s.labels[i + 1].first == s.labels[i].first) continue;
      json_.member(s.labels[i].first, s.labels[i].second);
    }
    json_.end_object().end_object();
  }

  void diagnostics() {
    json_.key("diagnostics").begin_array();
    for (const DiagnosticRow& d : summary_.diagnostics) {
      json_.begin_object().member("id", d.id).member("severity", d.severity).member("count", d.count);
      json_.member("message", d.message).member("help", d.help).end_object();
    }
    json_.end_array();
  }

  void findings() {
    json_.key("findings").begin_array();
    for (const Finding& f : findings_) {
      json_.begin_object().member("id", f.id).member("severity", f.severity);
      json_.member("text", f.text).member("advice", f.advice);
      if (f.time) {
        json_.member("reason_id", f.time->reason_id).member("share", f.time->share).member("ops", f.time->ops);
        json_.member("basis", f.time->basis.name());
        json_.member("example", f.time->example);
      }
      json_.end_object();
    }
    json_.end_array();
  }

  void execution_notes() {
    json_.key("execution_notes").begin_array();
    for (const ExecutionNote& n : notes_) {
      json_.begin_object().member("method", n.method).member("kind", execution_note_name(n.kind));
      json_.member("bundled_input_index", n.test_case).member("run_id", n.run_id).member("execution", n.execution);
      json_.member("count", n.count).member("warm_executions", n.warm);
      times_.member("time", n.time).member("reference", n.reference);
      json_.member("extra_share", n.extra_share).member("interrupted", n.interrupted).key("ops").begin_array();
      for (const ExtraTime& e : n.ops) {
        json_.begin_object().member("op_id", e.op_id).member("name", e.name);
        times_.member("extra", e.ticks);
        json_.end_object();
      }
      json_.end_array().member("text", n.text).end_object();
    }
    json_.end_array();
  }

  void methods() {
    json_.key("methods").begin_array();
    for (const MethodRow& m : summary_.methods) {
      json_.begin_object().member("name", m.name).member("executions", m.executions);
      times_.member("total", m.total)
          .member("cold", m.cold)
          .member("warm_mean", m.warm_mean)
          .member("warm_p50", m.warm_p50);
      json_.member("inputs", m.inputs).member("outputs", m.outputs).member("instructions", m.instructions).end_object();
    }
    json_.end_array();
  }

  void blocks() {
    json_.key("blocks").begin_array();
    for (const OpBlock& b : table_.blocks) {
      json_.begin_object().member("block_index", b.ordinal).member("name", b.name).member("kind", b.kind);
      json_.member("method", b.method)
          .member("method_via", b.method_via)
          .member("method_confidence", b.method_confidence);
      json_.member("bundled_input_index", b.bundled_input_index).member("runs", b.runs).member("complete", b.complete);
      json_.member("error", b.error);
      times_.member("total", b.total)
          .member("cold", b.cold)
          .member("warm_mean", b.warm_mean)
          .member("warm_p50", b.warm_p50);
      if (in_.values) {
        json_.key("outputs").begin_array();
        outputs_.bind_all(table_.trace_id, b.id);
        values(&outputs_);
        json_.end_array();
      }
      json_.end_object();
    }
    json_.end_array();
  }

  void ops() {
    json_.key("ops").begin_array();
    for (const size_t index : in_.ops) op(table_.ops[index]);
    json_.end_array();
  }

  void op(const OpEntry& o) {
    const OpBlock& block = table_.block_of(o);
    json_.begin_object().member("op_id", o.id).member("block", block.name).member("block_index", block.ordinal);
    json_.member("method", block.method).member("order", o.ordinal);
    json_.key("parent_order");
    o.parent ? json_.value(table_.ops[*o.parent].ordinal) : json_.value(nullptr);
    json_.member("name", o.name.str()).member("title", op_title(table_, o));
    json_.member("kind", o.kind.str()).member("instruction_id", o.instruction_id);
    json_.member("chain_index", o.chain_index).member("delegate_debug_id", o.delegate_debug_id);
    json_.member("is_delegated", o.is_delegated)
        .member("backend", o.backend)
        .member("role", o.role)
        .member("clock", o.clock)
        .member("unit", o.unit.str());
    json_.member("resolution_limited", o.resolution_limited);
    json_.key("op_types").begin_array();
    for (const std::string& t : o.op_types) json_.value(t);
    json_.end_array().key("debug_handles").begin_array();
    for (const int64_t h : o.debug_handles) json_.value(h);
    json_.end_array();
    write_statistics<OpStatistics>(&json_, o.unit.str(), o);
    json_.member("outputs", o.outputs).member("metadata", o.metadata);
    json_.key("nodes").begin_array();
    for (size_t i = o.first_node; i < o.first_node + o.nodes; ++i) node(table_.nodes[i]);
    json_.end_array();
    if (in_.samples) {
      json_.key(o.unit == "ns" ? "samples_ns" : "samples_cycles").begin_array();
      samples_.bind_all(o.id);
      while (samples_.step()) json_.value(samples_.integer(0));
      samples_.reset();
      json_.end_array();
    }
    if (in_.values) {
      json_.key("values").begin_array();
      values_.bind_all(o.id);
      values(&values_);
      json_.end_array();
    }
    json_.end_object();
  }

  void node(const OpNode& link) {
    const NodeFacts& n = *link.node;
    const auto text_or_null = [&](std::string_view name, const std::string& text) {
      json_.key(name);
      text.empty() ? json_.value(nullptr) : json_.value(text);
    };
    json_.begin_object().member("name", n.name).member("target", n.op).member("stored_target", n.target);
    text_or_null("file", n.file);
    json_.member("line", n.line);
    text_or_null("function", n.function);
    json_.key("module_path");
    n.has_module ? json_.value(n.module_path) : json_.value(nullptr);
    text_or_null("module_type", n.module_type);
    json_.member("via", link.via).member("confidence", link.confidence).member("weight", link.weight);
    text_or_null("frame", n.frame);
    json_.end_object();
  }

  void values(Statement* st) {
    while (st->step()) {
      json_.begin_object().member("execution", st->maybe_integer(0));
      const auto number = numbers_.find(st->integer(19));
      json_.key("method_execution");
      number == numbers_.end() ? json_.value(nullptr) : json_.value(int64_t{number->second});
      json_.member("ordinal", st->integer(1)).member("item", st->integer(2));
      json_.member("is_output", st->integer(3) != 0).member("kind", st->text(4)).member("dtype", st->maybe_text(5));
      json_.member("numel", st->maybe_integer(6))
          .member("nan_count", st->maybe_integer(7))
          .member("inf_count", st->maybe_integer(8));
      int c = 9;
      for (const char* name : {"scalar", "min", "max", "mean", "sum", "abs_sum"})
        json_.member(name, st->maybe_real(c++));
      for (const char* name : {"shape", "strides", "first_values"}) {
        json_.key(name).raw(st->is_null(c) ? std::string_view("null") : st->text(c));
        ++c;
      }
      json_.member("problem", st->maybe_text(c)).end_object();
    }
    st->reset();
  }

  void unattributed() {
    json_.key("unattributed").begin_array();
    for (const OpEntry& o : table_.ops) {
      if (!o.encloses) continue;
      const OpBlock& block = table_.block_of(o);
      json_.begin_object()
          .member("block", block.name)
          .member("block_index", block.ordinal)
          .member("parent", o.name.str());
      json_.member("parent_order", o.ordinal).member("instruction_id", o.instruction_id);
      times_.member("sum", o.self);
      json_.member("share", o.self_share).end_object();
    }
    json_.end_array();
  }

  void costs() {
    const OpTable& shown = *in_.shown;
    json_.key("costs").begin_object().member("basis", shown.basis.name()).member("text", shown.basis.text());
    json_.key("methods").begin_array();
    for (const OpBlock& b : shown.blocks) {
      if (b.kind != "execute") continue;
      json_.begin_object().member("method", b.method).member("block_id", b.id).member("executions", b.runs);
      times_.member("cost", b.cost).member("variation", b.variation);
      json_.end_object();
    }
    json_.end_array().key("ops").begin_array();
    for (const OpEntry& o : shown.ops) {
      const OpBlock& block = shown.block_of(o);
      if (block.kind != "execute" || !o.on_trace_clock() || o.count == 0 || !in_.filter->matches(shown, o)) continue;
      json_.begin_object().member("op_id", o.id).member("name", o.name.str()).member("title", op_title(shown, o));
      json_.member("method", block.method);
      json_.member("instruction_id", o.instruction_id).member("samples", o.count);
      times_.member("cost", o.cost);
      json_.member("share", block.cost > 0 ? std::optional(o.cost / block.cost) : std::nullopt);
      const OpNode* node = shown.main_node(o);
      json_.key("line");
      node == nullptr || node->node->file.empty() ? json_.value(nullptr) : json_.value(source_place(*node->node));
      json_.end_object();
    }
    json_.end_array().end_object();
  }

  void delegation() {
    json_.key("delegation").begin_object().key("parts").begin_array();
    for (const PartRow& p : cost_parts(table_)) {
      json_.begin_object().member("method", p.method).member("part", part_id(p.part));
      json_.key("backend");
      p.backend.empty() ? json_.value(nullptr) : json_.value(p.backend);
      json_.member("ops", p.ops).member("calls", p.calls);
      const auto ticks = [](double time) { return static_cast<int64_t>(std::llround(time)); };
      times_.member("sum", ticks(p.total)).member("inner", ticks(p.inner)).member("overhead", ticks(p.overhead));
      json_.member("share", p.share).end_object();
    }
    json_.end_array().key("methods").begin_array();
    for (const DelegationSummary& m : delegation_) {
      json_.begin_object().member("method", m.method).member("delegated_subgraphs", m.subgraphs);
      json_.member("delegated_nodes", m.delegated_nodes).member("non_delegated_nodes", m.non_delegated_nodes);
      json_.key("operators").begin_array();
      for (const DelegationRow& r : m.rows) {
        json_.begin_object()
            .member("op_type", r.op_type)
            .member("delegated", r.delegated)
            .member("non_delegated", r.non_delegated)
            .member("delegated_at_least", r.delegated - r.fewer)
            .member("delegated_at_most", r.delegated + r.more);
        times_.member("delegated", r.ns_delegated).member("non_delegated", r.ns_non_delegated);
        json_.end_object();
      }
      json_.end_array().key("delegates").begin_array();
      for (const DelegationPart& p : m.parts) {
        json_.begin_object()
            .member("instruction_id", p.instruction_id)
            .member("backend", p.backend)
            .member("nodes", p.nodes);
        json_.key("payload_bytes");
        p.payload_bytes < 0 ? json_.value(nullptr) : json_.value(p.payload_bytes);
        json_.member("calls", p.calls);
        times_.member("sum", p.sum_ns).member("inner", p.inner_ns);
        json_.end_object();
      }
      json_.end_array().end_object();
    }
    json_.end_array().end_object();
  }

  void unlinked() {
    json_.key("unlinked").begin_array();
    for (const UnlinkedRow& u : summary_.unlinked) {
      const OpEntry& op = table_.ops[u.op];
      json_.begin_object().member("op_id", op.id).member("name", op.name.str()).member("title", op_title(table_, op));
      json_.member("instruction_id", std::optional<int64_t>(op.instruction_id));
      times_.member("sum", op.sum);
      json_.member("reason", u.reason.str());
      const UnlinkedReason* const known = find_unlinked_reason(u.reason.str());
      json_.member("reason_id", known == nullptr ? std::optional<std::string>() : known->id).end_object();
    }
    json_.end_array();
  }

  void lines() {
    const ShownLines& shown = table_.lines;
    json_.key("lines").begin_object().member("rule", shown.rule).member("text", shown.text());
    json_.member("user_nodes", shown.user_nodes).member("other_nodes", shown.other_nodes).key("opened").begin_array();
    for (const OpenedLine& l : shown.opened) {
      json_.begin_object().member("file", l.file).member("line", l.line).member("share", l.share);
      json_.member("nodes", l.nodes).end_object();
    }
    json_.end_array().end_object();
  }

  void groups() {
    const bool frames = *in_.group_by == GroupBy::Frame;
    json_.member("group_by", group_by_name(*in_.group_by)).key("groups").begin_array();
    for (const GroupRow& g : groups_.rows) {
      json_.begin_object().member("key", g.key).member("detail", g.detail).member("belongs_to_none", g.none);
      times_.member("self", g.self);
      if (frames) json_.member("function", g.function).member("module", g.module);
      if (frames || *in_.group_by == GroupBy::Module) times_.member("inner", g.inner);
      json_.member("share", g.share).member("ops", g.ops).member("samples", g.samples).end_object();
    }
    json_.end_array();
    times_.member("groups_unexplained", groups_.unexplained());
  }

  const Store& store_;
  const JsonReportInput& in_;
  const OpTable& table_;
  const TraceFacts& summary_;
  JsonWriter json_;
  Times times_;
  GroupTable groups_;
  std::vector<DelegationSummary> delegation_;
  std::vector<Finding> findings_;
  std::vector<ExecutionNote> notes_;
  std::unordered_map<int64_t, int32_t> numbers_;  // of executions, by run
  Statement samples_, values_, outputs_;
};

}  // namespace

Status write_json_report(const Store& store, const JsonReportInput& input, std::string* out) {
  return JsonReport(store, input, out).write();
}

}  // namespace et::inspector
