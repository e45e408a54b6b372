// `et-inspect schema [VIEW]`: the views of the store and their columns, for those who write SQL.
#include "inspector/analysis/tables/analysis_tables.h"

#include "base/nearest.h"
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "inspector/text/json_writer.h"
#include "inspector/text/table.h"
#include "inspector/text/words.h"

namespace et::cli {
namespace {

using inspector::ViewDoc;

constexpr OptionSpec kSchemaPositionals[] = {
    {.name = "view", .argument = "VIEW", .type = Value::Text, .help = "only this view"},
};
constexpr const OptionGroup* kSchemaGroups[] = {&kFormatOptions};
constexpr Example kSchemaExamples[] = {
    {"schema", "all views with their columns"},
    {"schema ops", "the columns of one view"},
    {"schema --format markdown > schema.md", "as a document"},
};

std::string as_json(const std::vector<ViewDoc>& views) {
  std::string out;
  inspector::JsonWriter json(&out);
  json.begin_object();
  json.member("schema_version", int64_t{inspector::kStoreVersion});
  json.key("views").begin_array();
  for (const ViewDoc& v : views) {
    json.begin_object().member("view", v.name).member("description", v.description).key("columns").begin_array();
    for (const auto& c : v.columns) {
      json.begin_object()
          .member("name", c.name)
          .member("type", c.type)
          .member("description", c.description)
          .end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return out;
}

/// One table of all columns, for spreadsheets.
Status as_rows(const std::vector<ViewDoc>& views, const inspector::TableOptions& options, std::string* out) {
  inspector::Table table;
  table.columns = {{.title = "view"}, {.title = "column"}, {.title = "type"}, {.title = "description"}};
  for (const ViewDoc& v : views) {
    for (const auto& c : v.columns) table.add({v.name, c.name, c.type, c.description});
  }
  return table.write(options, out);
}

/// A heading and a table for each view, for people.
Status as_document(const std::vector<ViewDoc>& views, const inspector::TableOptions& options, std::string* out) {
  const bool markdown = options.format == "markdown";
  for (const ViewDoc& v : views) {
    if (!out->empty()) *out += '\n';
    if (markdown) {
      *out += "## " + v.name + "\n\n" + v.description + "\n\n";
    } else {
      *out += (options.color ? "\033[1m" + v.name + "\033[0m" : v.name) + ": " + v.description + "\n";
    }
    inspector::Table table;
    table.columns = {{.title = "column"}, {.title = "type"}, {.title = "description", .min_width = 20}};
    for (const auto& c : v.columns) table.add({c.name, c.type, c.description});
    const Status status = table.write(options, out);
    if (!status.ok()) return status;
  }
  return {};
}

int run_schema(const Arguments& args) {
  std::vector<ViewDoc> views;
  Status status = inspector::describe_tables(&views);
  if (!status.ok()) return fail(status);
  if (args.given("view")) {
    const std::string wanted = args.text("view");
    std::vector<std::string> names;
    for (const ViewDoc& v : views) names.push_back(v.name);
    std::erase_if(views, [&](const ViewDoc& v) { return v.name != wanted; });
    if (views.empty()) {
      const std::string best = nearest(wanted, names);
      return fail(kExitUsage, "unknown view '" + wanted + "'" +
                                  (best.empty() ? ", expected one of " + inspector::joined(names, ", ")
                                                : "; did you mean '" + best + "'?"));
    }
  }
  const inspector::TableOptions options = {
      .format = args.text("format"), .width = output_width(args), .color = use_color(args)};
  std::string text;
  if (options.format == "json") {
    text = as_json(views);
  } else {
    status = options.format == "csv" || options.format == "tsv" ? as_rows(views, options, &text)
                                                                : as_document(views, options, &text);
  }
  return status.ok() ? write_output(args, text) : fail(status);
}

}  // namespace

constexpr CommandSpec kSchemaCommand = {
    .name = "schema",
    .summary = "describe the views of a store, column by column",
    .description =
        "Prints the SQL views of a store, with type and meaning of every column. The views are a contract: their "
        "names\n"
        "and columns are stable. Tables named raw_* are internal.",
    .positionals = kSchemaPositionals,
    .groups = kSchemaGroups,
    .examples = kSchemaExamples,
    .run = run_schema,
};

}  // namespace et::cli
