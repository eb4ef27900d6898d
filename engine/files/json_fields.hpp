// The fields of a JSON document, described where they are written: a row names a field, its unit and its meaning, and
// reads the value from the object that the document is about; the type follows from the value. The same rows write the
// document and are its reference (`fdtd reference json`).
#pragma once

#include <array>
#include <concepts>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fdtd {

// A field in the reference.
struct JsonField {
  std::string path;  // "memory.state"; "results[].kernel" of each element of a list
  std::string
      type;  // "number", "whole number", "text", "true or false", "object", "three numbers", "list of texts", ...
  std::string unit;        // may be empty
  std::string when;        // in which documents the field is; empty: in all
  std::string about;       // one sentence
  bool elsewhere = false;  // another section of the reference describes it
};

using TextsByName = std::vector<std::pair<std::string, std::string>>;

namespace json_values {

inline std::string plural(const std::string& type) {
  if (type.starts_with("list of") || type.starts_with("three")) return "lists";
  if (const std::string_view end = " or null"; type.ends_with(end))
    return plural(type.substr(0, type.size() - end.size())) + " or nulls";
  return type + "s";
}

template <class V>
struct Optional : std::false_type {};
template <class V>
struct Optional<std::optional<V>> : std::true_type {};

template <class V>
inline constexpr bool is_three = false;
template <class V>
inline constexpr bool is_three<std::array<V, 3>> = true;

// The type of a value, in words.
template <class V>
std::string type_of() {
  if constexpr (std::same_as<V, bool>) {
    return "true or false";
  } else if constexpr (std::integral<V>) {
    return "whole number";
  } else if constexpr (std::floating_point<V>) {
    return "number";
  } else if constexpr (std::convertible_to<V, std::string_view>) {
    return "text";
  } else if constexpr (std::same_as<V, TextsByName>) {
    return "object of texts";
  } else if constexpr (Optional<V>::value) {
    return type_of<typename V::value_type>() + " or null";
  } else {
    return (is_three<V> ? "three " : "list of ") + plural(type_of<typename V::value_type>());
  }
}

template <class V>
nlohmann::ordered_json json_of(const V& value) {
  if constexpr (std::same_as<V, TextsByName>) {
    auto object = nlohmann::ordered_json::object();
    for (const auto& [name, text] : value) object[name] = text;
    return object;
  } else if constexpr (Optional<V>::value) {
    return value ? json_of(*value) : nlohmann::ordered_json(nullptr);
  } else if constexpr (std::is_arithmetic_v<V> || std::convertible_to<V, std::string_view>) {
    return value;
  } else {
    auto list = nlohmann::ordered_json::array();
    for (const auto& one : value) list.push_back(json_of(one));
    return list;
  }
}

}  // namespace json_values

// The fields of an object of JSON that is about an X, in the order in which they are written.
template <class X>
class JsonFields {
 public:
  using Json = nlohmann::ordered_json;

  // `get`: a member of X or a function of one. An empty std::optional is written as null.
  template <class Get>
  JsonFields& value(const char* name, const char* unit, const char* about, Get get) {
    using V = std::remove_cvref_t<std::invoke_result_t<Get, const X&>>;
    Row& row = add(name, json_values::type_of<V>(), unit, about);
    row.write = [name, get](Json& json, const X& x) { json[name] = json_values::json_of<V>(std::invoke(get, x)); };
    return *this;
  }

  // An object within this one; `get` returns a Y.
  template <class Y, class Get>
  JsonFields& object(const char* name, const char* about, const JsonFields<Y>& fields, Get get) {
    Row& row = add(name, "object", "", about);
    row.write = [name, fields, get](Json& json, const X& x) { json[name] = fields.write(std::invoke(get, x)); };
    row.inside = inside_of(fields, std::string(name) + ".");
    return *this;
  }

  // A list of objects; `get` returns a range of Ys.
  template <class Y, class Get>
  JsonFields& list(const char* name, const char* about, const JsonFields<Y>& fields, Get get) {
    Row& row = add(name, "list of objects", "", about);
    row.write = [name, fields, get](Json& json, const X& x) {
      Json& list = json[name] = Json::array();
      for (const Y& one : std::invoke(get, x)) list.push_back(fields.write(one));
    };
    row.inside = inside_of(fields, std::string(name) + "[].");
    return *this;
  }

  // The fields of a Y stand among these.
  template <class Y, class Get = std::identity>
  JsonFields& include(const JsonFields<Y>& fields, Get get = {}) {
    Row& row = rows_.emplace_back();
    row.write = [fields, get](Json& json, const X& x) { fields.write_into(json, std::invoke(get, x)); };
    row.inside = inside_of(fields, "");
    return *this;
  }

  // The last field is in documents for which `holds`; `when` says so in words, or is empty where a field before does.
  template <class Holds>
  JsonFields& only_if(const char* when, Holds holds) {
    rows_.back().field.when = when;
    rows_.back().write = [holds, write = std::move(rows_.back().write)](Json& json, const X& x) {
      if (std::invoke(holds, x)) write(json, x);
    };
    return *this;
  }
  // The last field, a list, has elements on this condition.
  JsonFields& elements(const char* when) {
    rows_.back().elements = when;
    return *this;
  }
  // Another section of the reference describes the fields inside of the last field.
  JsonFields& elsewhere() {
    rows_.back().elsewhere = true;
    return *this;
  }

  Json write(const X& x) const {
    Json json = Json::object();
    write_into(json, x);
    return json;
  }
  void write_into(Json& json, const X& x) const {
    for (const Row& row : rows_) row.write(json, x);
  }

  std::vector<JsonField> all() const {
    std::vector<JsonField> list;
    describe("", "", false, list);
    return list;
  }
  // Adds all fields with `prefix` before their names; those without a condition of their own are there `when`.
  void describe(const std::string& prefix, const std::string& when, bool elsewhere,
                std::vector<JsonField>& into) const {
    for (const Row& row : rows_) {
      JsonField field = row.field;
      if (field.when.empty()) field.when = when;
      field.elsewhere = elsewhere;
      if (!field.path.empty()) {
        into.push_back(field);
        into.back().path = prefix + field.path;
      }
      if (row.inside)
        row.inside(prefix, row.elements.empty() ? field.when : row.elements, elsewhere || row.elsewhere, into);
    }
  }

 private:
  using Inside = std::function<void(const std::string&, const std::string&, bool, std::vector<JsonField>&)>;
  struct Row {
    JsonField field = {};  // its path is a name; empty: the fields of an included object
    std::function<void(Json&, const X&)> write = {};
    Inside inside = {};
    std::string elements = {};
    bool elsewhere = false;
  };

  // Member by member: where memory ends in a braced list of these members, GCC 12 destroys some of them twice.
  Row& add(const char* name, std::string type, const char* unit, const char* about) {
    Row& row = rows_.emplace_back();
    row.field.path = name;
    row.field.type = std::move(type);
    row.field.unit = unit;
    row.field.about = about;
    return row;
  }

  template <class Y>
  static Inside inside_of(const JsonFields<Y>& fields, const std::string& below) {
    return [fields, below](const std::string& prefix, const std::string& when, bool elsewhere,
                           std::vector<JsonField>& into) { fields.describe(prefix + below, when, elsewhere, into); };
  }

  std::vector<Row> rows_;
};

// A document that is a list of objects.
template <class X>
nlohmann::ordered_json json_list(const JsonFields<X>& fields, const std::vector<X>& objects) {
  auto list = nlohmann::ordered_json::array();
  for (const X& one : objects) list.push_back(fields.write(one));
  return list;
}

}  // namespace fdtd
