#include "engine/backend/backend.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace fdtd {

Energy sum_of(const std::vector<Energy>& layers) {
  Energy sum;
  for (const Energy& layer : layers) {
    sum.stored += layer.stored;
    sum.injected += layer.injected;
    sum.dissipated += layer.dissipated;
  }
  return sum;
}

std::vector<std::byte>& State::array(StatePart part) {
  return const_cast<std::vector<std::byte>&>(std::as_const(*this).array(part));
}

const std::vector<std::byte>& State::array(StatePart part) const {
  switch (part) {
    case StatePart::u_now:
      return u_now;
    case StatePart::u_before:
      return u_before;
    default:
      return value_at(branches, branch_value(part));
  }
}

std::vector<std::byte> State::values(StatePart part, std::uint64_t first, std::uint64_t count) const {
  if (read) return read(part, first, count);
  const std::size_t value = precision == Precision::f32 ? sizeof(float) : sizeof(double);
  const std::vector<std::byte>& all = array(part);
  if ((first + count) * value > all.size()) throw Error(Status::file, "the state does not fit the plan");
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first * value);
  return {begin, begin + static_cast<std::ptrdiff_t>(count * value)};
}

void State::require(StatePart part, std::uint64_t count) const {
  const std::size_t value = precision == Precision::f32 ? sizeof(float) : sizeof(double);
  if (!read && array(part).size() != count * value)
    throw Error(Status::file, part == StatePart::u_now || part == StatePart::u_before
                                  ? "the state does not fit the plan's grid"
                                  : "the state's wall branches do not fit the plan");
}

State Backend::state() const {
  const auto whole = std::make_shared<State>();
  save(*whole);
  State state;
  state.precision = whole->precision;
  state.step = whole->step;
  state.injected = whole->injected;
  state.dissipated = whole->dissipated;
  state.read = [whole](StatePart part, std::uint64_t first, std::uint64_t count) {
    return whole->values(part, first, count);
  };
  return state;
}

void Backend::lacks(const char* function) const {
  throw std::logic_error("the backend \"" + describe() + "\" has no " + function + "()");
}

}  // namespace fdtd
