#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "erasure/base/result.h"
#include "erasure/base/unique_function.h"
#include "server/async/task.h"

namespace mote {

namespace detail {

/// Meeting point of an engine operation and the coroutine that waits for it.
template <class T>
class EngineCallState {
 public:
  /// Any thread, once. Wakes the waiter on its own executor.
  void finish(Result<T> result) {
    result_.emplace(std::move(result));
    if (stage_.exchange(Stage::done, std::memory_order_acq_rel) == Stage::waiting) {
      resume_();
    }
  }
  [[nodiscard]] bool done() const { return stage_.load(std::memory_order_acquire) == Stage::done; }
  /// The waiter's thread, at most once. `resume` posts the coroutine to its executor.
  void wait(Task resume) {
    resume_ = std::move(resume);
    Stage expected = Stage::running;
    if (!stage_.compare_exchange_strong(expected, Stage::waiting, std::memory_order_acq_rel)) {
      resume_();
    }
  }
  Result<T> take() { return std::move(*result_); }

 private:
  enum class Stage : std::uint8_t { running, waiting, done };
  std::atomic<Stage> stage_{Stage::running};
  std::optional<Result<T>> result_;
  Task resume_;
};

}  // namespace detail

/// Starts an engine operation and waits for it: the one place where completions become coroutines.
/// `start` is called at once with the Completion<T> to hand over. When the operation finishes
/// inside start (a cache hit, the memory store), nothing is posted and the coroutine goes straight
/// on; otherwise it resumes on its own io_context. `start` must not be a temporary that refers to
/// temporaries.
template <class T, class Start>
Async<Result<T>> engine_call(Start start) {
  auto state = std::make_shared<detail::EngineCallState<T>>();
  start(Completion<T>([state](Result<T> result) { state->finish(std::move(result)); }));
  if (!state->done()) {
    const IoExecutor executor = co_await asio::this_coro::executor;
    constexpr asio::use_awaitable_t<IoExecutor> token{};
    co_await asio::async_initiate<const asio::use_awaitable_t<IoExecutor>, void()>(
        [](auto handler, std::shared_ptr<detail::EngineCallState<T>> waiting, IoExecutor where) {
          waiting->wait(
              Task([where, kept = std::make_shared<decltype(handler)>(std::move(handler))] {
                asio::post(where, [kept] { std::move (*kept)(); });
              }));
        },
        token, state, executor);
  }
  co_return state->take();
}

}  // namespace mote
