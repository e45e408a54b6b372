#include "inspector/analysis/ops/filter.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/shown_types.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <iterator>

#include "base/read_double.h"

namespace et::inspector {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

bool contains(std::string_view text, const std::string& needle) {
  return std::search(text.begin(), text.end(), needle.begin(), needle.end(),
                     [](char a, char b) { return lower(a) == b; }) != text.end() ||
         needle.empty();
}

bool equals(std::string_view text, const std::string& value) {
  return std::equal(text.begin(), text.end(), value.begin(), value.end(), [](char a, char b) { return lower(a) == b; });
}

// What a key reads of an op: some texts, or some numbers.
using Texts = std::vector<std::string>;
using Numbers = std::vector<double>;

enum class KeyType : unsigned char { Text, Whole, Time, Percent, YesNo };

struct Key {
  const char* name;
  KeyType type;
  void (*texts)(const OpTable&, const OpEntry&, Texts*);
  void (*numbers)(const OpTable&, const OpEntry&, Numbers*);
};

/// A call with ops inside that have its nodes' time: what is left to it is none of theirs.
bool is_around_all(const OpTable& t, const OpEntry& o) {
  if (o.kind != "delegate_call" || !o.encloses) return false;
  const auto* const first = t.nodes.data() + o.first_node;
  return std::none_of(first, first + o.nodes, [](const OpNode& n) { return n.weight > 0; });
}

template <class F>
void each_node(const OpTable& t, const OpEntry& o, F&& f) {
  if (is_around_all(t, o)) return;
  for (size_t i = o.first_node; i < o.first_node + o.nodes; ++i) f(*t.nodes[i].node);
}

// What it is shown as. Nodes of one debug handle, as those that an operator was decomposed into, are other ops' types.
void types_of(const OpTable& t, const OpEntry& o, Texts* out) {
  if (is_around_all(t, o)) return;
  Texts types;
  for (std::string& type : shown_types(t, o).types) types.push_back(std::move(type));
  if (types.empty()) types.assign(o.op_types.begin(), o.op_types.end());
  if (types.empty() && o.called) types.emplace_back(o.called.text());
  if (types.empty()) each_node(t, o, [&](const NodeFacts& n) { types.push_back(n.op); });  // of a call, the kernel's
  out->insert(out->end(), types.begin(), types.end());
}
void modules_of(const OpTable& t, const OpEntry& o, Texts* out) {
  each_node(t, o, [&](const NodeFacts& n) {
    if (!n.has_module) return;
    out->push_back(n.module_path);
    out->push_back(n.module_type);
  });
}
void places_of(const OpTable& t, const OpEntry& o, Texts* out) {
  each_node(t, o, [&](const NodeFacts& n) { out->push_back(source_place(n)); });
}

void files_of(const OpTable& t, const OpEntry& o, Texts* out) {
  each_node(t, o, [&](const NodeFacts& n) { out->push_back(n.file); });
}
void functions_of(const OpTable& t, const OpEntry& o, Texts* out) {
  each_node(t, o, [&](const NodeFacts& n) { out->push_back(n.function); });
}
void nodes_of(const OpTable& t, const OpEntry& o, Texts* out) {
  each_node(t, o, [&](const NodeFacts& n) { out->push_back(n.name); });
}
void codes_of(const OpTable& t, const OpEntry& o, Texts* out) {
  each_node(t, o, [&](const NodeFacts& n) { out->push_back(n.code); });
}
void backends_of(const OpTable&, const OpEntry& o, Texts* out) { out->push_back(o.backend.value_or("")); }

// As the ETDump has it, and as reports do.
void names_of(const OpTable& t, const OpEntry& o, Texts* out) {
  out->push_back(o.name);
  out->push_back(op_title(t, o));
}

constexpr auto kNoTexts = [](const OpTable&, const OpEntry&, Texts*) {};
constexpr auto kNoNumbers = [](const OpTable&, const OpEntry&, Numbers*) {};

template <class Optional>
void push(Numbers* out, const Optional& v, double factor = 1) {
  if (v) out->push_back(static_cast<double>(*v) * factor);
}

const std::array<Key, 31> kKeys = {{
    {"name", KeyType::Text, names_of, kNoNumbers},
    {"op", KeyType::Text, names_of, kNoNumbers},  // as its column is called
    {"type", KeyType::Text, types_of, kNoNumbers},
    {"module", KeyType::Text, modules_of, kNoNumbers},
    {"node", KeyType::Text, nodes_of, kNoNumbers},
    {"handle", KeyType::Whole, kNoTexts,
     [](const OpTable&, const OpEntry& o, Numbers* out) {
       for (const int64_t handle : o.debug_handles) out->push_back(static_cast<double>(handle));
     }},
    {"line", KeyType::Whole, places_of,
     [](const OpTable& t, const OpEntry& o, Numbers* out) {
       each_node(t, o, [&](const NodeFacts& n) { push(out, n.line); });
     }},
    {"file", KeyType::Text, files_of, kNoNumbers},
    {"function", KeyType::Text, functions_of, kNoNumbers},
    {"code", KeyType::Text, codes_of, kNoNumbers},
    {"backend", KeyType::Text, backends_of, kNoNumbers},
    {"delegate", KeyType::Text, backends_of, kNoNumbers},  // as its column is called
    {"method", KeyType::Text,
     [](const OpTable& t, const OpEntry& o, Texts* out) { out->push_back(t.block_of(o).method.value_or("")); },
     kNoNumbers},
    {"block", KeyType::Text, [](const OpTable& t, const OpEntry& o, Texts* out) { out->push_back(t.block_of(o).name); },
     kNoNumbers},
    {"kind", KeyType::Text, [](const OpTable&, const OpEntry& o, Texts* out) { out->push_back(o.kind); }, kNoNumbers},
    {"role", KeyType::Text, [](const OpTable&, const OpEntry& o, Texts* out) { out->push_back(o.role.value_or("")); },
     kNoNumbers},
    {"instruction", KeyType::Whole, kNoTexts,
     [](const OpTable&, const OpEntry& o, Numbers* out) { push(out, o.instruction_id); }},
    {"count", KeyType::Whole, kNoTexts,
     [](const OpTable&, const OpEntry& o, Numbers* out) { out->push_back(static_cast<double>(o.count)); }},
    {"share", KeyType::Percent, kNoTexts,
     [](const OpTable& t, const OpEntry& o, Numbers* out) {
       const double whole = t.block_of(o).cost;
       if (whole > 0) out->push_back(o.cost / whole * 100);
     }},
    {"self", KeyType::Time, kNoTexts, [](const OpTable&, const OpEntry& o, Numbers* out) { out->push_back(o.cost); }},
    {"total", KeyType::Time, kNoTexts,
     [](const OpTable&, const OpEntry& o, Numbers* out) { out->push_back(static_cast<double>(o.sum)); }},
    {"mean", KeyType::Time, kNoTexts, [](const OpTable&, const OpEntry& o, Numbers* out) { push(out, o.mean); }},
    {"min", KeyType::Time, kNoTexts, [](const OpTable&, const OpEntry& o, Numbers* out) { push(out, o.min); }},
    {"p50", KeyType::Time, kNoTexts, [](const OpTable&, const OpEntry& o, Numbers* out) { push(out, o.p50); }},
    {"p90", KeyType::Time, kNoTexts, [](const OpTable&, const OpEntry& o, Numbers* out) { push(out, o.p90); }},
    {"p99", KeyType::Time, kNoTexts, [](const OpTable&, const OpEntry& o, Numbers* out) { push(out, o.p99); }},
    {"max", KeyType::Time, kNoTexts, [](const OpTable&, const OpEntry& o, Numbers* out) { push(out, o.max); }},
    {"cold", KeyType::Time, kNoTexts, [](const OpTable&, const OpEntry& o, Numbers* out) { push(out, o.cold); }},
    {"warm_mean", KeyType::Time, kNoTexts,
     [](const OpTable&, const OpEntry& o, Numbers* out) { push(out, o.warm_mean); }},
    {"warm_p50", KeyType::Time, kNoTexts,
     [](const OpTable&, const OpEntry& o, Numbers* out) { push(out, o.warm_p50); }},
    {"warm_p99", KeyType::Time, kNoTexts,
     [](const OpTable&, const OpEntry& o, Numbers* out) { push(out, o.warm_p99); }},
}};
const Key kDelegated = {"delegated", KeyType::YesNo, kNoTexts, [](const OpTable&, const OpEntry& o, Numbers* out) {
                          out->push_back(o.is_delegated || o.kind == "delegate_call" || o.backend.has_value() ? 1 : 0);
                        }};

const Key& key_at(int index) {
  return static_cast<size_t>(index) < kKeys.size() ? kKeys[static_cast<size_t>(index)] : kDelegated;
}

int find_key(std::string_view name) {
  if (name == kDelegated.name) return static_cast<int>(kKeys.size());
  for (size_t i = 0; i < kKeys.size(); ++i) {
    if (name == kKeys[i].name) return static_cast<int>(i);
  }
  return -1;
}

// "12", "1.5us", "5%".
bool read_number(std::string_view text, KeyType type, double* out) {
  const auto result = read_double(text.data(), text.data() + text.size(), out);
  if (result.ec != std::errc()) return false;
  const std::string_view unit = text.substr(static_cast<size_t>(result.ptr - text.data()));
  if (unit.empty()) return true;
  if (type == KeyType::Percent) return unit == "%";
  if (type != KeyType::Time) return false;
  static constexpr std::array<std::pair<std::string_view, double>, 6> kFactors = {
      {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"cycles", 1}}};
  for (const auto& [name, factor] : kFactors) {
    if (unit == name) {
      *out *= factor;
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string_view> filter_keys() {
  std::vector<std::string_view> names;
  for (const Key& key : kKeys) names.emplace_back(key.name);
  names.emplace_back(kDelegated.name);
  return names;
}

Status Filter::parse_term(std::string_view word, bool quoted, Term* out) {
  if (!quoted && word.size() > 1 && word.front() == '!') {
    out->negated = true;
    word.remove_prefix(1);
  }
  size_t name_end = 0;
  bool digits = false;
  for (; name_end < word.size(); ++name_end) {
    const char c = lower(word[name_end]);
    const bool digit = c >= '0' && c <= '9' && name_end > 0;
    if (!digit && c != '_' && (c < 'a' || c > 'z')) break;
    digits = digits || digit;
  }
  const bool has_key = !quoted && name_end > 0 && name_end < word.size() &&
                       std::string_view(":=<>").find(word[name_end]) != std::string_view::npos &&
                       word.substr(name_end, 2) != "::" &&  // Method::execute and aten::add are names
                       (!digits || find_key(lowered(word.substr(0, name_end))) >= 0);
  if (!has_key) {
    out->value = lowered(word);
    return {};
  }
  const std::string name = lowered(word.substr(0, name_end));
  out->key = find_key(name);
  const std::string term = "filter term '" + std::string(word) + "': ";
  if (out->key < 0) {
    std::string keys;
    for (const std::string_view k : filter_keys()) keys += (keys.empty() ? "" : ", ") + std::string(k);
    return {Error::InvalidArgument,
            term + "unknown key '" + name + "'; expected " + keys + " (quotes make it plain text)"};
  }
  const KeyType type = key_at(out->key).type;
  size_t value_at = name_end + 1;
  const bool or_equal = word.substr(value_at).starts_with('=') && word[name_end] != ':' && word[name_end] != '=';
  switch (word[name_end]) {
    case ':':
      out->compare = Compare::Contains;
      break;
    case '=':
      out->compare = Compare::Equals;
      break;
    case '>':
      out->compare = or_equal ? Compare::GreaterEqual : Compare::Greater;
      break;
    default:
      out->compare = or_equal ? Compare::LessEqual : Compare::Less;
      break;
  }
  if (or_equal) ++value_at;
  out->value = lowered(word.substr(value_at));
  if (type == KeyType::YesNo) {
    out->is_number = true;
    out->number = out->value == "yes" || out->value == "true" || out->value == "1" ? 1 : 0;
    const bool no = out->value == "no" || out->value == "false" || out->value == "0";
    if ((out->number == 0 && !no) || out->compare > Compare::Equals)
      return {Error::InvalidArgument, term + "expected " + name + ":yes or " + name + ":no"};
    return {};
  }
  out->is_number = type != KeyType::Text && read_number(out->value, type, &out->number);
  const bool needs_number = out->compare > Compare::Equals || (type != KeyType::Text && name != "line");
  if (needs_number && type == KeyType::Text)
    return {Error::InvalidArgument,
            term + "'" + name + "' is a text, expected " + name + ":value or " + name + "=value"};
  if (needs_number && !out->is_number) {
    const char* what =
        type == KeyType::Time ? "a time such as 1.5us" : (type == KeyType::Percent ? "percent such as 5%" : "a number");
    return {Error::InvalidArgument, term + "expected " + what};
  }
  return {};
}

Status Filter::parse(std::string_view text, Filter* out) {
  Filter filter;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == ' ' || text[i] == '\t') {
      ++i;
      continue;
    }
    std::string word;
    const bool quoted = text[i] == '"';
    bool inside = false;
    for (; i < text.size() && (inside || (text[i] != ' ' && text[i] != '\t')); ++i) {
      if (text[i] == '"') {
        inside = !inside;
      } else {
        word += text[i];
      }
    }
    if (inside) return {Error::InvalidArgument, "filter '" + std::string(text) + "': a quote is not closed"};
    Term term;
    Status status = parse_term(word, quoted, &term);
    if (!status.ok()) return status;
    filter.terms_.push_back(std::move(term));
  }
  *out = std::move(filter);
  return {};
}

bool Filter::fits(const Term& term, const OpTable& table, const OpEntry& op) {
  const auto text_fits = [&](const std::string& text) {
    return term.compare == Compare::Equals ? equals(text, term.value) : contains(text, term.value);
  };
  Texts texts;
  if (term.key < 0) {
    names_of(table, op, &texts);
    types_of(table, op, &texts);
    places_of(table, op, &texts);
    modules_of(table, op, &texts);
    return std::any_of(texts.begin(), texts.end(), text_fits);
  }
  const Key& key = key_at(term.key);
  if (!term.is_number) {
    key.texts(table, op, &texts);
    return std::any_of(texts.begin(), texts.end(), text_fits);
  }
  Numbers numbers;
  key.numbers(table, op, &numbers);
  return std::any_of(numbers.begin(), numbers.end(), [&](double v) {
    switch (term.compare) {
      case Compare::Greater:
        return v > term.number;
      case Compare::Less:
        return v < term.number;
      case Compare::GreaterEqual:
        return v >= term.number;
      case Compare::LessEqual:
        return v <= term.number;
      case Compare::Contains:
      case Compare::Equals:
        break;
    }
    return v >= term.number && v <= term.number;
  });
}

bool Filter::matches(const OpTable& table, const OpEntry& op) const {
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& t) { return fits(t, table, op) != t.negated; });
}

bool Filter::names_block() const {
  return std::any_of(terms_.begin(), terms_.end(),
                     [](const Term& t) { return t.key >= 0 && std::string_view(key_at(t.key).name) == "block"; });
}

}  // namespace et::inspector
