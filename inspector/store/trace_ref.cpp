#include "inspector/store/trace_ref.h"

#include <sys/stat.h>

#include <charconv>

namespace et::inspector {
namespace {

constexpr size_t kMostListed = 12;

bool exists(std::string_view path) {
  struct stat st = {};
  return ::stat(std::string(path).c_str(), &st) == 0;
}

bool as_number(std::string_view text, int64_t* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

std::string name_of(int64_t id, const std::string& name) {
  return "#" + std::to_string(id) + (name.empty() ? "" : " " + name);
}

Status split_at(std::string_view text, size_t at, TraceRef* out) {
  out->path = text.substr(0, at);
  out->selector = text.substr(at + 1);
  if (text[at] == '@') {
    out->kind = TraceRef::Kind::Latest;
    if (out->selector != "latest") {
      return {Error::InvalidArgument,
              out->text + ": unknown selector '@" + out->selector + "', expected @latest, #number or #name"};
    }
    return {};
  }
  out->kind = TraceRef::Kind::IdOrName;
  if (out->selector.empty()) return {Error::InvalidArgument, out->text + ": expected a number or a name behind '#'"};
  return {};
}

}  // namespace

Status parse_trace_ref(std::string_view text, TraceRef* out) {
  *out = {};
  out->text = text;
  out->path = text;
  if (text.empty()) return {Error::InvalidArgument, "the address of a trace is empty"};
  if (exists(text)) return {};
  size_t fallback = std::string_view::npos;
  for (size_t i = text.size(); i-- > 1;) {
    if (text[i] != '#' && text[i] != '@') continue;
    if (exists(text.substr(0, i))) return split_at(text, i, out);
    // A slash behind it means that the mark belongs to a folder's name.
    const bool plausible =
        text.find('/', i) == std::string_view::npos && (text[i] == '#' || text.substr(i) == "@latest");
    if (plausible && fallback == std::string_view::npos) fallback = i;
  }
  // Nothing exists: the split only decides which name the message says is missing.
  return fallback == std::string_view::npos ? Status() : split_at(text, fallback, out);
}

std::string trace_title(const TraceSummary& trace) {
  for (const auto* text : {&trace.name, &trace.dump_path, &trace.program_path, &trace.record_path}) {
    if (*text) return **text;
  }
  return {};
}

std::vector<TraceSummary> traces_of(const Store& store) {
  std::vector<TraceSummary> out;
  Statement st = store.query(
      "SELECT t.trace_id, t.name, t.dump_path, t.record_path, t.program_path, t.unit, t.events, t.executions, "
      "t.execute_ns, "
      "(SELECT group_concat(name, ', ') FROM (SELECT name FROM methods m WHERE m.trace_id = t.trace_id ORDER BY "
      "m.method_id)), "
      "(SELECT count(*) FROM diagnostics d WHERE d.trace_id = t.trace_id AND d.severity <> 'info') "
      "FROM traces t ORDER BY t.trace_id");
  while (st.step()) {
    out.push_back({.id = st.integer(0),
                   .name = st.maybe_text(1),
                   .dump_path = st.maybe_text(2),
                   .record_path = st.maybe_text(3),
                   .program_path = st.maybe_text(4),
                   .unit = st.str(5),
                   .events = st.integer(6),
                   .executions = st.integer(7),
                   .execute_time = st.maybe_integer(8),
                   .methods = st.str(9),
                   .problems = st.integer(10)});
  }
  return out;
}

std::string list_traces(const Store& store) {
  Statement st = store.query("SELECT trace_id, name FROM traces ORDER BY trace_id DESC");
  std::vector<std::string> found;
  size_t count = 0;
  for (; st.step(); ++count) {
    if (found.size() < kMostListed) found.push_back(name_of(st.integer(0), st.str(1)));
  }
  std::string out;
  for (size_t i = found.size(); i-- > 0;) out += (out.empty() ? "" : ", ") + found[i];
  if (count > found.size()) out = std::to_string(count - found.size()) + " more, " + out;
  return out;
}

Status resolve_trace(const Store& store, const TraceRef& ref, int64_t* trace_id) {
  const std::string here = list_traces(store);
  if (here.empty()) return {Error::NotFound, ref.path + ": the store has no traces"};

  const bool only = ref.kind == TraceRef::Kind::Only;
  Statement st =
      store.query(only || ref.kind == TraceRef::Kind::Latest
                      ? "SELECT trace_id FROM traces ORDER BY trace_id DESC LIMIT 2"
                      : "SELECT trace_id, name FROM traces WHERE trace_id = ?1 OR name = ?2 ORDER BY trace_id");
  if (ref.kind == TraceRef::Kind::IdOrName) {
    int64_t id = 0;
    if (as_number(ref.selector, &id)) st.bind(1, id);
    st.bind(2, ref.selector);
    std::vector<int64_t> named;
    while (st.step()) {
      if (st.integer(0) == id && id != 0) {
        *trace_id = id;
        return {};
      }
      named.push_back(st.integer(0));
    }
    if (named.empty())
      return {Error::NotFound, ref.text + ": no trace '" + ref.selector + "' in the store; it has " + here};
    if (named.size() > 1) {
      std::string numbers;
      for (int64_t n : named) numbers += (numbers.empty() ? "#" : ", #") + std::to_string(n);
      return {Error::InvalidArgument,
              ref.text + ": several traces have the name '" + ref.selector + "': " + numbers + "; take a number"};
    }
    *trace_id = named[0];
    return {};
  }
  if (!st.step()) return {Error::InvalidExternalData, ref.path + ": cannot be read: " + store.error_text()};
  *trace_id = st.integer(0);
  if (only && st.step()) {
    return {Error::InvalidArgument, ref.path + ": the store has several traces, say which: " + here + " (e.g. " +
                                        ref.path + "#" + std::to_string(*trace_id) + " or " + ref.path + "@latest)"};
  }
  return {};
}

}  // namespace et::inspector
