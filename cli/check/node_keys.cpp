#include "cli/check/node_keys.h"

#include <cstring>
#include <map>

#include "base/mapped_file.h"
#include "etrecord/record.h"
#include "inspector/analysis/ops/value_layout.h"

namespace et::cli {
namespace {

using inspector::LoggedValue;

/// One word for what exports write in several ways.
std::string family_of(const std::string& op) {
  const size_t begin = op.find('.');
  const size_t end = op.rfind('.');
  std::string name = begin == std::string::npos || begin == end ? op : op.substr(begin + 1, end - begin - 1);
  if (name.ends_with("_copy")) name.resize(name.size() - 5);
  if (name == "addmm" || name == "mm") return "linear";
  return name;
}

bool has_part(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

struct Known {
  std::string key;  // empty: of quantisation
  double scale = 0;
  double zero_point = 0;
};

std::map<std::string, Known> known_nodes(const etrecord::Program& program) {
  std::map<std::string, int64_t> seen;
  std::map<std::string, Known> out;
  for (const etrecord::Node& n : program.nodes) {
    Known& known = out[n.name];
    if (has_part(n.qualified_op, "quantize_")) {
      for (const etrecord::Argument& a : n.inputs) {
        if (a.name == "scale" && a.floats.size() == 1) known.scale = a.floats[0];
        if (a.name == "zero_point" && a.ints.size() == 1) known.zero_point = static_cast<double>(a.ints[0]);
      }
      continue;
    }
    const std::string place = (n.modules.empty() ? "" : n.modules.back().path) + ": " + family_of(n.qualified_op);
    known.key = place + " #" + std::to_string(seen[place]++);
  }
  return out;
}

void make_float(const Known& by, LoggedValue* v) {
  std::string data;
  for (const double number : numbers_of(*v)) {
    const auto real = static_cast<float>((number - by.zero_point) * by.scale);
    data.append(reinterpret_cast<const char*>(&real), sizeof(real));
  }
  v->data = std::move(data);
  v->dtype = "float32";
}

}  // namespace

Status name_by_module(const std::string& etrecord, const std::string& method, ValueList* values) {
  MappedFile file;
  if (Status s = MappedFile::open(etrecord, &file); !s.ok()) return s;
  etrecord::Record record;
  if (Status s = etrecord::Record::open(file.bytes(), etrecord, &record); !s.ok()) return s;
  const etrecord::Program* program = record.edge_program(method);
  if (program == nullptr) return {Error::NotFound, etrecord + ": no edge program for method " + method};
  const std::map<std::string, Known> known = known_nodes(*program);
  for (LoggedValue& v : values->values) {
    std::vector<std::string> nodes = v.nodes;
    if (nodes.empty() && !v.node.empty()) nodes.push_back(v.node);
    std::vector<inspector::NodeResult> keys;
    for (auto n = nodes.rbegin(); n != nodes.rend(); ++n) {
      const auto it = known.find(*n);
      if (it == known.end()) continue;
      if (!it->second.key.empty()) keys.push_back({it->second.key, *n == v.node ? v.node_output : 0});
      if (it->second.scale > 0 && (v.dtype == "int8" || v.dtype == "uint8")) make_float(it->second, &v);
    }
    v.node = keys.empty() ? "" : keys.front().node;
    v.node_output = keys.empty() ? 0 : keys.front().output;
    v.others.assign(keys.empty() ? keys.end() : keys.begin() + 1, keys.end());
  }
  return {};
}

}  // namespace et::cli
