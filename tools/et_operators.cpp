// et-operators: which operators the methods of a program call, and in which dtypes their kernels work. The build uses
// it to link only the kernels that programs need (cmake/EtSelect.cmake).
//
//   et-operators FILE.pte...                     one line an operator: its name and dtypes
//   et-operators --select FOLDER --rows ROWS [--also OPERATOR] [--provided OPERATOR] [--dtypes MASK] FILE.pte...
//       writes FOLDER/selected_operators.inc, the lines of ROWS (ET_OPERATOR("name", function)) that the programs and
//       --also ask for, and FOLDER/selected_dtypes.h. --provided names an operator that the application registers
//       itself. --dtypes: that set instead of what the programs use. Files that would not change are not touched.
//
// Exit codes: 0 done, 1 a file cannot be used or an operator has no row (named on stderr), 2 usage.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "runtime/format/program.h"
#include "runtime/kernels/common/dtype.h"

namespace {

using et::ScalarType;
using et::kernels::DtypeSet;

constexpr unsigned kDtypes = 32;

/// Operators by name, each with the dtypes that its calls need.
using Uses = std::map<std::string, DtypeSet>;

std::string operator_name(const et::format::OperatorName& op) {
  std::string name(op.name);
  if (!op.overload.empty()) name += "." + std::string(op.overload);
  return name;
}

/// All dtypes that promotion can make of a set.
DtypeSet promoted(DtypeSet set) {
  for (DtypeSet before = 0; before != set;) {
    before = set;
    for (unsigned a = 0; a < kDtypes; ++a) {
      for (unsigned b = 0; b < a; ++b) {
        if ((before >> a & 1u) == 0 || (before >> b & 1u) == 0) continue;
        set |=
            et::kernels::dtype_bit(et::kernels::promote_types(static_cast<ScalarType>(a), static_cast<ScalarType>(b)));
      }
    }
  }
  return set;
}

/// dtypes of one call: of its tensors, and of what promotion makes of them and its numbers.
DtypeSet call_dtypes(const et::format::Method& method, const et::format::Instruction& call) {
  using et::format::ValueKind;
  DtypeSet set = 0;
  bool has_int = false;
  bool has_double = false;
  const auto add = [&](int32_t index) {
    if (index < 0) return;
    const et::format::Value v = method.value(static_cast<uint32_t>(index));
    if (v.kind() == ValueKind::Tensor) set |= et::kernels::dtype_bit(v.as_tensor().scalar_type());
    has_int = has_int || v.kind() == ValueKind::Int;
    has_double = has_double || v.kind() == ValueKind::Double;
  };
  for (const int32_t index : call.args()) {
    add(index);
    const et::format::Value v = method.value(static_cast<uint32_t>(index));
    if (v.kind() != ValueKind::TensorList && v.kind() != ValueKind::OptionalTensorList) continue;
    for (uint32_t i = 0; i < v.indices().size(); ++i) add(v.indices()[i]);
  }
  // A number changes the dtype when it is of a higher category than the tensor.
  using namespace et::kernels;
  if (has_int && (set & kBool) != 0) set |= dtype_bit(ScalarType::Long);
  if (has_double && (set & (kInts | kUnsigned | kBool)) != 0) set |= dtype_bit(ScalarType::Float);
  return promoted(set);
}

Uses uses_of(const et::format::Program& program) {
  Uses uses;
  for (uint32_t m = 0; m < program.method_count(); ++m) {
    const et::format::Method method = program.method(m);
    for (uint32_t c = 0; c < method.chain_count(); ++c) {
      const et::format::Chain chain = method.chain(c);
      for (uint32_t i = 0; i < chain.instruction_count(); ++i) {
        const et::format::Instruction call = chain.instruction(i);
        if (call.kind() != et::format::InstructionKind::KernelCall) continue;
        uses[operator_name(method.operator_name(static_cast<uint32_t>(call.op_index())))] |= call_dtypes(method, call);
      }
    }
  }
  return uses;
}

bool read_uses(const std::string& path, Uses* out) {
  et::MappedFile file;
  if (const et::Status s = et::MappedFile::open(path, &file); !s.ok()) {
    std::fprintf(stderr, "et-operators: %s\n", s.message().c_str());
    return false;
  }
  et::format::Program program;
  if (const et::FileError e = et::format::Program::open(file.bytes(), &program); !e.ok()) {
    std::fprintf(stderr, "et-operators: %s: offset %llu: %s: expected %s\n", path.c_str(),
                 static_cast<unsigned long long>(e.offset), e.field, e.expected);
    return false;
  }
  for (const auto& [name, dtypes] : uses_of(program)) (*out)[name] |= dtypes;
  return true;
}

std::string names_of(DtypeSet set) {
  std::string text;
  for (unsigned t = 0; t < kDtypes; ++t) {
    if ((set >> t & 1u) != 0) text += std::string(" ") + et::scalar_type_name(static_cast<ScalarType>(t));
  }
  return text;
}

/// Rows by operator name, in the text of the table.
bool read_rows(const std::string& path, std::map<std::string, std::string>* out) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const size_t begin = line.find('"');
    const size_t end = begin == std::string::npos ? begin : line.find('"', begin + 1);
    if (end != std::string::npos) (*out)[line.substr(begin + 1, end - begin - 1)] = line;
  }
  if (!out->empty()) return true;
  std::fprintf(stderr, "et-operators: %s: no rows\n", path.c_str());
  return false;
}

