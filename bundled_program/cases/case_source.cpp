#include "bundled_program/cases/case_source.h"

#include <filesystem>
#include <utility>

#include "bundled_program/cases/memory_cases.h"
#include "bundled_program/cases/sidecar.h"
#include "bundled_program/cases/sidecar_format.h"

namespace et::bundled {
namespace {

class BundleCases : public CaseSource {
 public:
  BundleCases(const Bundle& bundle, std::string path) : bundle_(bundle), path_(std::move(path)) {}

  size_t suite_count() const override { return bundle_.suite_count(); }
  std::string_view method(size_t suite) const override { return at(suite).method(); }
  size_t case_count(size_t suite) const override { return at(suite).case_count(); }
  std::string place(size_t suite, size_t index) const override {
    return path_ + ": " + std::string(method(suite)) + " case " + std::to_string(index);
  }
  Status load(size_t suite, size_t index, LoadedCase* out) const override {
    *out = {};
    if (suite >= suite_count() || index >= case_count(suite)) {
      return {Error::InvalidArgument, place(suite, index) + ": no such test case"};
    }
    const Case test = at(suite).test_case(static_cast<uint32_t>(index));
    out->inputs.reserve(test.input_count());
    for (uint32_t i = 0; i < test.input_count(); ++i) out->inputs.push_back(test.input(i));
    out->expected.reserve(test.expected_count());
    for (uint32_t i = 0; i < test.expected_count(); ++i) out->expected.push_back(test.expected(i));
    return {};
  }

 private:
  Suite at(size_t suite) const {
    return suite < bundle_.suite_count() ? bundle_.suite(static_cast<uint32_t>(suite)) : Suite();
  }

  const Bundle& bundle_;
  std::string path_;
};

class JoinedCases : public CaseSource {
 public:
  JoinedCases(std::unique_ptr<CaseSource> first, std::unique_ptr<CaseSource> second)
      : sources_{std::move(first), std::move(second)} {
    for (size_t which = 0; which < 2; ++which) {
      if (sources_[which] == nullptr) continue;
      for (size_t s = 0; s < sources_[which]->suite_count(); ++s) {
        // A bundle may have two suites of one name, of which only the first is ever run: they stay two.
        const std::optional<size_t> known = which == 0 ? std::nullopt : find(sources_[which]->method(s));
        if (known && !suites_[*known].parts[which]) {
          suites_[*known].parts[which] = s;
        } else {
          suites_.push_back({});
          suites_.back().parts[which] = s;
        }
      }
    }
  }

  size_t suite_count() const override { return suites_.size(); }
  std::string_view method(size_t suite) const override {
    if (suite >= suites_.size()) return {};
    const size_t which = suites_[suite].parts[0] ? 0 : 1;
    return sources_[which]->method(*suites_[suite].parts[which]);
  }
  size_t case_count(size_t suite) const override { return count(suite, 0) + count(suite, 1); }
  std::string place(size_t suite, size_t index) const override {
    const Part p = part(suite, index);
    return sources_[p.which] == nullptr ? "case " + std::to_string(index) : sources_[p.which]->place(p.suite, p.index);
  }
  Status load(size_t suite, size_t index, LoadedCase* out) const override {
    const Part p = part(suite, index);
    if (sources_[p.which] == nullptr) return {Error::InvalidArgument, place(suite, index) + ": no such test case"};
    return sources_[p.which]->load(p.suite, p.index, out);
  }

 private:
  struct Entry {
    std::optional<size_t> parts[2];  // suite of each source
  };
  struct Part {
    size_t which, suite, index;
  };
  size_t count(size_t suite, size_t which) const {
    if (suite >= suites_.size() || !suites_[suite].parts[which]) return 0;
    return sources_[which]->case_count(*suites_[suite].parts[which]);
  }
  // An index past the end goes to the last source, which says so.
  Part part(size_t suite, size_t index) const {
    const size_t first = count(suite, 0);
    const bool has_second = suite < suites_.size() && suites_[suite].parts[1].has_value();
    const size_t which = index < first || !has_second ? 0 : 1;
    const std::optional<size_t> inner = suite < suites_.size() ? suites_[suite].parts[which] : std::nullopt;
    return {which, inner.value_or(SIZE_MAX), which == 0 ? index : index - first};
  }

