#include "inspector/store/line_rule.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "inspector/match/file_owners.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr std::array kRules = {"auto", "user", "innermost", "outermost"};
/// More of the time than this on one line says too little.
constexpr double kMostOfOneLine = 1.0 / 3;

struct NodeRow {
  int64_t id = 0;
  bool edge = false;
  size_t first = 0, count = 0;  // range in Frames::frames
  FrameChoice choice;
  double weight = 0;  // time, or 1 a node
  const char* shown = "user";
  size_t depth = 0;
};
struct FrameRow {
  int64_t file = 0, line = 0;
};
using LineKey = std::pair<int64_t, int64_t>;  // id of the file, line

/// The nodes of a trace that have frames, and what each rule makes of them.
class LineChooser {
 public:
  LineChooser(Store& store, int64_t trace_id) : store_(store), trace_(trace_id) {}

  Status load() {
    Statement files = store_.query(
        "SELECT DISTINCT x.file, s.text FROM raw_node n JOIN raw_frame x ON x.node = n.id JOIN raw_string s ON s.id = "
        "x.file WHERE n.trace = ?1");
    files.bind_all(trace_);
    std::vector<std::pair<int64_t, std::string>> texts;
    FileOwners owners;
    while (files.step()) {
      texts.emplace_back(files.integer(0), files.str(1));
      owners.learn(texts.back().second);
    }
    for (const auto& [id, text] : texts) owners_[id] = owners.of(text);
    if (Status s = files.finish("frames"); !s.ok()) return s;

    Statement st = store_.query(
        "SELECT n.id, n.graph = 'edge', x.file, x.line FROM raw_node n JOIN raw_frame x ON x.node = n.id WHERE n.trace "
        "= ?1 ORDER BY n.id, x.depth");
    st.bind_all(trace_);
    while (st.step()) {
      if (nodes_.empty() || nodes_.back().id != st.integer(0)) {
        nodes_.push_back({});
        nodes_.back().id = st.integer(0);
        nodes_.back().edge = st.integer(1) != 0;
        nodes_.back().first = frames_.size();
      }
      ++nodes_.back().count;
      frames_.push_back({st.integer(2), st.integer(3)});
    }
    std::vector<FileOwner> of;
    for (NodeRow& n : nodes_) {
      of.clear();
      for (size_t i = n.first; i < n.first + n.count; ++i) of.push_back(owners_[frames_[i].file]);
      n.choice = *choose_frames(of);
    }
    return st.finish("frames");
  }

  Status choose(LineRule rule) {
    for (NodeRow& n : nodes_) {
      const bool outer = rule == LineRule::Outermost;
      const bool user = !outer && rule != LineRule::Innermost && n.choice.of_user;
      n.depth = outer ? n.choice.outermost : (user ? n.choice.user : n.choice.innermost);
      n.shown = outer ? "outermost" : (user ? "user" : "innermost");
    }
    return rule == LineRule::Auto ? open_lines() : Status();
  }

  /// Nodes of opened lines are those that differ from what the import wrote first.
  void each_opened(const std::function<void(int64_t node, size_t depth)>& f) const {
    for (const NodeRow& n : nodes_) {
      if (n.depth != n.choice.user) f(n.id, n.depth);
    }
  }

  void each(const std::function<void(int64_t node, size_t depth)>& f) const {
    for (const NodeRow& n : nodes_) f(n.id, n.depth);
  }

  /// Rows of raw_source_file and raw_line_rule.
  void write(LineRule rule, std::string_view schema) {
    // Nothing of an earlier trace of this number may stay, or be in the way.
    for (const char* table : {"raw_source_file", "raw_line_rule"})
      store_.query("DELETE FROM " + std::string(schema) + table + " WHERE trace = ?1").run(trace_);
    const std::string in = "INSERT INTO " + std::string(schema);
    Statement file = store_.query(in + "raw_source_file VALUES(?1,?2,?3)");
    for (const auto& [id, owner] : owners_) file.run(trace_, id, file_owner_name(owner));
    Statement row = store_.query(in + "raw_line_rule VALUES(?1,?2,?3,?4,?5,?6,?7)");
    std::map<std::string_view, int64_t> counts;
    std::map<LineKey, int64_t> opened;
    for (const NodeRow& n : nodes_) {
      if (!n.edge) continue;
      const FrameRow& own = frames_[n.first + n.choice.user];
      const LineKey key = {own.file, own.line};
      (shares_.contains(key) && n.depth != n.choice.user ? opened[key] : counts[n.shown])++;
    }
    for (const auto& [frame, count] : counts)
      row.run(trace_, line_rule_name(rule), frame, nullptr, nullptr, nullptr, count);
    for (const auto& [key, count] : opened)
      row.run(trace_, line_rule_name(rule), "innermost", key.first, key.second, shares_[key], count);
  }

