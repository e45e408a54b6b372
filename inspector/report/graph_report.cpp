#include "inspector/report/graph_report.h"

#include <algorithm>
#include <array>
#include <ostream>

#include "inspector/analysis/graph/graph_model.h"
#include "inspector/report/graph_format.h"
#include "inspector/store/foreign_files.h"
#include "inspector/text/format.h"

namespace et::inspector {
namespace {

template <class Range>
std::string listed(const Range& names) {
  std::string out;
  for (const auto& n : names) out += (out.empty() ? "" : ", ") + std::string(n);
  return out;
}

template <size_t N>
Status check_choice(const char* what, const std::string& value, const std::array<const char*, N>& known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return {};
  return {Error::InvalidArgument, std::string("unknown ") + what + " \"" + value + "\"; there are " + listed(known)};
}

}  // namespace

Status write_graph(const Store& store, int64_t trace_id, const GraphOptions& options, std::ostream& out) {
  constexpr std::array<const char*, 4> kFormats = {"text", "dot", "svg", "json"};
  constexpr std::array<const char*, 3> kColors = {"cost", "delegate", "none"};
  if (Status s = check_choice("format", options.format, kFormats); !s.ok()) return s;
  if (Status s = check_choice("colour", options.color_by, kColors); !s.ok()) return s;

  Statement trace = store.query("SELECT record_path FROM traces WHERE trace_id = ?1");
  trace.bind_all(trace_id);
  if (!trace.step()) return {Error::NotFound, "no trace #" + std::to_string(trace_id) + " in the store"};
  const std::vector<std::string> graphs = graph_names(store, trace_id);
  if (graphs.empty()) {
    return {Error::NotFound, trace.is_null(0)
                                 ? "the trace has no graph: it was imported without an ETRecord (--etrecord)"
                                 : "the trace's ETRecord has no readable graph"};
  }
  if (std::find(graphs.begin(), graphs.end(), options.graph) == graphs.end()) {
    return {Error::InvalidArgument, "the ETRecord has no graph \"" + options.graph + "\"; it has " + listed(graphs)};
  }
  std::vector<std::string> methods = graph_methods(store, trace_id, options.graph);
  if (!options.method.empty()) {
    if (std::find(methods.begin(), methods.end(), options.method) == methods.end()) {
      return {Error::InvalidArgument,
              "graph " + options.graph + " has no method \"" + options.method + "\"; it has " + listed(methods)};
    }
    methods = {options.method};
  }
  // Programs get sums, unless they ask for a basis.
  OpTable table;
  const bool sums = options.format == "json" && !options.basis;
  Status status = sums ? load_op_table(store, trace_id, {}, &table)
                       : load_shown_ops(store, trace_id, {.basis = options.basis.value_or(Basis())}, &table);
  if (!status.ok()) return status;
  std::vector<GraphModel> models(methods.size());
  for (size_t i = 0; i < methods.size(); ++i) {
    status = load_graph(store, table, methods[i], options.graph, &models[i]);
    if (!status.ok()) return status;
  }

  const std::vector<std::string> foreign = foreign_files(store, trace_id).warnings();
  std::string text;
  if (options.format == "text") {
    for (const std::string& warning : foreign) text += "# ERROR: " + printable(warning) + "\n";
    for (const GraphModel& m : models) {
      if (models.size() > 1) text += (text.empty() ? "" : "\n") + std::string("# method ") + m.method + "\n";
      write_graph_text(m, options, &text);
    }
  } else if (options.format == "json") {
    write_graph_json(models, foreign, &text);
  } else {
    write_graph_dot(models, options, foreign, &text);
    if (options.format == "svg") {
      std::string svg;
      if (Status s = render_svg(text, &svg); !s.ok()) return s;
      text = std::move(svg);
    }
  }
  out << text;
  out.flush();
  return out.good() ? Status() : Status(Error::AccessFailed, "cannot write the graph: the output refuses more data");
}

}  // namespace et::inspector
