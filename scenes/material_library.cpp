#include "scenes/material_library.hpp"

#include <stdexcept>

#include "scenes/data/materials_text.hpp"
#include "scenes/document.hpp"

namespace fdtd {
namespace {

const Value& member(const Value& table, const char* key) {
  const Entry* const entry = table.find(key);
  if (entry == nullptr) throw std::logic_error(std::string("the material library lacks ") + key);
  return entry->value;
}

std::vector<double> numbers(const Value& list) {
  std::vector<double> values;
  for (const Value& item : list.items) values.push_back(item.real);
  return values;
}

std::vector<LibraryMaterial> read_library() {
  Problem problem;
  const auto root = read_toml(materials_text, problem);
  if (!root) throw std::logic_error("the material library cannot be read: " + problem.message);
  const Value &bands = member(*root, "bands"), &sources = member(*root, "sources");
  const std::vector<double> centres = numbers(bands);
  std::vector<LibraryMaterial> library;
  for (const Entry& entry : member(*root, "materials").entries) {
    LibraryMaterial one;
    one.name = entry.key;
    one.about = member(entry.value, "about").text;
    one.source = member(sources, member(entry.value, "source").text.c_str()).text;
    one.alpha = numbers(member(entry.value, "alpha"));
    if (one.alpha.size() > centres.size()) throw std::logic_error("too many coefficients of " + one.name);
    one.bands.assign(centres.begin(), centres.begin() + static_cast<std::ptrdiff_t>(one.alpha.size()));
    library.push_back(std::move(one));
  }
  return library;
}

}  // namespace

const std::vector<LibraryMaterial>& material_library() {
  static const std::vector<LibraryMaterial> all = read_library();
  return all;
}

const LibraryMaterial* find_library_material(std::string_view name) {
  for (const LibraryMaterial& one : material_library())
    if (one.name == name) return &one;
  return nullptr;
}

}  // namespace fdtd
