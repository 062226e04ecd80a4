#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "erasure/base/bytes.h"
#include "erasure/base/error.h"
#include "erasure/meta/generations.h"
#include "erasure/meta/object.h"

namespace mote::metacache {

/// Names what an image is of. Views: valid while what they look at is.
struct ImageKey {
  std::uint64_t bucket_id = 0;
  std::string_view key;
  const VersionId* version = nullptr;  ///< null: the current version

  /// Of bucket and key alone: selects the generation stripe.
  [[nodiscard]] std::uint64_t key_hash() const noexcept {
    return GenerationTable::hash(bucket_id, key);
  }
};

/// What a reader of one object needs, ready to send. Immutable and shared: a reply may hold it for
/// as long as the client takes, whatever happens to the cache or the object meanwhile.
struct Image {
  enum class Kind : std::uint8_t {
    object,  ///< head, body and wire headers
    head,    ///< head and wire headers; the bytes are with the store
    absent,  ///< the answer is `absence`
  };

  std::uint64_t bucket_id = 0;
  std::string key;
  std::optional<VersionId> version;  ///< as asked for; nullopt: the current one
  std::uint64_t bucket_revision = 0;
  std::size_t stripe = 0;
  /// Even; taken before the store was read. The image is true while the stripe's generation is this
  /// one (INV-7).
  std::uint64_t generation = 0;

  Kind kind = Kind::absent;
  Errc absence = Errc::no_such_key;  ///< no_such_key or delete_marker
  std::shared_ptr<const ObjectHead> head;
  Slice body;                ///< of an object: all its bytes
  std::string wire_headers;  ///< what the renderer made of the head, opaque here

  [[nodiscard]] bool is_of(const ImageKey& wanted) const noexcept;
  /// Memory that the image keeps from being freed, with the cache's own overhead per entry.
  [[nodiscard]] std::uint64_t accounted_bytes() const noexcept;
};

/// Renders an object's header block once, when its image is made. Thread-safe; empty: none.
using RenderHeaders = std::function<std::string(const ObjectHead& head)>;

}  // namespace mote::metacache