 private:
  /// Time of each node; without a run each node of the edge graphs counts alike.
  Status weigh() {
    Statement st = store_.query(
        "SELECT c.node_id, sum(c.ns) FROM costs c JOIN raw_block b ON b.id = c.block_id AND b.kind = 'execute' "
        "WHERE c.trace_id = ?1 AND c.node_id IS NOT NULL GROUP BY c.node_id");
    st.bind_all(trace_);
    std::unordered_map<int64_t, double> times;
    double sum = 0;
    while (st.step()) sum += times[st.integer(0)] = std::max(0.0, st.real(1));
    for (NodeRow& n : nodes_) {
      const auto time = times.find(n.id);
      n.weight = sum > 0 ? (time == times.end() ? 0 : time->second) : (n.edge ? 1 : 0);
    }
    return st.finish("costs");
  }

  Status open_lines() {
    if (Status s = weigh(); !s.ok()) return s;
    struct Line {
      double all = 0, deeper = 0;
    };
    std::map<LineKey, Line> lines;
    double total = 0;
    for (const NodeRow& n : nodes_) {
      total += n.weight;
      if (!n.choice.of_user) continue;
      const FrameRow& own = frames_[n.first + n.choice.user];
      Line& line = lines[{own.file, own.line}];
      line.all += n.weight;
      if (n.choice.innermost != n.choice.user) line.deeper += n.weight;
    }
    for (const auto& [key, line] : lines) {
      if (line.deeper > 0 && line.all > kMostOfOneLine * total) shares_[key] = line.all / total;
    }
    for (NodeRow& n : nodes_) {
      const FrameRow& own = frames_[n.first + n.choice.user];
      if (!n.choice.of_user || !shares_.contains({own.file, own.line})) continue;
      n.depth = n.choice.innermost;
      n.shown = n.depth == n.choice.user ? "user" : "innermost";
    }
    return {};
  }

  Store& store_;
  int64_t trace_;
  std::map<int64_t, FileOwner> owners_;
  std::vector<NodeRow> nodes_;  // by id
  std::vector<FrameRow> frames_;
  std::map<LineKey, double> shares_;  // of opened lines
};

/// The text of a view of the schema, as a view of this connection alone.
std::string temporary_view(std::string_view name) {
  const std::string& all = schema_sql();
  const std::string head = "CREATE VIEW " + std::string(name) + " AS";
  const size_t begin = all.find(head);
  return "CREATE TEMP VIEW" + all.substr(begin + 11, all.find(";\n", begin) - begin - 10);
}

std::string quoted(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// The store's own view with the columns of the frame that was chosen, where one was.
std::string temporary_nodes(const Store& store) {
  static const std::map<std::string, std::string, std::less<>> kOfFrame = {
      {"file", "f.text"}, {"line", "x.line"}, {"function", "nullif(fn.text, '')"}, {"code", "nullif(c.text, '')"}};
  std::string columns;
  Statement st = store.query("SELECT name FROM pragma_table_info('nodes')");
  while (st.step()) {
    const std::string name = quoted(st.text(0));
    const auto of_frame = kOfFrame.find(st.text(0));
    columns += columns.empty() ? "" : ", ";
    columns += of_frame == kOfFrame.end()
                   ? "n." + name
                   : "CASE WHEN s.node IS NULL THEN n." + name + " ELSE " + of_frame->second + " END AS " + name;
  }
  return "CREATE TEMP VIEW nodes AS SELECT " + columns +
         " FROM main.nodes n LEFT JOIN temp.shown_frame s ON s.node = n.node_id LEFT JOIN main.raw_frame x ON x.node = "
         "s.node AND x.depth = s.depth LEFT JOIN main.raw_string f ON f.id = x.file LEFT JOIN main.raw_string fn ON "
         "fn.id = x.function LEFT JOIN main.raw_string c ON c.id = x.code;";
}

Status make_overlay(Store& store) {
  constexpr const char* kDrop =
      "DROP VIEW IF EXISTS temp.nodes; DROP VIEW IF EXISTS temp.lines; DROP VIEW IF EXISTS temp.source_files; "
      "DROP VIEW IF EXISTS temp.line_rules; DROP TABLE IF EXISTS temp.shown_frame; DROP TABLE IF EXISTS "
      "temp.raw_source_file; DROP TABLE IF EXISTS temp.raw_line_rule;";
  Status status = store.exec(kDrop);
  if (!status.ok()) return status;
  const bool known = store.has_table("raw_line_rule");
  std::string tables = schema_part("lines");
  tables = tables.substr(0, tables.find("\n--@view "));
  for (size_t at = 0; (at = tables.find("CREATE TABLE", at)) != std::string::npos; at += 12)
    tables.replace(at, 12, "CREATE TEMP TABLE");
  std::string sql = "CREATE TEMP TABLE shown_frame(node INTEGER PRIMARY KEY, depth INTEGER NOT NULL) STRICT;" + tables;
  if (known) {
    sql +=
        "INSERT INTO temp.raw_source_file SELECT * FROM main.raw_source_file;"
        "INSERT INTO temp.raw_line_rule SELECT * FROM main.raw_line_rule;";
  }
  sql += temporary_nodes(store);
  for (const char* view : {"lines", "source_files", "line_rules"}) sql += temporary_view(view);
  return store.exec(sql.c_str());
}

Status show_trace(Store& store, int64_t trace_id, LineRule rule) {
  LineChooser lines(store, trace_id);
  Status status = lines.load();
  if (status.ok()) status = lines.choose(rule);
  if (!status.ok()) return status;
  lines.write(rule, "temp.");
  Statement shown = store.query("INSERT INTO temp.shown_frame VALUES(?1, ?2)");
  lines.each([&](int64_t node, size_t depth) { shown.run(node, depth); });
  return {};
}

bool has_view(const Store& store, std::string_view name) {
  Statement st = store.query(
      "SELECT 1 FROM (SELECT name FROM temp.sqlite_schema UNION ALL SELECT name FROM main.sqlite_schema) WHERE name = "
      "?1");
  st.bind(1, name);
  return st.step() || store.has_table(name);  // which makes those of Store::Mode::Report
}

}  // namespace

