// `et-inspect where TRACE --handle N`: from what an error names to the node and its Python line.
#include "inspector/analysis/ops/places.h"

#include <charconv>

#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/trace_source.h"
#include "inspector/store/line_rule.h"
#include "inspector/text/format.h"
#include "inspector/text/table.h"

namespace et::cli {
namespace {

using inspector::Cell;

constexpr OptionSpec kWherePositionals[] = {kTraceArgument};
constexpr OptionSpec kWhere[] = {
    {.name = "handle", .argument = "N", .type = Value::Integer, .many = true, .help = "a debug handle"},
    {.name = "instruction",
     .argument = "N",
     .type = Value::Integer,
     .many = true,
     .help = "an instruction of the method, from 0"},
    kMethodOption,
};
constexpr OptionGroup kWhereOptions = {"Where", kWhere};
constexpr const OptionGroup* kWhereGroups[] = {&kInputOptions, &kWhereOptions, &kFormatOptions};
constexpr Example kWhereExamples[] = {
    {"where -e etrecord.bin -p model.pte --handle 73", "a delegate reported debug handle 73: which line is that?"},
    {"where -e etrecord.bin -p model.pte --instruction 5", "which operator and line the failed instruction belongs to"},
};

/// Gathers the rows for programs and the text for people.
class Places {
 public:
  Places() {
    for (const char* title : {"handle", "method", "node", "op", "file", "line", "function", "code", "module",
                              "instruction", "delegate", "backend", "payload_node", "payload_type", "frame", "stack"}) {
      table.columns.push_back({.title = title});
    }
  }

  void handle(int64_t number, const inspector::HandlePlaces& found) {
    if (found.nodes.empty()) text += "handle " + std::to_string(number) + "\n";
    for (const inspector::Place& p : found.nodes) node(p, "");
    const bool many_methods = !found.nodes.empty() && found.nodes.front().method != found.nodes.back().method;
    for (const inspector::InstructionPlace& i : found.instructions) {
      text += "  in instruction " + std::to_string(i.instruction) + (many_methods ? " of " + i.method : "");
      text += i.delegate < 0 ? (i.op.empty() ? "" : ", " + i.op)
                             : ", delegate " + std::to_string(i.delegate) + " (" + i.backend + ")";
      text += "\n";
    }
    for (const inspector::PayloadPlace& p : found.payload_nodes) {
      text += "  in the payload of delegate " + std::to_string(p.delegate) + " (" + p.backend + "): node " +
              std::to_string(p.ordinal) + ", " + p.type;
      // A TOSA payload has no handles: its label says how the node was found.
      text += p.label.find(':') == std::string::npos ? "\n" : ", " + inspector::printable(p.label) + "\n";
    }
    const Cell none;
    const auto rows = std::max<size_t>({found.nodes.size(), found.payload_nodes.size(), found.instructions.size()});
    for (size_t r = 0; r < rows; ++r) {
      std::vector<Cell> cells = r < found.nodes.size() ? cells_of(found.nodes[r]) : std::vector<Cell>(9);
      cells[0] = number;
      const auto* i = r < found.instructions.size() ? &found.instructions[r] : nullptr;
      const auto* p = r < found.payload_nodes.size() ? &found.payload_nodes[r] : nullptr;
      cells.insert(cells.end(), {i ? Cell(i->instruction) : none,
                                 p                       ? Cell(p->delegate)
                                 : i && i->delegate >= 0 ? Cell(i->delegate)
                                                         : none,
                                 p                          ? Cell(p->backend)
                                 : i && !i->backend.empty() ? Cell(i->backend)
                                                            : none,
                                 p ? Cell(p->ordinal) : none, p ? Cell(p->type) : none});
      add_frame_cells(r < found.nodes.size() ? &found.nodes[r] : nullptr, &cells);
      table.add(std::move(cells));
    }
  }

  void instruction(const inspector::InstructionPlace& i) {
    text += "instruction " + std::to_string(i.instruction) + " of " + i.method + ": ";
    if (i.delegate >= 0) {
      text += "call of delegate " + std::to_string(i.delegate) + " (" + i.backend;
      text += i.payload_bytes < 0 ? ")" : ", payload of " + inspector::format_bytes(i.payload_bytes) + ")";
    } else {
      text += i.op.empty() ? i.kind : i.op;
    }
    text += "\n";
    if (i.nodes.empty()) text += "  no graph node is linked to it; nodes need the ETRecord (--etrecord)\n";
    for (const inspector::Place& p : i.nodes) node(p, "  ");
    const size_t rows = std::max<size_t>(1, i.nodes.size());
    for (size_t r = 0; r < rows; ++r) {
      std::vector<Cell> cells = r < i.nodes.size() ? cells_of(i.nodes[r]) : std::vector<Cell>(9);
      cells[1] = i.method;
      cells.insert(cells.end(), {Cell(i.instruction), i.delegate < 0 ? Cell() : Cell(i.delegate),
                                 i.backend.empty() ? Cell() : Cell(i.backend), Cell(), Cell()});
      add_frame_cells(r < i.nodes.size() ? &i.nodes[r] : nullptr, &cells);
      table.add(std::move(cells));
    }
  }

