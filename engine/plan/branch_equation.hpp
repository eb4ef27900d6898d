// The equation of a wall's branch: its terms, state, coefficients, update and energy. In steps (D/T, E, F T), by the
// trapezoidal rule, with p the pressure drop across the branches of a law (boundary.hpp):
//   D (V+ - V-) + E (V+ + V-)/2 + F (G+ + G-)/2 = p,   G+ - G- = (V+ + V-)/2.
// So V+ = beta (pull + p) with beta = 1/(D + E/2 + F/4), pull = d V- - F G-, d = D - E/2 - F/4. Stored energy of a
// weight of 1: (D V^2 + F G^2)/2; dissipated in a step: E ((V+ + V-)/2)^2. Both are >= 0 for D, E, F >= 0.
//
// The reference, the vector code and the GPU compile these templates, each with its own Arithmetic:
//   multiply(a, b), multiply_add(a, b, c) = a b + c, less(c, a, b) = c - a b, difference(a, b, c, d) = a b - c d,
//   half(a), kept(a): a as the state keeps it.
//
// Vector code is compiled once an instruction set. All functions are inlined there, and its Arithmetic is local to the
// source: none of them is linked into code for another processor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define FDTD_BRANCH __host__ __device__ inline
#else
#define FDTD_BRANCH inline __attribute__((always_inline))
#endif

namespace fdtd {

// The terms of a branch, in steps: p = (D s + E + F/s) V.
template <class Value>
struct BranchTerms {
  Value D, E, F;
};
using LawBranch = BranchTerms<double>;
inline constexpr std::array<const char*, 3> branch_term_names = {"mass (D)", "resistance (E)", "stiffness (F)"};

template <class Function, class Terms>
FDTD_BRANCH void each_term(const Function& function, Terms& of) {
  function(of.D), function(of.E), function(of.F);
}

// At the frequency s of the trapezoidal rule, 2i tan(w/2).
template <class Number>
Number impedance(const LawBranch& branch, const Number& s) {
  return branch.D * s + branch.E + branch.F / s;
}

// The state of a branch: V, by which it takes part in the flow of its site, and G. A Value is a number, a vector of
// numbers, or what holds one for each branch: an array, a pointer to it.
template <class Value>
struct BranchValues {
  Value V, G;
};
inline constexpr std::size_t branch_state_size = 2;

// Calls function with the values of each kind in turn.
template <class Function, class... Values>
FDTD_BRANCH void each_value(const Function& function, Values&&... of) {
  function(of.V...), function(of.G...);
}
// The state that function(value) makes of each value.
template <class Function, class Value>
FDTD_BRANCH auto each_made(const Function& function, const BranchValues<Value>& of) {
  return BranchValues<decltype(function(of.V))>{function(of.V), function(of.G)};
}
template <class Value>
Value& value_at(BranchValues<Value>& of, std::size_t i) {
  return i == 0 ? of.V : of.G;
}
template <class Value>
const Value& value_at(const BranchValues<Value>& of, std::size_t i) {
  return i == 0 ? of.V : of.G;
}
// Of values that lie `apart` from one another, the first at `first`.
template <class Pointer>
FDTD_BRANCH BranchValues<Pointer> values_apart(Pointer first, std::ptrdiff_t apart) {
  return {first, first + apart};
}

// Coefficients as the update reads them, and the terms that they have exactly, for the energies.
template <class Value, class Exact = double>
struct BranchCoefficients {
  Value beta, d, F;
  BranchTerms<Exact> exact;
};
inline constexpr std::size_t branch_coefficients = 3;

template <class Function, class... Coefficients>
FDTD_BRANCH void each_coefficient(const Function& function, Coefficients&&... of) {
  function(of.beta...), function(of.d...), function(of.F...);
}

template <class Value>
struct LawCoefficients {
  Value A_part,
      W_part;  // W+ for u+ = u- is A_part A + W_part W-: 1/(1 + I beta) and I beta/(1 + I beta), I the inertance
  Value inertance, series;  // series = 1/(1 + I beta)
  double exact_inertance;
  std::uint32_t branch_begin, branch_end;  // of the branches of all laws
};

// A and W- of boundary.hpp at one site.
template <class Value>
struct BranchSums {
  Value A, W;
};

// q+ = scale (r + Q q-) - loss sum weight_s (h_s + W_s-) at a boundary node with the sites s, where h_s is W_s+ for
// q+ = q- and r = sum b_j r_j.
template <class Value>
struct NodeCoefficients {
  Value Q, scale, loss;
};

template <class Arithmetic>
struct BranchEquation {
  // d V - F G: the part of V+/beta that the state determines.
  template <class Coefficients, class Value>
  static FDTD_BRANCH Value pull(const Coefficients& branch, const BranchValues<Value>& state) {
    return Arithmetic::difference(branch.d, state.V, branch.F, state.G);
  }

