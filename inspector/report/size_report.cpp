#include "inspector/report/size_report.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "inspector/text/json_writer.h"
#include "inspector/text/table.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

struct Sum {
  std::string name;
  int64_t bytes = 0, entries = 0;
};

std::vector<Sum> sums_by(const ProgramSize& size, std::string SizeEntry::*by) {
  std::map<std::string, Sum> all;
  for (const SizeEntry& e : size.entries) {
    Sum& sum = all[e.*by];
    sum.bytes += e.bytes;
    ++sum.entries;
  }
  std::vector<Sum> out;
  for (auto& [name, sum] : all) {
    sum.name = name;
    out.push_back(sum);
  }
  std::stable_sort(out.begin(), out.end(), [](const Sum& a, const Sum& b) { return a.bytes > b.bytes; });
  return out;
}

double share_of(int64_t bytes, const ProgramSize& size) {
  return size.file_bytes == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(size.file_bytes);
}

/// Keys of weights are hashes: their beginning tells them apart.
std::string short_name(const std::string& name) {
  const bool hash = name.size() == 64 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
  return hash ? name.substr(0, 8) + "…" : name;
}

Table sums_table(const ProgramSize& size, std::vector<Sum> sums, const char* what, size_t most) {
  if (sums.size() > most) {
    Sum rest = {.name = plural(static_cast<int64_t>(sums.size() - most), "more row"), .bytes = 0, .entries = 0};
    for (size_t i = most; i < sums.size(); ++i) {
      rest.bytes += sums[i].bytes;
      rest.entries += sums[i].entries;
    }
    sums.resize(most);
    sums.push_back(std::move(rest));
  }
  Table t;
  t.columns = {{.title = "bytes", .kind = CellKind::Integer},
               {.title = "share", .kind = CellKind::ShareBar},
               {.title = "entries", .kind = CellKind::Integer},
               {.title = what}};
  int64_t entries = 0;
  for (const Sum& s : sums) {
    entries += s.entries;
    t.add({s.bytes, share_of(s.bytes, size), s.entries, s.name.empty() ? "(belongs to no module)" : s.name});
  }
  t.add({size.file_bytes, 1.0, entries, "all of the file"}, RowStyle::Total);
  return t;
}

Table entries_table(const ProgramSize& size, size_t most, bool people) {
  Table t;
  t.columns = {{.title = "bytes", .kind = CellKind::Integer},
               {.title = "share", .kind = CellKind::Share, .drop = 4},
               {.title = "what", .key = "group", .drop = 5},
               {.title = "name", .min_width = 20},
               {.title = "dtype"},
               {.title = "shape"},
               {.title = "used by", .drop = 2},
               {.title = "module", .drop = 1, .min_width = 16},
               {.title = "method", .drop = 3},
               {.title = "uses", .kind = CellKind::Integer, .drop = 6},
               {.title = "same as", .min_width = 16},
               {.title = "shared with", .drop = 7, .min_width = 16}};
  if (!people) t.columns.push_back({.title = "operator"});
  for (size_t i = 0; i < size.entries.size() && i < most; ++i) {
    const SizeEntry& e = size.entries[i];
    std::vector<Cell> cells = {e.bytes,
                               share_of(e.bytes, size),
                               e.group,
                               people ? short_name(e.name) : e.name,
                               cell(e.dtype),
                               cell(e.shape),
                               cell(people ? e.user() : e.used_by),
                               cell(e.module),
                               cell(e.method),
                               e.uses > 0 ? Cell(e.uses) : Cell(),
                               cell(people ? short_name(e.same_as) : e.same_as),
                               cell(e.shared_with)};
    if (!people) cells.emplace_back(cell(e.operator_name));
    t.add(std::move(cells));
  }
  if (people) t.drop_columns([&](size_t c) { return t.is_empty(c); });
  return t;
}

std::string signed_bytes(int64_t bytes) {
  return (bytes > 0 ? "+" : bytes < 0 ? "\u2212" : "") + format_count(bytes < 0 ? -bytes : bytes);
}

