#include "cli/gap/graph_values.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>

#include "base/interruption.h"
#include "base/zip_writer.h"
#include "bundled_program/cases/npy.h"
#include "cli/shared_options.h"
#include "inspector/analysis/ops/value_layout.h"

namespace et::cli {
namespace {

constexpr OptionSpec kGraphInputs[] = {
    kInputTensorOption, kCasesOption, kCaseOption, kRandomOption, kOnesOption, kZerosOption,
};

/// In the folder of this program; else the PATH decides.
std::string check_program() {
  constexpr const char* kName = "et-check";
  char own[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", own, sizeof own - 1);
  if (length > 0) {
    std::string path(own, static_cast<size_t>(length));
    path = path.substr(0, path.find_last_of('/') + 1) + kName;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return kName;
}

std::string text_of_file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What a program said on standard error, without its name in front.
std::string complaint(std::string text) {
  constexpr std::string_view kBegin = "et-check: error: ";
  if (text.starts_with(kBegin)) text.erase(0, kBegin.size());
  return text.substr(0, text.find('\n'));
}

}  // namespace

constexpr OptionGroup kGraphInputOptions = {"Inputs of the ETRecord's graph (default: those that it keeps)",
                                            kGraphInputs};

Status GraphValues::start(std::vector<std::string> words) const {
  const std::string errors = folder_.path() + "/errors";
  words.insert(words.begin(), check_program());
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return {Error::Internal, std::string("cannot start a process: ") + std::strerror(errno)};
  if (child == 0) {
    end_with_parent();
    const int to = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int none = ::open("/dev/null", O_WRONLY);
    if (to >= 0) ::dup2(to, 2);
    if (none >= 0) ::dup2(none, 1);
    ::execvp(raw.front(), raw.data());
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    return {Error::NotFound, words.front() +
                                 ": cannot start: it works out the graph of the ETRecord; install it "
                                 "beside et-inspect, or give a reference with --against"};
  }
  const std::string text = complaint(text_of_file(errors));
  if (WIFEXITED(status)) {
    return {WEXITSTATUS(status) == 2 ? Error::InvalidArgument : Error::InvalidExternalData,
            text.empty() ? words.front() + " failed" : text};
  }
  return {Error::InvalidExternalData,
          "the graph of the ETRecord: et-check was ended by signal " + std::to_string(WTERMSIG(status))};
}

Status GraphValues::run(const Arguments& args, const std::string& record, const std::string& method,
                        std::optional<int64_t> test_case, const HandleNodes& handles, inspector::GapSide* out) {
  if (record.empty()) {
    return {Error::NotFound,
            "gap: nothing to compare with: give the ETRecord with --etrecord, or a good run with --against"};
  }
  const bool chosen = std::any_of(std::begin(kGraphInputs), std::end(kGraphInputs),
                                  [&](const OptionSpec& option) { return args.given(option.name); });
  if (!chosen && test_case.value_or(0) > 0) {
    return {Error::InvalidArgument, "the execution is of test case " + std::to_string(*test_case) +
                                        ", and the ETRecord keeps the inputs of none: give the bundled program with "
                                        "--cases"};
  }
  if (Status s = folder_.make(); !s.ok()) return s;
  name_ = "the graph of " + record;
  words_ = {"reference", record};
  const auto add = [&](const char* option, const std::string& value) {
    words_.insert(words_.end(), {std::string("--") + option, value});
  };
  if (!method.empty()) add("method", method);
  for (const std::string& path : args.list("input")) add("input", path);
  for (const char* option : {"ones", "zeros"}) {
    if (args.flag(option)) words_.push_back(std::string("--") + option);
  }
  if (args.given("random")) add("random", args.text("random"));
  if (args.given("cases")) add("cases", args.text("cases"));
  if (args.given("case")) {
    add("case", args.text("case"));
  } else if (test_case && args.given("cases")) {
    add("case", std::to_string(*test_case));
  }
  const std::string path = folder_.path() + "/reference.npz";
  std::vector<std::string> words = words_;
  words.insert(words.end(), {"--output", path});
  Status status = start(std::move(words));
  if (status.ok()) status = open_tensor_files(path, handles, out);
  out->name = name_;
  return status;
}

Status GraphValues::write_fed(const inspector::GapSide& run, const inspector::Gap& gap,
                              const inspector::GapSide& reference, const std::string& path) const {
  std::vector<std::string> members;
  ZipWriter zip;
  if (Status s = zip.create(path); !s.ok()) return s;
  members.reserve(gap.rows.size());
  std::set<size_t> fed;  // the first value that is a node's: others are what it was turned into
  for (const inspector::GapRow& row : gap.rows) {
    if (!fed.insert(row.reference).second) continue;
    inspector::LoggedValue value;
    const inspector::LoggedValue& want = reference.values[row.reference];
    value.dtype = run.values[row.value].dtype;
    value.shape = run.values[row.value].shape;
    std::span<const uint8_t> bytes;
    if (Status s = run.read(row.value, &bytes); !s.ok()) return s;
    value.data.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    inspector::LoggedValue like;
    like.dtype = want.dtype;
    like.shape = want.shape;
    if (Status s = reference.read(row.reference, &bytes); !s.ok()) return s;
    like.data.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string rows = inspector::rows_like(value, want.dtype, like);
    ScalarType type{};
    if (rows.empty() || !scalar_type_of(want.dtype, &type)) continue;
    members.push_back(bundled::npy_header(type, want.shape) + rows);
    const std::string& member = members.back();
    if (Status s = zip.add(want.name + ".npy", {reinterpret_cast<const uint8_t*>(member.data()), member.size()}, false);
        !s.ok()) {
      return s;
    }
  }
  return zip.close();
}

Status GraphValues::run_fed(const inspector::GapSide& run, const inspector::Gap& gap,
                            const inspector::GapSide& reference, const HandleNodes& handles, inspector::GapSide* out) {
  const std::string fed = folder_.path() + "/fed.npz", path = folder_.path() + "/own.npz";
  if (Status s = write_fed(run, gap, reference, fed); !s.ok()) return s;
  std::vector<std::string> words = words_;
  words.insert(words.end(), {"--feed", fed, "--output", path});
  Status status = start(std::move(words));
  if (status.ok()) status = open_tensor_files(path, handles, out);
  return status;
}

}  // namespace et::cli
