// The cost of a sanitizer: a build with one takes longer and more memory, and tests that bound either allow for it by
// these factors.
#pragma once

namespace fdtd::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

inline constexpr double times_seconds = sanitized ? 20.0 : 1.0;
inline constexpr int times_memory = sanitized ? 8 : 1;

}  // namespace fdtd::test
