// Numbers of messages: so many significant digits, without an exponent.
#pragma once

#include <string>

namespace fdtd {

// "1420" of 1417.3 with three digits, "0.0213" of 0.021299; {:.3g} writes the first as 1.42e+03. From 1e-4 to 1e15 in
// size; beyond, and not finite, as {:g}.
std::string rounded_text(double value, int digits);

// The same, of the number of so many digits that is not below, or not above, the value.
std::string rounded_up_text(double value, int digits);
std::string rounded_down_text(double value, int digits);

}  // namespace fdtd
