#include "server/auth/context_cache.h"

#include <utility>

namespace mote::auth {

std::shared_ptr<const SigningContext> ContextCache::find(std::uint64_t version,
                                                         std::string_view credential) {
  Slot& entry = slot(credential);
  if (entry.credential != credential) {
    return nullptr;
  }
  if (entry.version != version) {
    entry = Slot{};
    return nullptr;
  }
  return entry.context;
}

void ContextCache::put(std::uint64_t version, std::string_view credential,
                       std::shared_ptr<const SigningContext> context) {
  Slot& entry = slot(credential);
  entry.version = version;
  entry.credential.assign(credential);
  entry.context = std::move(context);
}

ContextCache& ContextCache::of_this_thread() {
  static thread_local ContextCache cache;
  return cache;
}

}  // namespace mote::auth
