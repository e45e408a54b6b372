// Programs and bundles that the tests read, cases put together by hand, and comparison of cases value by value.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bundled_program/cases/case_source.h"
#include "bundled_program/cases/memory_cases.h"
#include "bundled_program/cases/tensor_value.h"
#include "tests/cli/scratch.h"

namespace et::bundled::test {

using cli::test::read_file;
using cli::test::Scratch;
using cli::test::write_file;

inline std::string fixture(const std::string& name) { return std::string(ET_FIXTURES) + "/" + name; }

/// Every bundle that upstream wrote: the repository's, and the big corpus where ET_SHARED_BUNDLES names its folders
/// (separated by ':').
inline std::vector<std::string> upstream_bundles() {
  namespace fs = std::filesystem;
  std::vector<fs::path> roots = {fixture("bundles"), fixture("ops")};
  if (const char* more = std::getenv("ET_SHARED_BUNDLES")) {
    std::istringstream list(more);
    for (std::string folder; std::getline(list, folder, ':');) roots.emplace_back(folder);
  }
  std::vector<std::string> files;
  for (const fs::path& root : roots) {
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.is_regular_file() && entry.path().extension() == ".bpte") files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline bool same_bytes(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

inline bool same_value(const Value& a, const Value& b) {
  const auto equal = [](auto x, auto y) { return std::equal(x.begin(), x.end(), y.begin(), y.end()); };
  return a.kind == b.kind && a.as_int == b.as_int && a.as_bool == b.as_bool &&
         std::memcmp(&a.as_double, &b.as_double, sizeof(double)) == 0 &&
         (a.kind != ValueKind::Tensor ||
          (a.tensor.scalar_type == b.tensor.scalar_type && equal(a.tensor.sizes, b.tensor.sizes) &&
           equal(a.tensor.dim_order, b.tensor.dim_order) && same_bytes(a.tensor.data, b.tensor.data)));
}

/// Empty when both have the same suites with the same values, else where they differ first.
inline std::string difference(const CaseSource& a, const CaseSource& b) {
  if (a.suite_count() != b.suite_count()) return "number of suites";
  for (size_t s = 0; s < a.suite_count(); ++s) {
    const std::optional<size_t> other = b.find(a.method(s));
    if (!other) return "no suite " + std::string(a.method(s));
    if (a.case_count(s) != b.case_count(*other)) return std::string(a.method(s)) + ": number of cases";
    for (size_t c = 0; c < a.case_count(s); ++c) {
      LoadedCase x, y;
      const Status first = a.load(s, c, &x), second = b.load(*other, c, &y);
      if (!first.ok() || !second.ok()) return first.message() + second.message();
      if (x.inputs.size() != y.inputs.size() || x.expected.size() != y.expected.size()) {
        return a.place(s, c) + ": number of values";
      }
      for (size_t i = 0; i < x.inputs.size(); ++i) {
        if (!same_value(x.inputs[i], y.inputs[i])) return a.place(s, c) + ": input " + std::to_string(i);
      }
      for (size_t i = 0; i < x.expected.size(); ++i) {
        if (!same_value(x.expected[i], y.expected[i])) return a.place(s, c) + ": expected " + std::to_string(i);
      }
    }
  }
  return {};
}

/// Adds a tensor whose bytes count up from `first`.
inline Value add_tensor(LoadedCase* owner, ScalarType type, std::vector<int32_t> sizes, uint8_t first = 1) {
  auto own = std::make_shared<OwnedTensor>(type, std::move(sizes));
  for (size_t i = 0; i < own->value.data.size(); ++i) own->data()[i] = static_cast<uint8_t>(first + i);
  const Value v = tensor_value(own->value);
  owner->owners.push_back(own);
  return v;
}

inline Value add_floats(LoadedCase* owner, std::vector<int32_t> sizes, const std::vector<float>& values) {
  auto own = std::make_shared<OwnedTensor>(ScalarType::Float, std::move(sizes));
  std::memcpy(own->data(), values.data(), values.size() * sizeof(float));
  const Value v = tensor_value(own->value);
  owner->owners.push_back(own);
  return v;
}

inline std::vector<ScalarType> all_types() {
  std::vector<ScalarType> types;
  for (int t = 0; t <= static_cast<int>(ScalarType::UInt64); ++t) types.push_back(static_cast<ScalarType>(t));
  return types;
}

/// A case of every kind of value and every dtype, with empty tensors and those of no dimensions.
inline LoadedCase rich_case() {
  LoadedCase out;
  out.inputs = {int_value(0), int_value(-1), int_value(INT64_MIN), bool_value(false), bool_value(true)};
  for (double v : {0.0, -0.0, 0.5, 1e300}) out.inputs.push_back(double_value(v));
  for (ScalarType type : all_types()) {
    out.inputs.push_back(add_tensor(&out, type, {2, 3}, static_cast<uint8_t>(type)));
    out.expected.push_back(add_tensor(&out, type, {}, static_cast<uint8_t>(type)));
  }
  out.expected.push_back(add_tensor(&out, ScalarType::Float, {2, 0, 3}));
  out.expected.push_back(add_tensor(&out, ScalarType::BFloat16, {0}));
  out.expected.push_back(int_value(7));
  out.expected.push_back(bool_value(true));
  out.expected.push_back(double_value(-2.5));
  auto last = std::make_shared<OwnedTensor>(ScalarType::Short, std::vector<int32_t>{2, 3, 2, 2});
  for (size_t i = 0; i < last->value.data.size(); ++i) last->data()[i] = static_cast<uint8_t>(i);
  last->dim_order = {0, 2, 3, 1};
  last->value.dim_order = last->dim_order;
  out.inputs.push_back(tensor_value(last->value));
  out.owners.push_back(last);
  return out;
}

/// Suites out of order, one without cases, a case without values and one without expectations.
inline MemoryCases rich_cases() {
  MemoryCases out;
  out.add("prefill", rich_case(), "prefill 0");
  out.add_suite("empty");
  out.add("forward", LoadedCase(), "forward 0");
  LoadedCase blind = rich_case();
  blind.expected.clear();
  out.add("forward", blind, "forward 1");
  out.add(".we/ird %name", rich_case(), "weird 0");
  return out;
}

}  // namespace et::bundled::test