std::string growth(const SizeChange& c) {
  if (c.before == 0) return "new";
  if (c.after == 0) return "gone";
  const double ratio = static_cast<double>(c.change()) / static_cast<double>(c.before);
  return (ratio > 0 ? "+" : ratio < 0 ? "\u2212" : "") + format_share(ratio < 0 ? -ratio : ratio);
}

enum class ChangeOf { Group, Module, Entry };

Table changes_table(const std::vector<SizeChange>& changes, ChangeOf what, size_t most) {
  Table t;
  t.columns = {{.title = "change", .right = true},
               {.title = "", .key = "relative", .right = true},
               {.title = "before", .kind = CellKind::Integer},
               {.title = "after", .kind = CellKind::Integer},
               {.title = what == ChangeOf::Module ? "module" : "what", .min_width = 20}};
  if (what == ChangeOf::Entry) {
    t.columns.insert(t.columns.end(), std::initializer_list<Column>{{.title = "name", .drop = 3, .min_width = 16},
                                                                    {.title = "dtype", .drop = 4},
                                                                    {.title = "shape"},
                                                                    {.title = "used by"},
                                                                    {.title = "module", .min_width = 16}});
  }
  size_t shown = 0;
  for (const SizeChange& c : changes) {
    if (c.change() == 0 || shown++ >= most) continue;
    const std::string& name = what == ChangeOf::Module ? c.module : c.group;
    std::vector<Cell> cells = {signed_bytes(c.change()), growth(c), c.before, c.after,
                               name.empty() ? "(belongs to no module)" : name};
    if (what == ChangeOf::Entry) {
      cells.emplace_back(short_name(c.name));
      const std::string& user = c.operator_name.empty() ? c.used_by : c.operator_name;
      for (const std::string* text : {&c.dtype, &c.shape, &user, &c.module}) cells.emplace_back(cell(*text));
    }
    t.add(std::move(cells));
  }
  if (what == ChangeOf::Entry) t.drop_columns([&](size_t c) { return t.is_empty(c); });
  return t;
}

Status add_section(const std::string& title, const Table& table, const TableOptions& options, std::string* out) {
  *out += "\n" + title + "\n";
  if (options.format == "markdown") *out += "\n";
  return table.write(options, out);
}

bool for_people(const SizeReportOptions& options) { return options.format == "table" || options.format == "markdown"; }
TableOptions table_options(const SizeReportOptions& o) {
  return {.format = o.format, .width = o.width, .color = o.color};
}
size_t most_of(const SizeReportOptions& o) { return o.top < 0 ? SIZE_MAX : static_cast<size_t>(o.top); }

void write_json(const ProgramSize& size, std::string* out) {
  JsonWriter json(out);
  json.begin_object().member("schema_version", kJsonSchemaVersion).key("size").begin_object();
  json.member("path", size.path)
      .member("bytes", size.file_bytes)
      .member("total_bytes", size.file_bytes)
      .member("duplicate_bytes", size.duplicate_bytes);
  for (const auto& [key, by] : {std::pair{"groups", &SizeEntry::group}, std::pair{"modules", &SizeEntry::module}}) {
    json.key(key).begin_array();
    for (const Sum& s : sums_by(size, by)) {
      json.begin_object().member("name", s.name).member("bytes", s.bytes).member("entries", s.entries).end_object();
    }
    json.end_array();
  }
  json.key("entries").begin_array();
  for (const SizeEntry& e : size.entries) {
    json.begin_object().member("group", e.group).member("name", e.name).member("bytes", e.bytes);
    json.member("dtype", e.dtype).member("shape", e.shape).member("used_by", e.used_by).member("module", e.module);
    json.member("operator", e.operator_name.empty() ? std::nullopt : std::optional(e.operator_name));
    json.member("leads_to", e.leads_to.empty() ? std::nullopt : std::optional(e.leads_to));
    json.member("method", e.method).member("uses", e.uses).member("same_as", e.same_as);
    json.member("shared_with", e.shared_with.empty() ? std::nullopt : std::optional(e.shared_with));
    json.member("stored_as", e.stored_as.empty() ? std::nullopt : std::optional(e.stored_as)).end_object();
  }
  json.end_array().end_object().end_object();
  *out += "\n";
}

