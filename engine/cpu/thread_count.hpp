// How many threads step a plan: as many as pay for their barriers, on this machine, now.
//
// A barrier takes microseconds on an idle machine. Where other programs compute, a thread that is not running makes all
// others wait for milliseconds, in every step: a small room on two threads then takes 20 to 80 times what it takes on
// one. So rooms whose steps are short try out, for some hundredths of a second, what that many threads reach. The number
// changes no result.
#pragma once

#include <functional>

#include "engine/plan/plan.hpp"

namespace fdtd::cpu {

// Seconds of one core with vectors for a step of the plan, about: by its weights.
double core_seconds(const Plan& plan);

// Seconds that a step of `core_seconds` takes in so many threads with a barrier after it.
using StepTrial = std::function<double(double core_seconds, int threads)>;
// Arithmetic of that length and the steppers' barrier, for some hundredths of a second.
double try_threads(double core_seconds, int threads);

// More programs want to compute than there are processors, by the system's load average.
bool busy_machine();

// At most `most`. One where the whole run takes little more than trying would; `most` where a step is long against any
// wait; else one on a busy machine, or the fastest of most, half of it, and so on in several trials by turns.
int threads_for(const Plan& plan, int most, bool busy = busy_machine(), const StepTrial& trial = try_threads);

}  // namespace fdtd::cpu
