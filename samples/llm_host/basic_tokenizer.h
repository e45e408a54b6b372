// Words and tokens by a vocabulary in GPT-2's vocab.json: {"word":0, "\u0120word":1}, where U+0120 stands for a space
// before the word and U+010A for a line feed. Words are looked up whole; unknown ones are left out.
#pragma once

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

class BasicTokenizer {
 public:
  explicit BasicTokenizer(const std::string& file_path) {
    std::ifstream file(file_path);
    text_.assign(std::istreambuf_iterator<char>(file), {});
    if (text_.empty()) fail(file_path + ": cannot read");
    expect('{');
    while (peek() != '}') {
      std::string word = read_word();
      expect(':');
      peek();
      char* end = nullptr;
      const int64_t token = std::strtoll(text_.c_str() + at_, &end, 10);
      if (end == text_.c_str() + at_) fail("expected a number at byte " + std::to_string(at_));
      at_ = static_cast<size_t>(end - text_.c_str());
      words_[token] = word;
      tokens_[std::move(word)] = token;
      if (peek() != ',') break;
      ++at_;
    }
    expect('}');
  }

  std::vector<int64_t> encode(const std::string& prompt) const {
    std::vector<int64_t> result;
    size_t begin = 0;
    for (size_t i = 1; i <= prompt.size(); ++i) {
      if (i < prompt.size() && !starts_word(prompt, i)) continue;
      const auto it = tokens_.find(prompt.substr(begin, i - begin));
      if (it != tokens_.end()) {
        result.push_back(it->second);
      } else {
        std::cerr << "not in the vocabulary: " << prompt.substr(begin, i - begin) << "\n";
      }
      begin = i;
    }
    return result;
  }

  std::string decode(const std::vector<int64_t>& tokens) const {
    std::string result;
    for (const int64_t token : tokens) {
      const auto it = words_.find(token);
      if (it != words_.end()) result += it->second;
    }
    return result;
  }

 private:
  // A space belongs to the word behind it; punctuation stands alone.
  static bool starts_word(const std::string& s, size_t i) {
    const auto punctuation = [&](size_t k) { return std::ispunct(static_cast<unsigned char>(s[k])) != 0; };
    return s[i] == ' ' || punctuation(i) || punctuation(i - 1);
  }

  [[noreturn]] static void fail(const std::string& why) {
    std::cerr << "vocabulary: " << why << "\n";
    std::exit(1);
  }
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    if (at_ >= text_.size()) fail("unexpected end");
    return text_[at_];
  }
  void expect(char c) {
    if (peek() != c) fail(std::string("a ") + c + " is missing at byte " + std::to_string(at_));
    ++at_;
  }
  std::string read_word() {
    expect('"');
    std::string word;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        word += text_[at_++];
        continue;
      }
      const std::string_view escape = std::string_view(text_).substr(at_, 6);
      if (escape == "\\u0120" || escape == "\\u010a") {
        word += escape == "\\u0120" ? ' ' : '\n';
        at_ += 6;
      } else if (escape.substr(0, 2) == "\\u") {
        word += escape;  // another byte of GPT-2's alphabet: kept as it is written
        at_ += escape.size();
      } else {
        if (escape.size() < 2) fail("unexpected end");
        word += escape[1];
        at_ += 2;
      }
    }
    expect('"');
    return word;
  }

  std::string text_;
  size_t at_ = 0;
  std::unordered_map<std::string, int64_t> tokens_;
  std::unordered_map<int64_t, std::string> words_;
};