bool write_if_changed(const std::string& path, const std::string& text) {
  std::ifstream in(path, std::ios::binary);
  if (in && std::string(std::istreambuf_iterator<char>(in), {}) == text) return true;
  in.close();
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (out) return true;
  std::fprintf(stderr, "et-operators: cannot write %s\n", path.c_str());
  return false;
}

struct Options {
  std::string folder, rows;
  std::set<std::string> also, provided;
  bool has_dtypes = false;
  DtypeSet dtypes = 0;
  std::vector<std::string> files;
};

int select_rows(const Options& options) {
  std::map<std::string, std::string> rows;
  if (!read_rows(options.rows, &rows)) return 1;
  Uses wanted;
  std::map<std::string, std::string> from;  // operator: who wants it first
  for (const std::string& name : options.also) wanted[name] = 0;
  for (const std::string& path : options.files) {
    Uses uses;
    if (!read_uses(path, &uses)) return 1;
    for (const auto& [name, dtypes] : uses) {
      wanted[name] |= dtypes;
      from.try_emplace(name, path);
    }
  }
  std::string table = "// Written by et-operators: the kernels that this build selects.\n";
  DtypeSet dtypes = 0;
  bool complete = true;
  for (const auto& [name, used] : wanted) {
    dtypes |= used;
    if (const auto row = rows.find(name); row != rows.end()) {
      table += row->second + "\n";
    } else if (!options.provided.contains(name)) {
      complete = false;
      std::fprintf(stderr, "et-operators: operator %s%s%s has no kernel\n", name.c_str(),
                   from.contains(name) ? " of " : "", from.contains(name) ? from[name].c_str() : "");
    }
  }
  if (!complete) return 1;
  if (options.has_dtypes) dtypes = options.dtypes;
  std::ostringstream header;
  header << "// Written by et-operators: the dtypes of the selected kernels:" << names_of(dtypes) << ".\n#pragma once\n"
         << "#define ET_SELECTED_DTYPES 0x" << std::hex << dtypes << "u\n";
  return write_if_changed(options.folder + "/selected_operators.inc", table) &&
                 write_if_changed(options.folder + "/selected_dtypes.h", header.str())
             ? 0
             : 1;
}

int usage() {
  std::fprintf(stderr,
               "usage: et-operators FILE.pte...\n"
               "       et-operators --select FOLDER --rows ROWS [--also OPERATOR]... [--provided OPERATOR]...\n"
               "                    [--dtypes MASK] FILE.pte...\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg.rfind("--", 0) != 0) {
      options.files.push_back(arg);
      continue;
    }
    if (i + 1 >= argc) return usage();
    const std::string value = argv[++i];
    if (arg == "--select") {
      options.folder = value;
    } else if (arg == "--rows") {
      options.rows = value;
    } else if (arg == "--also") {
      options.also.insert(value);
    } else if (arg == "--provided") {
      options.provided.insert(value);
    } else if (arg == "--dtypes") {
      options.has_dtypes = true;
      options.dtypes = static_cast<DtypeSet>(std::strtoul(value.c_str(), nullptr, 0));
    } else {
      return usage();
    }
  }
  if (!options.folder.empty()) return options.rows.empty() ? usage() : select_rows(options);
  if (options.files.empty()) return usage();
  Uses uses;
  for (const std::string& path : options.files) {
    if (!read_uses(path, &uses)) return 1;
  }
  for (const auto& [name, dtypes] : uses) std::printf("%s%s\n", name.c_str(), names_of(dtypes).c_str());
  return 0;
}
