#pragma once

#include <cstdint>
#include <vector>

namespace mote::contract {

/// One finished operation on a register. Value 0 is "absent".
struct RegisterOp {
  enum class Kind : std::uint8_t {
    read,             ///< saw `value`
    write,            ///< wrote `value`
    write_if_absent,  ///< wrote `value` because it was absent
    refused,          ///< a write_if_absent that was refused: it was present
    erase,            ///< made it absent
  };
  Kind kind = Kind::read;
  std::uint64_t value = 0;
  std::uint64_t invoked = 0;  ///< a point in the one order of all calls and returns
  std::uint64_t returned = 0;
};

/// Is there an order of the operations, each at a point between its call and its return, that a
/// register which starts absent could have produced? Wing and Gong's search with Lowe's memo of
/// visited states (Lowe, "Testing for linearizability", 2017).
[[nodiscard]] bool is_linearizable(std::vector<RegisterOp> history);

}  // namespace mote::contract
