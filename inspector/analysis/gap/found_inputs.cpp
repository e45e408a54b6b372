#include "inspector/analysis/gap/found_inputs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "base/hex.h"
#include "base/mapped_file.h"
#include "base/sha256.h"
#include "bundled_program/bundle.h"
#include "etrecord/record.h"
#include "inspector/ingest/folder_files.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

/// "in12.npy" → 12, "input.npy" → 0; nullopt for arrays that are called otherwise.
std::optional<std::pair<std::string, int64_t>> input_number(const std::string& path) {
  constexpr std::array<std::string_view, 5> kNames = {"in", "input", "inputs", "arg", "args"};
  std::string name = file_name(path);
  if (!name.ends_with(".npy")) return std::nullopt;
  name.resize(name.size() - 4);
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  int64_t number = 0;
  if (digits < name.size() &&
      std::from_chars(name.data() + digits, name.data() + name.size(), number).ec != std::errc())
    return std::nullopt;
  std::string stem = name.substr(0, digits);
  if (stem.ends_with('_') || stem.ends_with('-')) stem.pop_back();
  if (std::find(kNames.begin(), kNames.end(), stem) == kNames.end()) return std::nullopt;
  return std::pair(std::move(stem), number);
}

/// SHA-256 of the program that ran: as the ETDump says, else of the file that it was read with. "": not known.
std::string program_hash(const Store& store, int64_t trace_id) {
  Statement s =
      store.query("SELECT coalesce(program_sha256, ''), coalesce(program_path, '') FROM traces WHERE trace_id = ?");
  s.bind_all(trace_id);
  if (!s.step()) return {};
  if (!s.text(0).empty()) return s.str(0);
  MappedFile file;
  if (s.text(1).empty() || !MappedFile::open(s.str(1), &file).ok()) return {};
  bundled::Bundle bundle;
  std::span<const uint8_t> bytes = file.bytes();
  if (bundled::Bundle::is_bundle(bytes) && bundled::Bundle::open(bytes, &bundle).ok()) bytes = bundle.program();
  return hex_text(sha256(bytes));
}

/// Whether a bundle has the case, and the program that ran.
bool has_case(const std::string& path, const std::string& method, int64_t test_case, const std::string& hash) {
  MappedFile file;
  bundled::Bundle bundle;
  if (!MappedFile::open(path, &file).ok() || !bundled::Bundle::open(file.bytes(), &bundle).ok()) return false;
  if (!hash.empty() && hex_text(sha256(bundle.program())) != hash) return false;
  for (uint32_t i = 0; i < bundle.suite_count(); ++i) {
    const bundled::Suite suite = bundle.suite(i);
    if ((method.empty() || suite.method() == method) && test_case < int64_t{suite.case_count()}) return true;
  }
  return false;
}

}  // namespace

bool record_keeps_inputs(const std::string& record) {
  MappedFile file;
  etrecord::Record opened;
  return MappedFile::open(record, &file).ok() && etrecord::Record::open(file.bytes(), record, &opened).ok() &&
         opened.has_member("representative_inputs");
}

std::vector<std::string> input_arrays(const std::vector<std::string>& paths) {
  std::map<std::string, std::map<int64_t, std::string>> by_name;
  for (const std::string& path : paths) {
    if (const auto input = input_number(path)) by_name[input->first].emplace(input->second, path);
  }
  if (by_name.size() != 1) return {};  // of two sets nobody knows which
  const std::map<int64_t, std::string>& numbered = by_name.begin()->second;
  std::vector<std::string> out;
  int64_t next = numbered.begin()->first;
  if (next > 1) return {};
  for (const auto& [number, path] : numbered) {
    if (number != next++) return {};
    out.push_back(path);
  }
  return out;
}

std::optional<GraphInputs> find_inputs(const Store& store, int64_t trace_id, const std::string& method,
                                       std::optional<int64_t> test_case) {
  Statement trace = store.query("SELECT coalesce(dump_path, '') FROM traces WHERE trace_id = ?");
  trace.bind_all(trace_id);
  std::vector<FolderFile> files;
  if (!trace.step() || trace.text(0).empty() || !files_of_folder(folder_prefix(trace.str(0)), &files))
    return std::nullopt;
  std::vector<std::string> names, bundles;
  for (const FolderFile& f : files) {
    if (f.kind == FileKind::BundledProgram) bundles.push_back(f.path);
    names.push_back(f.path);
  }
  GraphInputs out;
  if (!test_case) out.files = input_arrays(names);
  if (!out.files.empty()) return out;
  const std::string hash = bundles.empty() ? "" : program_hash(store, trace_id);
  std::erase_if(bundles, [&](const std::string& b) { return !has_case(b, method, test_case.value_or(0), hash); });
  if (bundles.size() != 1) return std::nullopt;
  out.cases = bundles.front();
  out.test_case = test_case.value_or(0);
  return out;
}

std::string inputs_text(const GraphInputs& inputs) {
  if (!inputs.cases.empty()) return "test case " + std::to_string(inputs.test_case.value_or(0)) + " of " + inputs.cases;
  std::string out;
  for (size_t i = 0; i < inputs.files.size(); ++i)
    out += (i == 0 ? "" : i + 1 == inputs.files.size() ? " and " : ", ") + inputs.files[i];
  return out;
}

}  // namespace et::inspector
