// read_checkpoint, read_result and render: files of ours as a forger makes them, with other names, values, shapes and
// elements and every checksum right again. The fuzzer's bytes are not the file but the changes to one: a file that is
// changed at random fails at its checksum, and bytes never become a deep structure.
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "engine/checkpoint/checkpoint.hpp"
#include "engine/files/checksum.hpp"
#include "engine/files/h5_index.hpp"
#include "engine/responses/render.hpp"
#include "engine/results/result.hpp"
#include "tests/fuzz/file_of.hpp"

namespace {

using fdtd::H5Index;

// The fuzzer's bytes, from the front; zeros after their end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  bool empty() const { return left_ == 0; }
  std::uint8_t one() { return left_ == 0 ? std::uint8_t{0} : (--left_, *data_++); }
  template <class T>
  T number() {
    T value{};
    auto* const to = reinterpret_cast<std::uint8_t*>(&value);
    for (std::size_t i = 0; i < sizeof value; ++i) to[i] = one();
    return value;
  }
  std::size_t below(std::size_t count) { return count == 0 ? 0 : number<std::uint16_t>() % count; }
  std::string text() {
    std::string made(one() % 32, ' ');
    for (char& c : made) c = static_cast<char>(one());
    return made;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

struct Base {
  std::string image;
  H5Index index;
};

Base base_of(const std::string& bytes) {
  const std::uint64_t length = fdtd::word_at(bytes.data() + bytes.size() - 24);
  const std::string_view unsealed(bytes.data(), bytes.size() - fdtd::seal_bytes);
  const auto end = static_cast<std::size_t>(length);
  return {std::string(unsealed.substr(0, end)), fdtd::read_index(unsealed.substr(end), length)};
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// A result whose responses lie in arrays.
std::string many_responses() {
  fdtd::Result result;
  fdtd::Recording& recording = result.recording;
  recording.sample_rate = 8000.0;
  recording.samples = 4;
  recording.sources = {"S"};
  recording.energy.resize(1);
  result.source_positions = {{1, 1, 1}};
  for (std::size_t r = 0; r <= fdtd::max_single_responses; ++r) {
    recording.receivers.push_back(std::to_string(r));
    result.receiver_positions.push_back({1, 2, 3});
    recording.pressure.insert(recording.pressure.end(), {0.0, 1.0, -0.5, 0.1});
  }
  result.rendered = fdtd::render(recording, result.options);
  fdtd::FigureTableMaker figures(recording.receivers.size());
  result.figures = figures.finish();
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("fdtd-forged-" + std::to_string(::getpid()) + ".h5");
  fdtd::write_result(file, result, true);
  std::string bytes = bytes_of(file);
  std::filesystem::remove(file);
  return bytes;
}

const std::vector<Base>& bases() {
  static const std::vector<Base> all = [] {
    const std::filesystem::path folder = FDTD_FORGED_FROM;
    std::vector<Base> made;
    for (const char* name : {"f32.h5", "f64.h5", "result.h5"}) made.push_back(base_of(bytes_of(folder / name)));
    made.push_back(base_of(many_responses()));
    return made;
  }();
  return all;
}

template <class Map>
auto at(Map& map, std::size_t i) {
  return std::next(map.begin(), static_cast<std::ptrdiff_t>(i));
}

void rename_one(H5Index& index, Bytes& bytes) {
  const bool group = (bytes.one() & 1U) != 0;
  const std::string from = group && !index.groups.empty() ? *at(index.groups, bytes.below(index.groups.size()))
                           : !index.arrays.empty()        ? at(index.arrays, bytes.below(index.arrays.size()))->first
                                                          : "/";
  const std::string to = from.substr(0, from.find_last_of('/') + 1) + bytes.text();
  const auto renamed = [&](const std::string& path) {
    return path == from || path.starts_with(from + "/") ? to + path.substr(from.size()) : path;
  };
  H5Index other;
  for (const auto& one : index.groups) other.groups.insert(renamed(one));
  for (const auto& [path, array] : index.arrays) other.arrays[renamed(path)] = array;
  for (const auto& [key, value] : index.values) other.values[{renamed(key.first), key.second}] = value;
  index = std::move(other);
}

// Another value of the same kind, or of another.
void change_value(H5Index& index, Bytes& bytes) {
  if (index.values.empty()) return;
  fdtd::StoredValue& value = at(index.values, bytes.below(index.values.size()))->second;
  const std::size_t kind = (bytes.one() & 3U) == 0 ? bytes.below(5) : value.index();
  switch (kind) {
    case 0:
      value = bytes.number<double>();
      break;
    case 1:
      value = bytes.number<std::int64_t>();
      break;
    case 2: {
      auto* const list = std::get_if<std::vector<double>>(&value);
      std::vector<double> numbers = list != nullptr ? *list : std::vector<double>(bytes.one() % 8);
      if (!numbers.empty()) numbers[bytes.below(numbers.size())] = bytes.number<double>();
      value = numbers;
      break;
    }
    case 3:
      value = bytes.text();
      break;
    default: {
      auto* const list = std::get_if<std::vector<std::string>>(&value);
      std::vector<std::string> texts = list != nullptr ? *list : std::vector<std::string>(bytes.one() % 8);
      if (!texts.empty()) texts[bytes.below(texts.size())] = bytes.text();
      value = texts;
    }
  }
}

void change_array(H5Index& index, std::string& image, Bytes& bytes) {
  if (index.arrays.empty()) return;
  fdtd::StoredArray& array = at(index.arrays, bytes.below(index.arrays.size()))->second;
  const std::uint8_t how = bytes.one();
  if ((how & 3U) == 0) {
    if (!array.shape.empty()) array.shape[bytes.below(array.shape.size())] = bytes.number<std::int16_t>();
    return;
  }
  std::uint64_t size = 0;
  if (!fdtd::count_bytes(array, size) || size == 0 || array.offset + size > image.size()) return;
  const std::size_t width = fdtd::bytes_of(array.type);
  const std::size_t place =
      static_cast<std::size_t>(array.offset) + width * (bytes.number<std::uint32_t>() % (size / width));
  for (std::size_t i = 0; i < width; ++i) image[place + i] = static_cast<char>(bytes.one());
}

void erase_one(H5Index& index, Bytes& bytes) {
  const std::size_t i = bytes.number<std::uint16_t>();
  const std::uint8_t what = bytes.one() % 3;
  if (what == 0 && !index.groups.empty()) index.groups.erase(at(index.groups, i % index.groups.size()));
  if (what == 1 && !index.arrays.empty()) index.arrays.erase(at(index.arrays, i % index.arrays.size()));
  if (what == 2 && !index.values.empty()) index.values.erase(at(index.values, i % index.values.size()));
}

// Any bytes are what they claim to be or an error of status file; a result that is taken can be rendered, or not for a
// reason that is stated.
void read_both(const std::filesystem::path& file) {
  try {
    const fdtd::CheckpointLabel label = fdtd::read_checkpoint_label(file);
    fdtd::read_checkpoint(file, label);
  } catch (const fdtd::Error& error) {
    if (error.status != fdtd::Status::file) std::abort();
  }
  std::optional<fdtd::Result> result;
  try {
    result = fdtd::read_result(file);
    for (const auto* channels : {&result->recording.sources, &result->recording.receivers})
      for (const std::string& name : channel_names(*channels))
        if (!fdtd::is_printable(name)) std::abort();
  } catch (const fdtd::Error& error) {
    if (error.status != fdtd::Status::file) std::abort();
  }
  if (!result || result->recording.pressure.size() > 100000) return;
  try {
    fdtd::render(result->recording, result->options);
  } catch (const fdtd::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  Base forged = bases()[bytes.below(bases().size())];
  for (int changes = 0; changes < 8 && !bytes.empty(); ++changes) switch (bytes.one() % 8) {
      case 0:
        rename_one(forged.index, bytes);
        break;
      case 1:
        erase_one(forged.index, bytes);
        break;
      case 2:
      case 3:
      case 4:
        change_array(forged.index, forged.image, bytes);
        break;
      default:
        change_value(forged.index, bytes);
    }
  try {
    const std::string sealed = forged.image + fdtd::index_and_seal(forged.image, forged.index);
    read_both(fdtd::test::file_of(sealed.data(), sealed.size()));
  } catch (const std::invalid_argument&) {  // an array beyond the file's end, or two that overlap
  }
  return 0;
}
