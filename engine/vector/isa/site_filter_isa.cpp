// The filters of wall sites apart from the field, compiled once an instruction set, which FDTD_ISA names. Up to most_known
// branches are compiled for their number, so that their states stay in registers.
#include "engine/vector/isa/branch_vectors.hpp"
#include "engine/vector/site_filter_code.hpp"

#ifndef FDTD_ISA
#define FDTD_ISA baseline
#endif

namespace fdtd::cpu {
namespace {

template <class T>
using Whole = Simd<T, T, 64>;
constexpr std::ptrdiff_t most_known = 4;

// The branches of a law; Known: their number, or 0.
template <class T, int Known>
struct Branches {
  using L = Whole<T>;
  using V = typename L::V;
  using Equation = VectorEquation<T>;
  static constexpr std::ptrdiff_t room = Known > 0 ? Known : most_filtered_branches, lanes = filter_lanes<T>;
  const std::ptrdiff_t count;
  LawCoefficients<T> law;
  BranchCoefficients<T> rules[room];  // copies that no store can change
  BranchValues<V> state[room];

  FDTD_INLINE std::ptrdiff_t number() const { return Known > 0 ? Known : count; }

  FDTD_INLINE Branches(const FilteredLaw<T>& of, const T* from) : count(of.branches), law(*of.law) {
    for (std::ptrdiff_t b = 0; b < number(); ++b) {
      rules[b] = of.rules[b];
      state[b] = load_branch<L>(from + 2 * b * lanes, lanes);
    }
  }
  FDTD_INLINE void store(T* to) const {
    for (std::ptrdiff_t b = 0; b < number(); ++b) store_branch<L>(to + 2 * b * lanes, lanes, state[b]);
  }
  // A step; returns the pressure across the branches.
  FDTD_INLINE V step(V input) {
    V pull[room];
    pull[0] = Equation::pull(rules[0], state[0]);
    BranchSums<V> sums = Equation::first(rules[0], pull[0], state[0]);
    for (std::ptrdiff_t b = 1; b < number(); ++b) {
      pull[b] = Equation::pull(rules[b], state[b]);
      Equation::add(sums, rules[b], pull[b], state[b]);
    }
    const V p = Equation::pressure(law, sums, input);
    for (std::ptrdiff_t b = 0; b < number(); ++b)
      Equation::step(rules[b], pull[b], p, T{1}, state[b], [](double, V) __attribute__((always_inline)){});
    return p;
  }
};

// One chain of steps waits for each of its instructions: two go side by side.
template <class T, int Known>
void advance_some(const FilteredLaw<T>& of, const FilterCourse<T>& one, const FilterCourse<T>& other,
                  std::ptrdiff_t steps) {
  using B = Branches<T, Known>;
  using L = Whole<T>;
  B first(of, one.state), second(of, other.state);
  const std::ptrdiff_t apart = 2 * first.number() * B::lanes, next = apart + B::lanes;
  for (std::ptrdiff_t n = 0; n < steps; ++n) {
    const auto p = first.step(L::load(one.delta + n * B::lanes)), q = second.step(L::load(other.delta + n * B::lanes));
    if (one.course == nullptr) continue;
    first.store(one.course + n * next);
    L::store(one.course + n * next + apart, p);
    second.store(other.course + n * next);
    L::store(other.course + n * next + apart, q);
  }
  first.store(one.state);
  second.store(other.state);
}

template <class T>
FDTD_INLINE void add_to(double* sums, typename Whole<T>::V values) {
  T all[filter_lanes<T>];
  Whole<T>::store(all, values);
  for (std::ptrdiff_t l = 0; l < filter_lanes<T>; ++l) sums[l] += static_cast<double>(all[l]);
}

template <class T, int Known>
void correlate_some(std::ptrdiff_t branches, const T* course, const T* answers, const T* mean, std::ptrdiff_t steps,
                    T* pressure, double* sums) {
  constexpr std::ptrdiff_t room = Known > 0 ? Known : most_filtered_branches, lanes = filter_lanes<T>;
  using L = Whole<T>;
  using V = typename L::V;
  const std::ptrdiff_t number = Known > 0 ? Known : branches, apart = 2 * number * lanes, next = apart + lanes;
  BranchTerms<V> by_branch[room];
  for (std::ptrdiff_t b = 0; b < number; ++b) by_branch[b] = {V{}, V{}, V{}};
  V by_inertance{}, by_admittance{}, by_weight{};
  V last = L::load(pressure), before = L::load(pressure + lanes);  // p' of two steps
  for (std::ptrdiff_t m = 0; m < steps; ++m) {
    const T *const then = course + (steps - 1 - m) * next, *const here = answers + m * next;
    const V p = L::load(here + apart), now = before + (p + p);
    before = last, last = now;
    V flow{}, flow_then{};
    for (std::ptrdiff_t b = 0; b < number; ++b) {
      const auto [V_then, G_then] = load_branch<L>(then + 2 * b * lanes, lanes);
      const auto [V_here, G_here] = load_branch<L>(here + 2 * b * lanes, lanes);
      by_branch[b].D += V_then * V_here;
      by_branch[b].E += V_then * G_here;
      by_branch[b].F += G_then * G_here;
      flow = b == 0 ? V_here : flow + V_here;
      flow_then = b == 0 ? V_then : flow_then + V_then;
    }
    by_inertance += flow_then * flow;
    by_admittance += L::load(then + apart) * now;
    by_weight += flow_then * L::load(mean + m * lanes);
  }
  L::store(pressure, last);
  L::store(pressure + lanes, before);
  for (std::ptrdiff_t b = 0; b < number; ++b, sums += 3 * lanes) {
    add_to<T>(sums, by_branch[b].D);
    add_to<T>(sums + lanes, by_branch[b].E);
    add_to<T>(sums + 2 * lanes, by_branch[b].F);
  }
  add_to<T>(sums, by_inertance);
  add_to<T>(sums + lanes, by_admittance);
  add_to<T>(sums + 2 * lanes, by_weight);
}

template <class T>
void advance(const FilteredLaw<T>& of, const FilterCourse<T>& one, const FilterCourse<T>& other, std::ptrdiff_t steps) {
  constexpr decltype(&advance_some<T, 0>) by_number[] = {advance_some<T, 0>, advance_some<T, 1>, advance_some<T, 2>,
                                                         advance_some<T, 3>, advance_some<T, 4>};
  by_number[of.branches <= most_known ? of.branches : 0](of, one, other, steps);
}

template <class T>
void correlate(std::ptrdiff_t branches, const T* course, const T* answers, const T* mean, std::ptrdiff_t steps,
               T* pressure, double* sums) {
  constexpr decltype(&correlate_some<T, 0>) by_number[] = {
      correlate_some<T, 0>, correlate_some<T, 1>, correlate_some<T, 2>, correlate_some<T, 3>, correlate_some<T, 4>};
  by_number[branches <= most_known ? branches : 0](branches, course, answers, mean, steps, pressure, sums);
}

// ---- samples

inline constexpr std::ptrdiff_t nodes_ahead = 128 / 4;  // that the next calls read

template <class T>
void read_samples(const WallRows<T>& rows, std::ptrdiff_t steps, T* delta, T* mean) {
  using L = Whole<T>;
  constexpr std::ptrdiff_t lanes = filter_lanes<T>;
  const T* at = rows.values;
  auto before = L::load(at), now = L::load(at + rows.row);
  at += 2 * rows.row;
  for (std::ptrdiff_t n = 0; n < steps; ++n, at += rows.row) {
    __builtin_prefetch(at + nodes_ahead);
    const auto after = L::load(at);
    L::store(delta + n * lanes, (after - before) * static_cast<T>(0.5));
    if (mean != nullptr) L::store(mean + n * lanes, (after + now) * static_cast<T>(0.5));
    before = now, now = after;
  }
}

template <class T>
void read_f32(const WallRows<T>& rows, std::ptrdiff_t steps, T* delta) {
  constexpr std::ptrdiff_t lanes = filter_lanes<T>;
  const float* at = rows.f32;
  for (std::ptrdiff_t n = 0; n < steps; ++n, at += rows.row) {
    __builtin_prefetch(at + nodes_ahead);
    for (std::ptrdiff_t l = 0; l < lanes; ++l) delta[n * lanes + l] = static_cast<T>(at[l]);
  }
}

template <class T>
struct Integers {
  typedef std::int32_t Wide __attribute__((vector_size(filter_lanes<T> * sizeof(std::int32_t))));
  typedef std::int16_t Short __attribute__((vector_size(filter_lanes<T> * sizeof(std::int16_t))));
  typedef float Single __attribute__((vector_size(filter_lanes<T> * sizeof(float))));
};

template <class T>
void read_i16(const WallRows<T>& rows, std::ptrdiff_t steps, T* delta) {
  using L = Whole<T>;
  using V = typename L::V;
  constexpr std::ptrdiff_t lanes = filter_lanes<T>;
  const std::int16_t* at = rows.i16;
  V unit{};
  for (std::ptrdiff_t n = 0; n < steps; ++n, at += rows.row) {
    __builtin_prefetch(at + nodes_ahead);
    if (n % steps_of_scale == 0) {
      typename Integers<T>::Single scale;
      __builtin_memcpy(&scale, rows.scales + n / steps_of_scale * rows.row, sizeof scale);
      unit = __builtin_convertvector(scale, V);
    }
    typename Integers<T>::Short some;
    __builtin_memcpy(&some, at, sizeof some);
    L::store(delta + n * lanes, unit * __builtin_convertvector(some, V));
  }
}

template <class T>
void read(const WallRows<T>& rows, std::ptrdiff_t steps, T* delta, T* mean) {
  if (rows.values != nullptr) return read_samples(rows, steps, delta, mean);
  if (rows.f32 != nullptr) return read_f32(rows, steps, delta);
  read_i16(rows, steps, delta);
}

template <class T>
void keep_f32(const T* delta, std::ptrdiff_t steps, std::ptrdiff_t count, float* to, std::ptrdiff_t row) {
  for (std::ptrdiff_t n = 0; n < steps; ++n)
    for (std::ptrdiff_t l = 0; l < count; ++l) to[n * row + l] = static_cast<float>(delta[n * filter_lanes<T> + l]);
}

// The rest that rounding leaves of a sample is added to the next: the spectrum of the error then rises with frequency, as
// that of sound does not, and sums of samples, which move springs, stay right.
template <class T>
void keep_i16(const T* delta, std::ptrdiff_t steps, std::ptrdiff_t count, std::int16_t* to, float* scales,
              std::ptrdiff_t row) {
  using L = Whole<T>;
  using V = typename L::V;
  using Wide = typename Integers<T>::Wide;
  constexpr std::ptrdiff_t lanes = filter_lanes<T>;
  constexpr T largest_integer = 32766;  // one less: what was left of a sample comes on top
  const V zero{}, half = zero + static_cast<T>(0.5), most = zero + static_cast<T>(32767);
  V left{};
  for (std::ptrdiff_t first = 0; first < steps; first += steps_of_scale) {
    const std::ptrdiff_t end = first + steps_of_scale < steps ? first + steps_of_scale : steps;
    V largest = left < zero ? -left : left;
    for (std::ptrdiff_t n = first; n < end; ++n) {
      const V sample = L::load(delta + n * lanes), size = sample < zero ? -sample : sample;
      largest = size > largest ? size : largest;
    }
    const auto single = __builtin_convertvector(largest / largest_integer, typename Integers<T>::Single);
    const V unit = __builtin_convertvector(single, V);
    const V inverse = unit > zero ? static_cast<T>(1) / unit : zero;
    float units[lanes];
    __builtin_memcpy(units, &single, sizeof units);
    for (std::ptrdiff_t l = 0; l < count; ++l) scales[first / steps_of_scale * row + l] = units[l];
    for (std::ptrdiff_t n = first; n < end; ++n) {
      const V wanted = L::load(delta + n * lanes) + left;
      V rounded = wanted * inverse;
      rounded += rounded < zero ? -half : half;
      rounded = rounded > most ? most : rounded < -most ? -most : rounded;
      const auto integers = __builtin_convertvector(rounded, Wide);  // towards zero
      left = wanted - unit * __builtin_convertvector(integers, V);
      const auto some = __builtin_convertvector(integers, typename Integers<T>::Short);
      if (count == lanes) {
        __builtin_memcpy(to + n * row, &some, sizeof some);
      } else {
        for (std::ptrdiff_t l = 0; l < count; ++l) to[n * row + l] = some[l];
      }
    }
  }
}

template <class T>
SiteFilterCode<T> code() {
  return {read<T>, keep_f32<T>, keep_i16<T>, advance<T>, correlate<T>};
}

}  // namespace

namespace FDTD_ISA {
SiteFilterCode<float> site_filter_code_f32() { return code<float>(); }
SiteFilterCode<double> site_filter_code_f64() { return code<double>(); }
}  // namespace FDTD_ISA

}  // namespace fdtd::cpu