void json_changes(JsonWriter& json, const char* key, const std::vector<SizeChange>& changes) {
  json.key(key).begin_array();
  for (const SizeChange& c : changes) {
    json.begin_object().member("group", c.group).member("name", c.name).member("module", c.module);
    json.member("operator", c.operator_name.empty() ? std::nullopt : std::optional(c.operator_name));
    json.member("used_by", c.used_by).member("dtype", c.dtype).member("shape", c.shape);
    json.member("before", c.before).member("after", c.after).member("change", c.change()).end_object();
  }
  json.end_array();
}

}  // namespace

Status write_size(const ProgramSize& size, const SizeReportOptions& options, std::string* out) {
  if (options.format == "json") {
    write_json(size, out);
    return {};
  }
  const TableOptions table = table_options(options);
  if (!for_people(options)) return entries_table(size, SIZE_MAX, false).write(table, out);
  *out +=
      printable(size.path) + ": " + format_count(size.file_bytes) + " bytes (" + format_bytes(size.file_bytes) + ")\n";
  Status s =
      add_section("Where they are", sums_table(size, sums_by(size, &SizeEntry::group), "what", SIZE_MAX), table, out);
  const std::vector<Sum> modules = sums_by(size, &SizeEntry::module);
  if (s.ok() && modules.size() > 1)
    s = add_section("By module", sums_table(size, modules, "module", most_of(options)), table, out);
  const size_t shown = std::min(most_of(options), size.entries.size());
  const std::string title = shown == size.entries.size()
                                ? "All entries"
                                : "The largest " + std::to_string(shown) + " of " +
                                      format_count(static_cast<int64_t>(size.entries.size())) + " entries";
  if (s.ok()) s = add_section(title, entries_table(size, shown, true), table, out);
  if (s.ok() && size.duplicate_bytes > 0) {
    int64_t copies = 0;
    for (const SizeEntry& e : size.entries) copies += e.same_as.empty() ? 0 : 1;
    *out += "\n! " + format_bytes(size.duplicate_bytes) + " are stored more than once: " + plural(copies, "tensor") +
            " with the bytes of another one (column 'same as'; --top -1 and --format csv show all)\n";
  }
  return s;
}

Status write_size_diff(const SizeDiff& diff, const SizeReportOptions& options, std::string* out) {
  if (options.format == "json") {
    JsonWriter json(out);
    json.begin_object().member("schema_version", kJsonSchemaVersion).key("size_diff").begin_object();
    json.member("before", diff.before).member("after", diff.after).member("change", diff.after - diff.before);
    json_changes(json, "groups", diff.groups);
    json_changes(json, "modules", diff.modules);
    json_changes(json, "entries", diff.entries);
    json.end_object().end_object();
    *out += "\n";
    return {};
  }
  const TableOptions table = table_options(options);
  if (!for_people(options)) return changes_table(diff.entries, ChangeOf::Entry, SIZE_MAX).write(table, out);
  SizeChange all;
  all.before = diff.before;
  all.after = diff.after;
  *out += format_count(diff.before) + " → " + format_count(diff.after) + " bytes: ";
  if (diff.before == diff.after && diff.entries.empty()) {
    *out += "the same size in every part\n";
    return {};
  }
  *out += signed_bytes(all.change()) + " (" + growth(all) + ")\n";
  Status s = add_section("What changed", changes_table(diff.groups, ChangeOf::Group, SIZE_MAX), table, out);
  if (s.ok() && !diff.modules.empty())
    s = add_section("By module", changes_table(diff.modules, ChangeOf::Module, most_of(options)), table, out);
  const size_t shown = std::min(most_of(options), diff.entries.size());
  const std::string title = shown == diff.entries.size() ? "All entries that changed"
                                                         : "The largest " + std::to_string(shown) + " of " +
                                                               std::to_string(diff.entries.size()) + " changes";
  if (s.ok() && shown > 0) s = add_section(title, changes_table(diff.entries, ChangeOf::Entry, shown), table, out);
  return s;
}

}  // namespace et::inspector
