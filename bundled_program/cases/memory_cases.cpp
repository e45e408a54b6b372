#include "bundled_program/cases/memory_cases.h"

#include <algorithm>
#include <utility>

namespace et::bundled {
namespace {

class SomeSuites : public CaseSource {
 public:
  SomeSuites(const CaseSource& base, std::vector<size_t> suites) : base_(base), suites_(std::move(suites)) {}
  size_t suite_count() const override { return suites_.size(); }
  std::string_view method(size_t suite) const override { return base_.method(at(suite)); }
  size_t case_count(size_t suite) const override { return base_.case_count(at(suite)); }
  std::string place(size_t suite, size_t index) const override { return base_.place(at(suite), index); }
  Status load(size_t suite, size_t index, LoadedCase* out) const override { return base_.load(at(suite), index, out); }

 private:
  size_t at(size_t suite) const { return suite < suites_.size() ? suites_[suite] : SIZE_MAX; }
  const CaseSource& base_;
  std::vector<size_t> suites_;
};

class Renewed : public CaseSource {
 public:
  Renewed(const CaseSource& base, const Expectations& renewed) : base_(base), renewed_(renewed) {}
  size_t suite_count() const override { return base_.suite_count(); }
  std::string_view method(size_t suite) const override { return base_.method(suite); }
  size_t case_count(size_t suite) const override { return base_.case_count(suite); }
  std::string place(size_t suite, size_t index) const override { return base_.place(suite, index); }
  Status load(size_t suite, size_t index, LoadedCase* out) const override {
    if (Status s = base_.load(suite, index, out); !s.ok()) return s;
    const auto found = renewed_.find({suite, index});
    if (found == renewed_.end()) return {};
    const LoadedCase& fresh = found->second;
    out->expected = fresh.expected;
    out->owners.insert(out->owners.end(), fresh.owners.begin(), fresh.owners.end());
    return {};
  }

 private:
  const CaseSource& base_;
  const Expectations& renewed_;
};

}  // namespace

void MemoryCases::add_suite(const std::string& method) {
  if (!find(method)) suites_.push_back({method, {}});
}

void MemoryCases::add(const std::string& method, LoadedCase test, std::string place) {
  add_suite(method);
  suites_[*find(method)].cases.push_back({std::move(test), std::move(place)});
}

std::string_view MemoryCases::method(size_t suite) const {
  return suite < suites_.size() ? std::string_view(suites_[suite].method) : std::string_view();
}

size_t MemoryCases::case_count(size_t suite) const { return suite < suites_.size() ? suites_[suite].cases.size() : 0; }

std::string MemoryCases::place(size_t suite, size_t index) const {
  if (index < case_count(suite)) return suites_[suite].cases[index].place;
  return std::string(method(suite)) + " case " + std::to_string(index);
}

Status MemoryCases::load(size_t suite, size_t index, LoadedCase* out) const {
  if (index >= case_count(suite)) {
    return {Error::InvalidArgument, place(suite, index) + ": no such test case"};
  }
  *out = suites_[suite].cases[index].test;
  return {};
}

std::unique_ptr<CaseSource> cases_without(const CaseSource& base, std::span<const std::string> methods) {
  std::vector<size_t> kept;
  for (size_t s = 0; s < base.suite_count(); ++s) {
    if (std::find(methods.begin(), methods.end(), base.method(s)) == methods.end()) kept.push_back(s);
  }
  return std::make_unique<SomeSuites>(base, std::move(kept));
}

std::unique_ptr<CaseSource> cases_with_expectations(const CaseSource& base, const Expectations& renewed) {
  return std::make_unique<Renewed>(base, renewed);
}

}  // namespace et::bundled