  std::unique_ptr<CaseSource> sources_[2];
  std::vector<Entry> suites_;
};

}  // namespace

std::optional<size_t> CaseSource::find(std::string_view name) const {
  for (size_t s = 0; s < suite_count(); ++s) {
    if (method(s) == name) return s;
  }
  return std::nullopt;
}

size_t CaseSource::total() const {
  size_t sum = 0;
  for (size_t s = 0; s < suite_count(); ++s) sum += case_count(s);
  return sum;
}

std::unique_ptr<CaseSource> bundle_cases(const Bundle& bundle, std::string path) {
  return std::make_unique<BundleCases>(bundle, std::move(path));
}

std::unique_ptr<CaseSource> joined_cases(std::unique_ptr<CaseSource> first, std::unique_ptr<CaseSource> second) {
  return std::make_unique<JoinedCases>(std::move(first), std::move(second));
}

struct CaseFile::Files {
  MappedFile program_file;
  std::span<const uint8_t> program;
  bool is_bundle = false;
  Bundle bundle;
  std::string sidecar;
  MappedFile sidecar_file;
  std::unique_ptr<CaseSource> cases;
  const CaseSource* parts[2] = {&kNone, &kNone};  // bundle, side-car
  inline static const MemoryCases kNone;

  Status open_sidecar(std::unique_ptr<CaseSource>* out) {
    if (Status s = MappedFile::open(sidecar, &sidecar_file); !s.ok()) return s;
    std::unique_ptr<SidecarCases> read;
    if (Status s = SidecarCases::open(sidecar_file.bytes(), sidecar, &read); !s.ok()) return s;
    const std::string digest = program_digest(program);
    if (read->program_digest() != digest) {
      return {Error::InvalidExternalData, sidecar + ": meta.json: program_sha256: the cases were made for another " +
                                              "program: " + read->program_digest() + ", " + program_file.path() +
                                              " has " + digest};
    }
    *out = std::move(read);
    return {};
  }
};

CaseFile::CaseFile() = default;
CaseFile::~CaseFile() = default;
CaseFile::CaseFile(CaseFile&&) noexcept = default;
CaseFile& CaseFile::operator=(CaseFile&&) noexcept = default;

Status CaseFile::open(const std::string& path, const std::string& sidecar, CaseFile* out) {
  *out = CaseFile();
  auto files = std::make_unique<Files>();
  if (Status s = MappedFile::open(path, &files->program_file); !s.ok()) return s;
  files->program = files->program_file.bytes();
  files->is_bundle = Bundle::is_bundle(files->program);
  std::unique_ptr<CaseSource> inside;
  if (files->is_bundle) {
    const FileError error = Bundle::open(files->program_file.bytes(), &files->bundle);
    if (!error.ok()) return Status::of_file(path, error);
    files->program = files->bundle.program();
    inside = et::bundled::bundle_cases(files->bundle, path);
  }
  std::error_code ec;
  files->sidecar = sidecar;
  if (sidecar.empty() && std::filesystem::exists(sidecar_path(path), ec)) files->sidecar = sidecar_path(path);
  std::unique_ptr<CaseSource> beside;
  if (!files->sidecar.empty()) {
    if (Status s = files->open_sidecar(&beside); !s.ok()) return s;
  }
  if (inside != nullptr) files->parts[0] = inside.get();
  if (beside != nullptr) files->parts[1] = beside.get();
  files->cases = joined_cases(std::move(inside), std::move(beside));
  out->files_ = std::move(files);
  return {};
}

const std::string& CaseFile::path() const { return files_->program_file.path(); }
std::span<const uint8_t> CaseFile::program() const { return files_->program; }
bool CaseFile::is_bundle() const { return files_->is_bundle; }
const std::string& CaseFile::sidecar() const { return files_->sidecar; }
const CaseSource& CaseFile::cases() const { return *files_->cases; }
const CaseSource& CaseFile::bundle_cases() const { return *files_->parts[0]; }
const CaseSource& CaseFile::sidecar_cases() const { return *files_->parts[1]; }

std::string sidecar_path(const std::string& program_path) {
  return std::filesystem::path(program_path).replace_extension(".cases.npz").string();
}

}  // namespace et::bundled
