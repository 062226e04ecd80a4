#include "server/auth/credentials.h"

#include <utility>

#include "server/digest/hmac.h"

namespace mote::auth {

namespace {

std::uint64_t next_version() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void wipe(std::string& text) {
  digest::cleanse(text.data(), text.size());
  text.clear();
}

}  // namespace

Secret::Secret(std::string text) noexcept : text_(std::move(text)) {
  digest::cleanse(text.data(), text.size());  // a short string is copied by a move, not handed over
}

Secret::~Secret() {
  wipe(text_);
}

Secret::Secret(Secret&& other) noexcept : text_(std::move(other.text_)) {
  wipe(other.text_);
}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this != &other) {
    wipe(text_);
    text_ = std::move(other.text_);
    wipe(other.text_);
  }
  return *this;
}

CredentialSnapshot::CredentialSnapshot(std::vector<Credential> credentials) {
  for (Credential& credential : credentials) {
    std::string access_key = credential.identity.access_key;
    by_key_.insert_or_assign(std::move(access_key), std::move(credential));
  }
}

const Credential* CredentialSnapshot::find(std::string_view access_key) const noexcept {
  const auto found = by_key_.find(access_key);
  return found == by_key_.end() ? nullptr : &found->second;
}

const Identity* CredentialSnapshot::find_user(std::string_view user_id) const noexcept {
  for (const auto& [key, credential] : by_key_) {
    if (credential.identity.user_id == user_id) {
      return &credential.identity;
    }
  }
  return nullptr;
}

const Identity* CredentialSnapshot::find_email(std::string_view email) const noexcept {
  for (const auto& [key, credential] : by_key_) {
    if (!email.empty() && credential.identity.email == email) {
      return &credential.identity;
    }
  }
  return nullptr;
}

CredentialStore::CredentialStore(std::vector<Credential> credentials) {
  replace(std::move(credentials));
}

void CredentialStore::replace(std::vector<Credential> credentials) {
  auto next = std::make_shared<const CredentialSnapshot>(std::move(credentials));
  const std::lock_guard lock(mutex_);
  snapshot_ = std::move(next);
  version_.store(next_version(), std::memory_order_release);
}

std::shared_ptr<const CredentialSnapshot> CredentialStore::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

}  // namespace mote::auth
