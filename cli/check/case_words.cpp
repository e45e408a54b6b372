#include "cli/check/case_words.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <memory>

#include "base/mapped_file.h"
#include "bundled_program/cases/member_store.h"
#include "bundled_program/cases/npy.h"

namespace et::cli {
namespace {

using bundled::LoadedCase;

constexpr std::string_view kForms = "expected FILE.npy, FILE.npz, int:N, float:X, bool:true or bool:false";

std::optional<bundled::Value> number(std::string_view kind, const std::string& text) {
  if (kind == "bool") {
    if (text == "true") return bundled::bool_value(true);
    if (text == "false") return bundled::bool_value(false);
    return std::nullopt;
  }
  if (kind == "int") {
    int64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return bundled::int_value(n);
  }
  char* end = nullptr;
  const double v = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0) return std::nullopt;
  return bundled::double_value(v);
}

class Reader {
 public:
  Reader(const std::string& option, const std::function<std::optional<ScalarType>(size_t)>& type_of, LoadedCase* out,
         std::vector<bundled::Value>* values)
      : option_(option), type_of_(type_of), out_(out), values_(values) {}

  Status word(const std::string& word) {
    for (const std::string_view kind : {"int", "float", "bool"}) {
      if (!word.starts_with(std::string(kind) + ":")) continue;
      const std::optional<bundled::Value> v = number(kind, word.substr(kind.size() + 1));
      if (!v) return usage(word);
      values_->push_back(*v);
      return {};
    }
    if (!word.ends_with(".npy") && !word.ends_with(".npz")) return usage(word);
    auto file = std::make_shared<MappedFile>();
    if (Status s = MappedFile::open(word, file.get()); !s.ok()) return s;
    out_->owners.push_back(file);
    if (word.ends_with(".npy")) return array(file->bytes(), word);
    std::unique_ptr<bundled::MemberStore> store;
    if (Status s = bundled::open_zip_store(file->bytes(), word, &store); !s.ok()) return s;
    for (const std::string& name : store->names()) {
      bundled::MemberBytes bytes;
      if (Status s = store->read(name, &bytes); !s.ok()) return s;
      if (bytes.owner != nullptr) out_->owners.push_back(bytes.owner);
      if (Status s = array(bytes.bytes, word + ": " + name); !s.ok()) return s;
    }
    return {};
  }

 private:
  Status usage(const std::string& word) const {
    return {Error::InvalidArgument, option_ + ": " + std::string(kForms) + ", got '" + word + "'"};
  }

  Status array(std::span<const uint8_t> bytes, const std::string& name) {
    std::optional<ScalarType> type = type_of_(values_->size());
    if (type && bundled::npy_knows(*type)) type.reset();
    bundled::NpyArray read;
    if (Status s = bundled::parse_npy(bytes, name, type, &read); !s.ok()) return s;
    std::shared_ptr<bundled::OwnedTensor> tensor = bundled::npy_tensor(read);
    values_->push_back(bundled::tensor_value(tensor->value));
    out_->owners.push_back(std::move(tensor));
    return {};
  }

  const std::string& option_;
  const std::function<std::optional<ScalarType>(size_t)>& type_of_;
  LoadedCase* out_;
  std::vector<bundled::Value>* values_;
};

}  // namespace

Status read_case_words(const std::string& words, const std::string& option,
                       const std::function<std::optional<ScalarType>(size_t)>& type_of, LoadedCase* out,
                       std::vector<bundled::Value>* values) {
  Reader reader(option, type_of, out, values);
  for (size_t at = 0; at < words.size();) {
    const size_t comma = std::min(words.find(',', at), words.size());
    if (Status s = reader.word(words.substr(at, comma - at)); !s.ok()) return s;
    at = comma + 1;
  }
  return {};
}

}  // namespace et::cli