const char* line_rule_name(LineRule rule) { return kRules[static_cast<size_t>(rule)]; }

std::optional<LineRule> parse_line_rule(std::string_view text) {
  for (size_t i = 0; i < kRules.size(); ++i) {
    if (text == kRules[i]) return static_cast<LineRule>(i);
  }
  return std::nullopt;
}

Status write_line_rule(Store& store, int64_t trace_id) {
  Status status = store.ensure_part("lines", "raw_line_rule");
  LineChooser lines(store, trace_id);
  if (status.ok()) status = lines.load();
  if (status.ok()) status = lines.choose(LineRule::Auto);
  if (!status.ok()) return status;
  Statement change = store.query(
      "UPDATE raw_node SET (file, line, function, code) = (SELECT x.file, x.line, nullif(x.function, ?3), "
      "nullif(x.code, "
      "?3) FROM raw_frame x WHERE x.node = ?1 AND x.depth = ?2) WHERE id = ?1");
  const int64_t no_text = store.intern("");
  lines.each_opened([&](int64_t node, size_t depth) { change.run(node, depth, no_text); });
  lines.write(LineRule::Auto, "main.");
  return {};
}

Status show_lines(Store& store, int64_t trace_id, LineRule rule) {
  std::string sql =
      "SELECT t.id FROM raw_trace t WHERE (?1 = 0 OR t.id = ?1) AND EXISTS (SELECT 1 FROM raw_node n WHERE n.trace = "
      "t.id)";
  // What the import decided is what Auto shows; imports of older versions did not.
  if (rule == LineRule::Auto && store.has_table("raw_line_rule"))
    sql += " AND NOT EXISTS (SELECT 1 FROM main.raw_line_rule r WHERE r.trace = t.id)";
  std::vector<int64_t> traces;
  Statement st = store.query(sql + " ORDER BY t.id");
  st.bind_all(trace_id);
  while (st.step()) traces.push_back(st.integer(0));
  Status status = st.finish("traces");
  if (!status.ok() || (rule == LineRule::Auto && traces.empty())) return status;
  status = make_overlay(store);
  for (const int64_t trace : traces) {
    if (status.ok()) status = show_trace(store, trace, rule);
  }
  return status;
}

ShownLines shown_lines(const Store& store, int64_t trace_id) {
  ShownLines out;
  if (!has_view(store, "line_rules")) return out;
  Statement st = store.query(
      "SELECT rule, frame, file, line, share, nodes FROM line_rules WHERE trace_id = ?1 ORDER BY share DESC, file, "
      "line");
  st.bind_all(trace_id);
  while (st.step()) {
    out.rule = st.str(0);
    if (!st.is_null(2)) {
      out.opened.push_back({st.str(2), st.integer(3), st.real(4), st.integer(5)});
    } else {
      (st.text(1) == "user" ? out.user_nodes : out.other_nodes) += st.integer(5);
    }
  }
  return out;
}

std::map<std::string, std::string, std::less<>> owners_of_files(const Store& store, int64_t trace_id) {
  std::map<std::string, std::string, std::less<>> out;
  if (!has_view(store, "source_files")) return out;
  Statement st = store.query("SELECT file, owner FROM source_files WHERE trace_id = ?1");
  st.bind_all(trace_id);
  while (st.step()) out.emplace(st.str(0), st.str(1));
  return out;
}

std::string ShownLines::text() const {
  if (user_nodes + other_nodes == 0 && opened.empty()) return "";
  if (rule == "innermost" || rule == "outermost") return "lines are the " + rule + " frame outside of torch";
  if (user_nodes == 0 && opened.empty())
    return "lines are the innermost frame outside of torch: no frame is in code of your own";
  std::string out = "lines are the innermost frame in your own code";
  if (other_nodes > 0) out += ", without one the innermost outside of torch";
  if (opened.empty()) return out;
  std::vector<std::string> places;
  for (const OpenedLine& l : opened) {
    places.push_back(l.file.substr(l.file.find_last_of("/\\") + 1) + ":" + std::to_string(l.line) + " (" +
                     format_share(l.share) + ")");
  }
  return out + "; of what " + joined(places, " and ") + (opened.size() > 1 ? " call" : " calls") +
         ", the innermost outside of torch (--lines user: the call itself)";
}

}  // namespace et::inspector
