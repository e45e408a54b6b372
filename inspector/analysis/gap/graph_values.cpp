#include "inspector/analysis/gap/graph_values.h"

#include <set>

#include "base/child_process.h"
#include "base/npy.h"
#include "base/zip_writer.h"
#include "inspector/analysis/ops/value_layout.h"

namespace et::inspector {
namespace {

constexpr const char* kCheck = "et-check";

/// What the program said of its end, without its name in front and without what it said before.
std::string complaint(std::string text) {
  const std::string begin = std::string(kCheck) + ": error: ";
  if (const size_t at = text.rfind("\n" + begin); at != std::string::npos) text.erase(0, at + 1);
  if (text.starts_with(begin)) text.erase(0, begin.size());
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

}  // namespace

bool GraphInputs::any() const {
  return !files.empty() || ones || zeros || !random.empty() || !cases.empty() || test_case.has_value();
}

std::vector<std::string> GraphInputs::words() const {
  std::vector<std::string> out;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) out.insert(out.end(), {std::string("--") + option, value});
  };
  for (const std::string& path : files) add("input", path);
  if (ones) out.emplace_back("--ones");
  if (zeros) out.emplace_back("--zeros");
  add("random", random);
  add("cases", cases);
  return out;
}

Status run_check(std::vector<std::string> words, const std::function<bool()>& cancelled) {
  words.insert(words.begin(), program_beside(kCheck));
  ChildEnd end;
  if (Status s = run_child(words, cancelled, &end); !s.ok()) return s;
  if (end.signal != 0) {
    return {Error::InvalidExternalData,
            "the graph of the ETRecord: et-check was ended by signal " + std::to_string(end.signal)};
  }
  if (end.exit_code == 0) return {};
  if (end.exit_code == 127) {
    return {Error::NotFound, words.front() +
                                 ": cannot start: it works out the graph of the ETRecord; install it "
                                 "beside et-inspect, or give a reference with --against"};
  }
  const std::string text = complaint(end.errors);
  return {end.exit_code == 2 ? Error::InvalidArgument : Error::InvalidExternalData,
          text.empty() ? words.front() + " failed" : text};
}

Status GraphValues::run(const GraphInputs& inputs, const GapSide& run, const HandleNodes& handles, GapSide* out) {
  if (run.record.empty()) {
    return {Error::NotFound,
            "gap: nothing to compare with: give the ETRecord with --etrecord, or a good run with --against"};
  }
  if (!inputs.any() && run.test_case.value_or(0) > 0) {
    return {Error::InvalidArgument, "the execution is of test case " + std::to_string(*run.test_case) +
                                        ", and the ETRecord keeps the inputs of none: give the bundled program with "
                                        "--cases"};
  }
  if (Status s = folder_.make(); !s.ok()) return s;
  words_ = {"reference", run.record};
  if (!run.method.empty()) words_.insert(words_.end(), {"--method", run.method});
  const std::vector<std::string> given = inputs.words();
  words_.insert(words_.end(), given.begin(), given.end());
  const std::optional<int64_t> test_case = inputs.test_case       ? inputs.test_case
                                           : inputs.cases.empty() ? std::nullopt
                                                                  : run.test_case;
  if (test_case) words_.insert(words_.end(), {"--case", std::to_string(*test_case)});
  const std::string path = folder_.path() + "/reference.npz";
  std::vector<std::string> words = words_;
  words.insert(words.end(), {"--output", path});
  Status status = run_check(std::move(words), cancelled_);
  if (status.ok()) status = open_tensor_files(path, handles, out);
  out->name = "the graph of " + run.record;
  return status;
}

Status GraphValues::write_fed(const GapSide& run, const Gap& gap, const GapSide& reference, const std::string& path) {
  std::vector<std::string> members;
  ZipWriter zip;
  if (Status s = zip.create(path); !s.ok()) return s;
  members.reserve(gap.rows.size());
  std::set<size_t> fed;  // the first value that is a node's: others are what it was turned into
  for (const GapRow& row : gap.rows) {
    if (!fed.insert(row.reference).second) continue;
    LoggedValue value;
    const LoggedValue& want = reference.values[row.reference];
    value.dtype = run.values[row.value].dtype;
    value.shape = run.values[row.value].shape;
    std::span<const uint8_t> bytes;
    if (Status s = run.read(row.value, &bytes); !s.ok()) return s;
    value.data.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    LoggedValue like;
    like.dtype = want.dtype;
    like.shape = want.shape;
    if (Status s = reference.read(row.reference, &bytes); !s.ok()) return s;
    like.data.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string rows = rows_like(value, want.dtype, like);
    ScalarType type{};
    if (rows.empty() || !scalar_type_of(want.dtype, &type)) continue;
    members.push_back(npy_header(type, want.shape) + rows);
    const std::string& member = members.back();
    if (Status s = zip.add(want.name + ".npy", {reinterpret_cast<const uint8_t*>(member.data()), member.size()}, false);
        !s.ok()) {
      return s;
    }
  }
  return zip.close();
}

Status GraphValues::run_fed(const GapSide& run, const Gap& gap, const GapSide& reference, const HandleNodes& handles,
                            GapSide* out) {
  const std::string fed = folder_.path() + "/fed.npz", path = folder_.path() + "/own.npz";
  if (Status s = write_fed(run, gap, reference, fed); !s.ok()) return s;
  std::vector<std::string> words = words_;
  words.insert(words.end(), {"--feed", fed, "--output", path});
  Status status = run_check(std::move(words), cancelled_);
  if (status.ok()) status = open_tensor_files(path, handles, out);
  return status;
}

}  // namespace et::inspector
