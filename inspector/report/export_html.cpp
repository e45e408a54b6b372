// A report in one HTML file: page, style and script from html_page/, the trace as JSON inside of it. It opens offline
// and asks nothing of the network; its content security policy says so to the browser, too.
#include <algorithm>
#include <sstream>

#include "inspector/analysis/ops/basis_gaps.h"
#include "inspector/analysis/ops/execution_notes.h"
#include "inspector/analysis/ops/op_costs.h"
#include "inspector/analysis/ops/source_lines.h"
#include "inspector/analysis/timeline/timeline_tree.h"
#include "inspector/report/export_text.h"
#include "inspector/report/html_page.h"
#include "inspector/report/source_text.h"
#include "inspector/store/foreign_files.h"
#include "inspector/text/json_list.h"
#include "inspector/text/json_writer.h"

namespace et::inspector {
namespace {

// Points that describe the distribution of an op's samples, and the samples that are sorted for them.
constexpr size_t kQuantilePoints = 512;
constexpr int64_t kSamplesSorted = 65536;
constexpr int kContextLines = 4;
constexpr size_t kNodes = 20;  // of an op

/// Evenly spaced quantiles of the op's samples. Of many samples every `stride`th is taken.
std::vector<int64_t> quantile_points(const Store& store, const OpEntry& op, int64_t* stride) {
  *stride = std::max<int64_t>(1, (op.count + kSamplesSorted - 1) / kSamplesSorted);
  std::vector<int64_t> samples;
  Statement st = store.query("SELECT duration_ns FROM samples WHERE op_id = ?1");
  st.bind_all(op.id);
  for (int64_t i = 0; st.step(); ++i) {
    if (i % *stride == 0 && static_cast<int64_t>(samples.size()) < kSamplesSorted) samples.push_back(st.integer(0));
  }
  std::sort(samples.begin(), samples.end());
  if (samples.size() <= kQuantilePoints) return samples;
  std::vector<int64_t> points(kQuantilePoints);
  for (size_t i = 0; i < kQuantilePoints; ++i) points[i] = samples[i * (samples.size() - 1) / (kQuantilePoints - 1)];
  return points;
}

class HtmlData {
 public:
  HtmlData(const Store& store, const Timeline& timeline, const ExportOptions& options, ExportSink& sink)
      : store_(store), t_(timeline), options_(options), sink_(sink), json_(&piece_) {}

  Status write() {
    json_.begin_object();
    summary();
    diagnostics();
    if (Status s = notes(); !s.ok()) return s;
    blocks();
    if (Status s = ranking(); !s.ok()) return s;
    if (Status s = ops(); !s.ok()) return s;
    parts();
    if (Status s = sources(); !s.ok()) return s;
    json_.end_object();
    pass_on();
    return sink_.status();
  }

 private:
  void pass_on() {
    append_script_safe(&sink_.buffer, piece_);
    piece_.clear();
    sink_.flush_if_large();
  }

  void card(const char* name, const std::string& value) { json_.begin_array().value(name).value(value).end_array(); }

  void summary() {
    Statement st = store_.query(
        "SELECT coalesce(name, ''), coalesce(dump_path, ''), events, executions, coalesce(execute_ns, 0), "
        "coalesce(record_path, ''), "
        "coalesce(program_path, ''), coalesce(cpu, ''), threads, lost_events FROM traces WHERE trace_id = ?1");
    st.bind_all(t_.trace_id());
    st.step();
    const std::string path = st.str(1);
    json_.member("title", st.text(0).empty() ? path : st.str(0)).member("unit", t_.unit());
    std::string files = path;
    for (const int c : {5, 6}) files += st.text(c).empty() ? "" : " + " + st.str(c);
    json_.member("subtitle", files);
    json_.key("cards").begin_array();
    card("executions", format_count(st.integer(3)));
    card("time of all executions", format_duration_with_unit(st.real(4), t_.unit()));
    card("events", format_count(st.integer(2)));
    if (!st.text(7).empty()) card("processor", st.str(7));
    if (!st.is_null(8)) card("threads", format_count(st.integer(8)));
    if (!st.is_null(9) && st.integer(9) > 0) card("lost events", format_count(st.integer(9)));
    json_.end_array();
    pass_on();
  }

  void diagnostics() {
    json_.key("diagnostics").begin_array();
    Statement st = store_.query("SELECT severity, count, message, help FROM diagnostics WHERE trace_id = ?1");
    st.bind_all(t_.trace_id());
    while (st.step()) {
      json_.begin_object().member("severity", st.text(0)).member("count", st.integer(1)).member("message", st.text(2));
      json_.member("help", st.text(3)).end_object();
    }
    json_.end_array();
  }

  // What stands out among the executions, and files of another model: before any number.
  Status notes() {
    std::vector<ExecutionNote> notes;
    if (Status s = load_execution_notes(store_, t_.trace_id(), &notes); !s.ok()) return s;
    const bool name_method = !notes.empty() && several_methods(notes);
    json_.key("errors").begin_array();
    for (const std::string& warning : foreign_files(store_, t_.trace_id()).warnings()) json_.value(warning);
    json_.end_array().key("notes").begin_array();
    for (const ExecutionNote& n : notes) json_.value(execution_note_line(n, name_method));
    json_.end_array();
    return {};
  }

