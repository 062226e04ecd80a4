#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "erasure/base/check.h"
#include "erasure/base/result.h"

namespace mote {

template <class Signature>
class UniqueFunction;

/// A move-only callable (std::move_only_function is C++23). One allocation; empty after a move.
template <class R, class... Args>
class UniqueFunction<R(Args...)> {
 public:
  UniqueFunction() = default;
  template <class F>
  requires(!std::is_same_v<std::decay_t<F>, UniqueFunction> &&
           std::is_invocable_r_v<R, F&, Args...>)
      UniqueFunction(
          F&& f)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
      : holder_(std::make_unique<Holder<std::decay_t<F>>>(std::forward<F>(f))) {}

  R operator()(Args... args) {
    MOTE_CHECK(holder_ != nullptr);
    return holder_->call(std::forward<Args>(args)...);
  }
  explicit operator bool() const noexcept { return holder_ != nullptr; }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual R call(Args... args) = 0;
  };
  template <class F>
  struct Holder final : Base {
    explicit Holder(F f) : function(std::move(f)) {}
    R call(Args... args) override { return std::invoke(function, std::forward<Args>(args)...); }
    F function;
  };
  std::unique_ptr<Base> holder_;
};

/// A unit of work for an Executor.
using Task = UniqueFunction<void()>;

/// How every asynchronous engine operation ends: called exactly once, on any thread, possibly
/// before the starting call returns. It must not block and must not throw.
template <class T>
using Completion = UniqueFunction<void(Result<T>)>;

}  // namespace mote
