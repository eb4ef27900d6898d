// A document of measurements on standard output: its provenance, then a row a line, each shown on standard error as it is
// made.
#pragma once

#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace fdtd::bench {

inline std::string today() {
  const std::time_t now = std::time(nullptr);
  std::string day(16, '\0');
  day.resize(std::strftime(day.data(), day.size(), "%Y-%m-%d", std::gmtime(&now)));
  return day;
}

inline std::string command_line(const std::string& program, int argc, char** argv) {
  std::string command = program;
  for (int i = 1; i < argc; ++i) command += fmt::format(" {}", argv[i]);
  return command;
}

// The values of a list with commas.
template <class Value>
std::vector<Value> words(const std::string& list) {
  std::vector<Value> all;
  std::istringstream stream(list);
  for (std::string one; std::getline(stream, one, ',');) {
    std::istringstream each(one);
    Value value{};
    each >> value;
    all.push_back(value);
  }
  return all;
}

class RowsDocument {
 public:
  explicit RowsDocument(const nlohmann::ordered_json& provenance) : text_(provenance.dump(1)) {
    text_.resize(text_.size() - 2);  // "\n}"
    text_ += ",\n \"rows\": [";
  }
  void add(const std::vector<nlohmann::ordered_json>& rows) {
    for (const nlohmann::ordered_json& row : rows) {
      fmt::print(stderr, "{}\n", row.dump());
      text_ += (first_ ? "\n  " : ",\n  ") + row.dump();
      first_ = false;
    }
  }
  void print() const { fmt::print("{}\n ]\n}}\n", text_); }

 private:
  std::string text_;
  bool first_ = true;
};

}  // namespace fdtd::bench
