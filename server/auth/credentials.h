#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace mote::auth {

/// A secret text: wiped on destruction, not printable (no operator<<), not comparable. Copies are
/// explicit.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) noexcept;
  ~Secret();
  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&& other) noexcept;
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;

  [[nodiscard]] Secret clone() const { return Secret(text_); }
  /// The text itself, for computing a MAC; never for logs, errors or headers.
  [[nodiscard]] std::string_view reveal() const noexcept { return text_; }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

 private:
  std::string text_;
};

/// Who a request comes from.
struct Identity {
  std::string access_key;
  std::string user_id;  ///< canonical user id; what owns buckets and objects
  std::string display_name;
  std::string email;  ///< may be empty
};

struct Credential {
  Identity identity;
  Secret secret;
};

/// All credentials at one moment, by access key. Immutable; shared by whoever reads it.
class CredentialSnapshot {
 public:
  explicit CredentialSnapshot(std::vector<Credential> credentials);
  /// Null for an unknown key. Lives as long as the snapshot.
  [[nodiscard]] const Credential* find(std::string_view access_key) const noexcept;
  /// First credential of the user, null if none; for owner names in documents.
  [[nodiscard]] const Identity* find_user(std::string_view user_id) const noexcept;
  [[nodiscard]] const Identity* find_email(std::string_view email) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return by_key_.size(); }

 private:
  std::map<std::string, Credential, std::less<>> by_key_;
};

/// The server's credentials, replaceable while it runs. Thread-safe. A request uses the snapshot it
/// started with; caches keyed by version() notice a replacement with one atomic load.
class CredentialStore {
 public:
  CredentialStore() : CredentialStore(std::vector<Credential>{}) {}
  explicit CredentialStore(std::vector<Credential> credentials);
  void replace(std::vector<Credential> credentials);
  [[nodiscard]] std::shared_ptr<const CredentialSnapshot> snapshot() const;
  /// Unique over all stores and replacements in this process; never 0.
  [[nodiscard]] std::uint64_t version() const noexcept {
    return version_.load(std::memory_order_acquire);
  }

 private:
  mutable std::mutex mutex_;  // guards snapshot_
  std::shared_ptr<const CredentialSnapshot> snapshot_;
  std::atomic<std::uint64_t> version_{0};
};

}  // namespace mote::auth
