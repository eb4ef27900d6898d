#include "engine/adjoint/wall_history.hpp"

#include <algorithm>
#include <utility>

namespace fdtd {
namespace {

constexpr std::size_t beyond = SiteFilters<float>::lanes;  // of rows, that filters read

std::int64_t scale_rows(std::int64_t steps) { return (steps + cpu::steps_of_scale - 1) / cpu::steps_of_scale; }

template <class Value>
Values<Value> padded(std::size_t count) {
  Values<Value> values = untouched<Value>(count + beyond);
  std::fill_n(values.get() + count, beyond, Value{});
  return values;
}

}  // namespace

std::int64_t history_bytes(HistoryFormat format, Precision precision, std::int64_t places, std::int64_t states,
                           std::int64_t steps) {
  const auto allocated = [](std::int64_t values, std::size_t bytes) {
    return static_cast<std::int64_t>(cpu::allocated_bytes((static_cast<std::size_t>(values) + beyond) * bytes));
  };
  const std::size_t value = precision == Precision::f32 ? sizeof(float) : sizeof(double);
  const std::int64_t before = states * static_cast<std::int64_t>(value);
  if (format == HistoryFormat::i16)
    return allocated(places * steps, sizeof(std::int16_t)) + allocated(places * scale_rows(steps), sizeof(float)) +
           before;
  if (format == HistoryFormat::f32 && precision == Precision::f64)
    return allocated(places * steps, sizeof(float)) + before;
  return allocated(places * (steps + 2), value) + before;
}

template <class T>
Values<T> rows_of(std::size_t places, std::int64_t steps) {
  return padded<T>(places * static_cast<std::size_t>(steps + 2));
}

template <class T>
WallHistory<T>::WallHistory(HistoryFormat format, std::size_t places, std::int64_t steps, const std::vector<T>& before)
    : row_(static_cast<std::ptrdiff_t>(places)), before_(before) {
  if (format == HistoryFormat::i16) {
    i16_ = padded<std::int16_t>(places * static_cast<std::size_t>(steps));
    scales_ = padded<float>(places * static_cast<std::size_t>(scale_rows(steps)));
  } else if (format == HistoryFormat::f32 && sizeof(T) > sizeof(float)) {
    f32_ = padded<float>(places * static_cast<std::size_t>(steps));
  } else {
    rows_ = rows_of<T>(places, steps);
  }
}

template <class T>
KeptDeltas WallHistory<T>::deltas() {
  return {f32_.get(), i16_.get(), scales_.get(), row_};
}

template <class T>
cpu::WallRows<T> WallHistory<T>::read() const {
  return {rows_.get(), f32_.get(), i16_.get(), scales_.get(), row_};
}

template class WallHistory<float>;
template class WallHistory<double>;
template Values<float> rows_of(std::size_t, std::int64_t);
template Values<double> rows_of(std::size_t, std::int64_t);

}  // namespace fdtd