  // What each op costs on each basis; the page has a switch. Ops that are one with another have none of their own.
  Status ranking() {
    OpTable shown;
    if (Status s = load_shown_ops(store_, t_.trace_id(), {}, &shown); !s.ok()) return s;
    std::vector<std::vector<double>> costs(shown.ops.size());
    std::vector<double> totals;
    json_.key("ranking").begin_object().key("bases").begin_array();
    for (const BasisKind kind :
         {BasisKind::WarmMedian, BasisKind::Mean, BasisKind::Total, BasisKind::Cold, BasisKind::P99}) {
      if (!missing_basis(shown, {kind}).empty() || (shown.old_store && kind == BasisKind::WarmMedian)) continue;
      if (Status s = set_basis(store_, {kind}, &shown); !s.ok()) return s;
      json_.begin_object().member("name", shown.basis.name()).member("text", shown.basis.text()).end_object();
      double total = 0;
      for (const OpBlock& b : shown.blocks) total += b.kind == "execute" ? b.cost : 0;
      totals.push_back(total);
      for (size_t i = 0; i < shown.ops.size(); ++i) costs[i].push_back(shown.ops[i].cost);
    }
    json_.end_array().key("totals").begin_array();
    for (const double total : totals) json_.value(total);
    json_.end_array().key("costs").begin_array();
    for (size_t i = 0; i < shown.ops.size(); ++i) {
      const OpEntry& op = shown.ops[i];
      const std::optional<size_t> at = t_.table().find(op.id);
      if (!at || !op.on_trace_clock() || op.count == 0 || shown.block_of(op).kind != "execute") continue;
      json_.begin_array().value(static_cast<int64_t>(*at));
      for (const double cost : costs[i]) json_.value(cost);
      json_.end_array();
    }
    json_.end_array().end_object();
    pass_on();
    return {};
  }

  void blocks() {
    json_.key("blocks").begin_array();
    for (const TimelineBlock& block : t_.blocks()) {
      const OpBlock& b = *block.entry;
      json_.begin_object().member("label", block.label()).member("name", b.name).member("method", block.method());
      json_.member("kind", b.kind).member("runs", b.runs).member("total", b.total);
      json_.member("cold", b.cold).member("warm_p50", b.warm_p50).end_object();
    }
    json_.end_array();
    pass_on();
  }

  // Keys, headings and kinds of the statistics that the page shows.
  template <class Order>
  void statistics(const char* list, const Order& order) {
    static constexpr const char* kColumnKinds[] = {"count", "time", "share"};
    json_.key(list).begin_array();
    for (const OpStatistic* s : statistics_by(order)) {
      json_.begin_object().member("key", s->name).member("title", s->places.html.title);
      json_.member("kind", kColumnKinds[static_cast<size_t>(s->kind)]).end_object();
    }
    json_.end_array();
  }

  Status ops() {
    statistics("columns", [](const OpStatistic& s) { return s.places.html.column; });
    statistics("facts", [](const OpStatistic& s) { return s.places.html.fact; });
    const TimelineTree tree = build_tree(t_);
    json_.key("ops").begin_array();
    for (size_t i = 0; i < t_.ops().size(); ++i) op(t_.ops()[i], tree.total[i]);
    json_.end_array();
    return sink_.status();
  }

  void op(const TimelineOp& place, int64_t shown) {
    const OpEntry& o = *place.entry;
    json_.begin_object().member("name", frame_label(place)).member("event", o.name.str()).member("kind", o.kind.str());
    json_.member("block", static_cast<int64_t>(place.block)).member("parent", static_cast<int64_t>(place.parent));
    json_.member("instruction", o.instruction_id).member("backend", o.backend.text().str());
    json_.member("role", o.role.text().str()).member("clock", t_.tracks()[static_cast<size_t>(place.track)].clock);
    json_.key("types").raw(json_list(o.op_types));
    json_.member("handles", handles_json(o)).member("source", source_text(place)).member("module", module_text(place));
    json_.member("shown", shown).member("coarse", o.resolution_limited);
    OpStatistics::visit(o, [&](const OpStatistic& s, const auto& value) {
      if (s.places.html.column != 0 || s.places.html.fact != 0) json_.member(s.name, value);
    });
    nodes(o);
    int64_t stride = 1;
    const std::vector<int64_t> points = quantile_points(store_, o, &stride);
    json_.member("stride", stride).key("q").begin_array();
    for (const int64_t p : points) json_.value(p);
    json_.end_array().end_object();
    pass_on();
  }

