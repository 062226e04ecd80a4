#pragma once

#include <string>

#include <doctest/doctest.h>

#include "erasure/base/result.h"

// Checks on a Result or Status that print the error. The expression is evaluated once.

#define MOTE_RESULT_OK_(assertion, expression)                                                     \
  do {                                                                                             \
    const auto& check_result = (expression);                                                       \
    assertion(check_result.has_value(),                                                            \
              #expression << ": "                                                                  \
                          << (check_result.has_value() ? std::string("ok")                         \
                                                       : ::mote::describe(check_result.error()))); \
  } while (false)

#define CHECK_OK(expression) MOTE_RESULT_OK_(CHECK_MESSAGE, expression)
#define REQUIRE_OK(expression) MOTE_RESULT_OK_(REQUIRE_MESSAGE, expression)

#define MOTE_RESULT_ERR_(assertion, expression, wanted)                                            \
  do {                                                                                             \
    const auto& check_result = (expression);                                                       \
    assertion((!check_result.has_value() && check_result.error().code == (wanted)),                \
              #expression << ": "                                                                  \
                          << (check_result.has_value() ? std::string("ok")                         \
                                                       : ::mote::describe(check_result.error()))); \
  } while (false)

#define CHECK_ERR(expression, wanted) MOTE_RESULT_ERR_(CHECK_MESSAGE, expression, wanted)
#define REQUIRE_ERR(expression, wanted) MOTE_RESULT_ERR_(REQUIRE_MESSAGE, expression, wanted)
