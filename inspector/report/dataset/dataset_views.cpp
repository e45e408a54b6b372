#include "inspector/report/dataset/dataset_views.h"

#include <algorithm>
#include <string_view>

namespace et::inspector {
namespace {

constexpr DatasetView kViews[] = {
#define ET_DATASET_VIEW(name, of, order, more) {#name, DatasetView::Of::of, order, more},
#include "inspector/report/dataset/dataset_views.def"
#undef ET_DATASET_VIEW
};

enum class Treatment : uint8_t { Id, Private, List, Name };
struct Rule {
  Treatment treatment;
  std::string_view view, column, value;
};
constexpr Rule kRules[] = {
#define ET_DATASET_ID(column, table) {Treatment::Id, "*", #column, #table},
#define ET_DATASET_PRIVATE(view, column) {Treatment::Private, view, column, ""},
#define ET_DATASET_LIST(view, column, type) {Treatment::List, view, column, type},
#define ET_DATASET_NAME(view, column, name) {Treatment::Name, view, column, name},
#include "inspector/report/dataset/dataset_columns.def"
#undef ET_DATASET_ID
#undef ET_DATASET_PRIVATE
#undef ET_DATASET_LIST
#undef ET_DATASET_NAME
};

const Rule* rule_of(Treatment treatment, std::string_view view, std::string_view column) {
  for (const Rule& r : kRules) {
    if (r.treatment == treatment && r.column == column && (r.view == "*" || r.view == view)) return &r;
  }
  return nullptr;
}

ColumnKind kind_of(const std::string& type) {
  if (type == "INTEGER") return ColumnKind::Integer;
  if (type == "REAL" || type == "ANY") return ColumnKind::Real;
  return type == "BLOB" ? ColumnKind::Blob : ColumnKind::Text;
}

/// The view of the store that a folder is made of.
std::string source_of(const DatasetView& view) {
  return view.of == DatasetView::Of::Partition ? std::string("fleet_") + view.name : view.name;
}

const char* from_of(DatasetView::Of of) {
  switch (of) {
    case DatasetView::Of::Trace:
      return " v JOIN fleet_part p ON p.trace_id = v.trace_id";
    case DatasetView::Of::Ops:
      return " v JOIN fleet_ops f ON f.op_id = v.op_id JOIN fleet_part p ON p.trace_id = v.trace_id";
    case DatasetView::Of::Op:
      return " v JOIN raw_op o ON o.id = v.op_id JOIN fleet_part p ON p.trace_id = o.trace";
    case DatasetView::Of::Partition:
      return " v JOIN fleet_partition p ON p.date = v.date AND p.device = v.device AND p.build = v.build";
    case DatasetView::Of::CheckRun:
      return " v JOIN fleet_check p ON p.check_run_id = v.check_run_id";
    case DatasetView::Of::CheckCase:
      return " v JOIN raw_check_case c ON c.id = v.check_case_id JOIN fleet_check p ON p.check_run_id = c.run";
  }
  return "";
}

bool is_check(DatasetView::Of of) { return of == DatasetView::Of::CheckRun || of == DatasetView::Of::CheckCase; }

/// A number of one store as a number of the fleet: that of its trace or call plus its position there.
std::string id_of(const DatasetView& view, const std::string& column, const std::string& value) {
  if (is_check(view.of)) {
    if (column == "check_run_id") return "p.key";
    if (column == "trace_id") return "(SELECT k.key FROM fleet_part k WHERE k.trace_id = " + value + ")";
    if (column == "check_case_id") return "p.key + " + value + " - p.case_base";
    if (column == "check_performance_id") return "p.key + " + value + " - p.performance_base";
    if (column == "check_output_id") return "p.key + " + value + " - p.output_base";
    return value;
  }
  if (column == "trace_id") return "p.key";
  const Rule* id = rule_of(Treatment::Id, "*", column);
  return id == nullptr ? value : "p.key + " + value + " - p." + std::string(id->value);
}

/// "f.op_key AS op_key" → "f.op_key", "op_key".
std::vector<std::pair<std::string, std::string>> split_more(std::string_view more) {
  std::vector<std::pair<std::string, std::string>> out;
  while (!more.empty()) {
    const size_t end = std::min(more.find(", "), more.size());
    const std::string_view item = more.substr(0, end);
    const size_t as = item.find(" AS ");
    out.emplace_back(item.substr(0, as), item.substr(as + 4));
    more.remove_prefix(std::min(end + 2, more.size()));
  }
  return out;
}

}  // namespace

std::span<const DatasetView> dataset_views() { return kViews; }

DatasetQuery dataset_query(const DatasetView& view, const std::vector<ViewDoc>& docs, bool redact) {
  DatasetQuery out;
  std::string select = "p.part";
  const auto add = [&](const std::string& column, std::string value, ColumnKind kind) {
    const Rule* list = rule_of(Treatment::List, view.name, column);
    if (redact && rule_of(Treatment::Private, view.name, column) != nullptr) value = "fleet_redact(" + value + ")";
    const Rule* name = rule_of(Treatment::Name, view.name, column);
    out.columns.push_back({name == nullptr ? column : std::string(name->value), kind,
                           list == nullptr ? std::string() : std::string(list->value)});
    select += ", " + value;
  };
  const std::string source = source_of(view);
  const auto doc = std::find_if(docs.begin(), docs.end(), [&](const ViewDoc& d) { return d.name == source; });
  if (doc == docs.end()) return out;
  for (const ColumnDoc& c : doc->columns) {
    const bool partition = view.of == DatasetView::Of::Partition;
    if (partition && (c.name == "date" || c.name == "device" || c.name == "build")) continue;
    const std::string value = "v." + c.name;
    // A diagnostic's id is its name.
    const bool number = kind_of(c.type) == ColumnKind::Integer;
    add(c.name, number ? id_of(view, c.name, value) : value, kind_of(c.type));
  }
  for (const auto& [value, name] : split_more(view.more))
    add(name, name == "trace_id" ? "p.key" : value, name == "trace_id" ? ColumnKind::Integer : ColumnKind::Text);
  out.sql = "SELECT " + select + " FROM " + source + from_of(view.of) + " ORDER BY p.part, " + view.order;
  return out;
}

std::vector<std::string> numbered_tables() {
  std::vector<std::string> out;
  for (const Rule& r : kRules) {
    if (r.treatment != Treatment::Id) continue;
    const std::string table(r.value);
    if (std::find(out.begin(), out.end(), table) == out.end()) out.push_back(table);
  }
  return out;
}

}  // namespace et::inspector