  // The surest ones, and the source line of the first that has one.
  void nodes(const OpEntry& o) {
    std::vector<const OpNode*> nodes;
    for (size_t i = o.first_node; i < o.first_node + o.nodes; ++i) nodes.push_back(&t_.table().nodes[i]);
    std::stable_sort(nodes.begin(), nodes.end(),
                     [](const OpNode* a, const OpNode* b) { return a->confidence > b->confidence; });
    if (nodes.size() > kNodes) nodes.resize(kNodes);
    std::string_view code;
    json_.key("nodes").begin_array();
    for (const OpNode* n : nodes) {
      if (code.empty()) code = n->node->code;
      json_.value(n->node->name);
    }
    json_.end_array().member("code", code);
  }

  // Each delegate call, and all that ran on kernels: together the time of all executions.
  void parts() {
    Statement st = store_.query(
        "SELECT coalesce(o.method, ''), o.instruction_id, max(coalesce(o.backend, '')), max(d.payload_kind), "
        "max(d.payload_nodes), "
        "max(d.payload_bytes), max(d.weights_bytes), sum(o.count), sum(o.sum_ns) FROM ops o JOIN blocks b ON "
        "b.block_id = o.block_id "
        "LEFT JOIN delegates d ON d.delegate_id = o.delegate_id "
        "WHERE o.trace_id = ?1 AND o.kind = 'delegate_call' AND b.kind = 'execute' AND o.clock IS NULL "
        "GROUP BY o.method, o.instruction_id ORDER BY sum(o.sum_ns) DESC, 1, 2");
    st.bind_all(t_.trace_id());
    double total = 0;
    for (const TimelineBlock& b : t_.blocks()) total += b.kind() == "execute" ? static_cast<double>(b.entry->total) : 0;
    double delegated = 0;
    auto share = [&](double ns) { return total > 0 ? ns / total : 0; };
    json_.key("parts").begin_array();
    while (st.step()) {
      delegated += st.real(8);
      const std::string backend = st.text(2).empty() ? "delegate" : st.str(2);
      json_.begin_object().member("name", backend + " [" + st.str(1) + "]").member("method", st.text(0));
      json_.member("payload", st.maybe_text(3))
          .member("nodes", st.maybe_integer(4))
          .member("bytes", st.maybe_integer(5));
      json_.member("weights", st.maybe_integer(6)).member("calls", st.integer(7)).member("sum", st.real(8));
      json_.member("share", share(st.real(8))).end_object();
    }
    if (total > 0) {
      json_.begin_object()
          .member("name", "not delegated")
          .member("method", "")
          .member("payload", "")
          .member("nodes", nullptr);
      json_.member("bytes", nullptr)
          .member("weights", nullptr)
          .member("calls", executions())
          .member("sum", total - delegated);
      json_.member("share", share(total - delegated)).end_object();
    }
    json_.end_array();
  }

  int64_t executions() const {
    int64_t n = 0;
    for (const TimelineBlock& b : t_.blocks()) n += b.kind() == "execute" ? b.entry->runs : 0;
    return n;
  }

  Status sources() {
    SourceCost cost;
    if (Status s = load_source_cost(store_, t_.table(), &cost); !s.ok()) return s;
    json_.member("lines", cost.shown.text());
    json_.member("source_total", cost.total_ns).member("no_line", cost.no_line_ns);
    json_.key("sources").begin_array();
    for (const SourceFileCost& f : cost.files) {
      const std::optional<SourceText> text = find_source(f, options_.source_maps);
      json_.begin_object().member("file", f.file).member("ns", f.ns);
      json_.member("path", text ? std::optional(text->path) : std::nullopt).member("changed", text ? text->changed : 0);
      json_.key("lines").begin_array();
      for (const ShownLine& l : lines_to_show(f, text, kContextLines)) {
        json_.begin_object().member("n", l.line).member("text", l.text);
        if (l.gap_before) json_.member("gap", true);
        if (l.cost != nullptr) {
          json_.member("ns", l.cost->ns).member("incl", l.cost->inclusive_ns).key("types").begin_array();
          for (const std::string& type : l.cost->op_types) json_.value(type);
          json_.end_array();
        }
        json_.end_object();
      }
      json_.end_array().end_object();
      pass_on();
    }
    json_.end_array();
    return {};
  }

  const Store& store_;
  const Timeline& t_;
  const ExportOptions& options_;
  ExportSink& sink_;
  std::string piece_;
  JsonWriter json_;
};

}  // namespace

Status export_html(const Store& store, int64_t trace_id, const ExportOptions& options, std::ostream& out) {
  Timeline t;
  if (Status s = Timeline::load(store, trace_id, &t); !s.ok()) return s;
  ExportSink sink(out);
  const std::string_view page = kHtmlPage;
  size_t at = 0;
  auto until = [&](std::string_view mark) {
    const size_t found = page.find(mark, at);
    sink.buffer += page.substr(at, found - at);
    at = found + mark.size();
  };
  until("%CSS%");
  sink.buffer += kHtmlStyle;
  until("%DATA%");
  if (Status s = HtmlData(store, t, options, sink).write(); !s.ok()) return s;
  until("%JS%");
  sink.buffer += kHtmlScript;
  sink.buffer += page.substr(at);
  return sink.finish();
}

}  // namespace et::inspector