  // The sums of a site with one branch, and with one more.
  template <class Coefficients, class Value>
  static FDTD_BRANCH BranchSums<Value> first(const Coefficients& branch, Value pull, const BranchValues<Value>& state) {
    return {Arithmetic::multiply(branch.beta, pull), state.V};
  }
  template <class Coefficients, class Value>
  static FDTD_BRANCH void add(BranchSums<Value>& sums, const Coefficients& branch, Value pull,
                              const BranchValues<Value>& state) {
    sums.A = Arithmetic::multiply_add(branch.beta, pull, sums.A);
    sums.W += state.V;
  }

  // h + W-: the part of the flow that is known before q+.
  template <class Law, class Value>
  static FDTD_BRANCH Value known_flow(const Law& law, const BranchSums<Value>& sums) {
    return Arithmetic::multiply_add(law.A_part, sums.A, Arithmetic::multiply(law.W_part, sums.W)) + sums.W;
  }

  // q+; read: r, known: the sum over the sites of weight times known_flow.
  template <class Node, class Value>
  static FDTD_BRANCH Value node_after(const Node& node, Value before, Value read, Value known) {
    return Arithmetic::multiply_add(node.scale, Arithmetic::multiply_add(node.Q, before, read),
                                    -Arithmetic::multiply(node.loss, known));
  }

  // The pressure drop across the branches of a site; half_moved: (q+ - q-)/2.
  template <class Law, class Value>
  static FDTD_BRANCH Value pressure(const Law& law, const BranchSums<Value>& sums, Value half_moved) {
    return Arithmetic::multiply(Arithmetic::less(half_moved, law.inertance, sums.A - sums.W), law.series);
  }

  // A step of a branch of a site of this weight. lost(E, power) adds E times power, the energy that it dissipates. The
  // values that are kept drive the branch: in f32 the balance of energy then closes to rounding.
  template <class Coefficients, class Value, class Weight, class Lost>
  static FDTD_BRANCH void step(const Coefficients& branch, Value pull, Value p, Weight weight,
                               BranchValues<Value>& state, const Lost& lost) {
    const Value after = Arithmetic::kept(Arithmetic::multiply(branch.beta, pull + p));
    const Value mean = Arithmetic::half(after + state.V);
    state.V = after;
    state.G = Arithmetic::kept(state.G + mean);
    lost(branch.exact.E, Arithmetic::multiply(weight, Arithmetic::multiply(mean, mean)));
  }
};

// The energy that the branches of a site store, over half of its weight.
struct SiteEnergy {
  double W = 0.0, of_branches = 0.0;
  FDTD_BRANCH void add(const LawBranch& branch, const BranchValues<double>& state) {
    W += state.V;
    of_branches += branch.D * state.V * state.V + branch.F * state.G * state.G;
  }
  FDTD_BRANCH double total(double inertance) const { return inertance * W * W + of_branches; }
};

}  // namespace fdtd
#undef FDTD_BRANCH
