#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "server/auth/signing_key.h"

namespace mote::auth {

/// Signing contexts by credential ("AK/20130524/us-east-1/s3/aws4_request"), a fixed number of
/// them: one per slot, newest wins. Filled only after a signature was right, so that a stranger
/// cannot empty it. One per thread; not thread-safe.
class ContextCache {
 public:
  /// Null unless it was put under the same version of the credential store. Wipes what is out of
  /// date.
  [[nodiscard]] std::shared_ptr<const SigningContext> find(std::uint64_t version,
                                                           std::string_view credential);
  void put(std::uint64_t version, std::string_view credential,
           std::shared_ptr<const SigningContext> context);
  /// The calling thread's.
  static ContextCache& of_this_thread();

 private:
  static constexpr std::size_t kSlots =
      64;  // more (key, region) pairs than one server's thread sees in a day

  struct Slot {
    std::uint64_t version = 0;
    std::string credential;
    std::shared_ptr<const SigningContext> context;
  };
  [[nodiscard]] Slot& slot(std::string_view credential) {
    return slots_[std::hash<std::string_view>{}(credential) % kSlots];
  }

  std::array<Slot, kSlots> slots_;
};

}  // namespace mote::auth