  std::string text;
  inspector::Table table;

 private:
  static std::vector<Cell> cells_of(const inspector::Place& p) {
    const auto known = [](const std::string& t) { return t.empty() ? Cell() : Cell(t); };
    return {
        p.handle < 0 ? Cell() : Cell(p.handle), known(p.method),   known(p.node), known(p.op),         known(p.file),
        p.line > 0 ? Cell(p.line) : Cell(),     known(p.function), known(p.code), known(p.module_path)};
  }

  static std::string stack(const inspector::Place& p, const char* separator) {
    std::string out;
    for (const inspector::PlaceFrame& f : p.frames) {
      out +=
          (out.empty() ? "" : separator) + f.file.substr(f.file.find_last_of("/\\") + 1) + ":" + std::to_string(f.line);
    }
    return out;
  }

  static void add_frame_cells(const inspector::Place* p, std::vector<Cell>* cells) {
    const std::string frames = p == nullptr ? "" : stack(*p, ";");
    cells->push_back(p == nullptr || p->frame.empty() ? Cell() : Cell(p->frame));
    cells->push_back(frames.empty() ? Cell() : Cell(frames));
  }

  void node(const inspector::Place& p, const std::string& indent) {
    text += indent + inspector::printable(p.text()) + "\n";
    std::string more = indent + "  node " + p.node + " of " + p.method;
    if (!p.module_path.empty())
      more += ", module " + p.module_path +
              (p.module_type.empty() ? "" : " (" + p.module_type.substr(p.module_type.rfind('.') + 1) + ")");
    text += inspector::printable(more) + "\n";
    if (!p.code.empty()) text += inspector::printable(indent + "  " + p.code) + "\n";
    if (p.frames.size() > 1) text += inspector::printable(indent + "  stack " + stack(p, " > ")) + "\n";
  }
};

/// parse() has checked that it is a number.
int64_t number(const std::string& text) {
  int64_t n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

int run_where(const Arguments& args) {
  if (!args.given("handle") && !args.given("instruction")) {
    return fail(kExitUsage, "missing option: give --handle N or --instruction N");
  }
  TraceSource source;
  Status status = open_trace_source(args, &source);
  if (!status.ok()) return fail(status);
  warn_of_diagnostics(args, source);
  Places places;
  for (const std::string& text : args.list("handle")) {
    const inspector::HandlePlaces found =
        inspector::places_of_handle(source.store, source.trace_id, args.text("method"), number(text));
    if (found.nodes.empty() && found.payload_nodes.empty() && found.instructions.empty()) {
      const std::string range = inspector::handle_range_text(source.store, source.trace_id, args.text("method"));
      return fail(kExitUsage, "--handle " + text + ": no node, instruction or payload has this debug handle; " +
                                  (range.empty() ? "handles come from --etrecord and --pte" : range));
    }
    places.handle(number(text), found);
  }
  for (const std::string& text : args.list("instruction")) {
    inspector::InstructionPlace found;
    status = inspector::place_of_instruction(source.store, source.trace_id, args.text("method"), number(text), &found);
    if (!status.ok()) return fail(kExitUsage, status.message());
    places.instruction(found);
  }
  const std::string shown = inspector::shown_lines(source.store, source.trace_id).text();
  if (!shown.empty()) places.text += inspector::printable(shown) + "\n";
  const std::string format = args.text("format");
  if (format == "table") return write_trace_output(args, source, places.text);
  std::string text;
  status = places.table.write({.format = format, .json_name = "places"}, &text);
  return status.ok() ? write_trace_output(args, source, text) : fail(status);
}

}  // namespace

constexpr CommandSpec kWhereCommand = {
    .name = "where",
    .summary = "find the graph node and Python line of a debug handle or an instruction",
    .description =
        "Runtime errors name an instruction, delegate errors a debug handle. This command finds the graph nodes, "
        "Python\n"
        "lines and modules they belong to, and the node inside the delegate's payload.",
    .positionals = kWherePositionals,
    .groups = kWhereGroups,
    .examples = kWhereExamples,
    .run = run_where,
};

}  // namespace et::cli
