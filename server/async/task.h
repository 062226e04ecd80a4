#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace mote {

namespace asio = boost::asio;

/// All coroutines of the front end run on a concrete io_context executor: no type-erased executor,
/// no strand. One io_context per thread; a coroutine never changes thread.
using IoExecutor = asio::io_context::executor_type;

/// A coroutine of the front end. Rules that GCC 12 makes necessary: named functions only, never a
/// capturing lambda; parameters by value or references to what outlives the coroutine; no co_await
/// in ?:.
template <class T = void>
using Async = asio::awaitable<T, IoExecutor>;

/// Completion token of every awaited socket operation: `auto [ec, n] = co_await
/// socket.async_read_some(..., kAwait);`
inline constexpr auto kAwait = asio::as_tuple_t<asio::use_awaitable_t<IoExecutor>>{};

}  // namespace mote
