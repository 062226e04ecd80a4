#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "erasure/base/buffer.h"
#include "erasure/base/result.h"
#include "erasure/store.h"

namespace mote {

/// The store's byte cap (INV-12). Thread-safe. Shared by all charges, which may outlive the store.
class ByteBudget {
 public:
  explicit ByteBudget(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

  /// False, and nothing taken, if `bytes` do not fit.
  [[nodiscard]] bool take(std::uint64_t bytes) noexcept;
  void give_back(std::uint64_t bytes) noexcept;
  [[nodiscard]] std::uint64_t used() const noexcept {
    return used_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t bytes_max() const noexcept { return bytes_max_; }

 private:
  const std::uint64_t bytes_max_;
  std::atomic<std::uint64_t> used_{0};
};

/// A share of the budget; gives it back when destroyed. Move-only.
class Charge {
 public:
  Charge() = default;
  /// no_space if it does not fit.
  [[nodiscard]] static Result<Charge> take(const std::shared_ptr<ByteBudget>& budget,
                                           std::uint64_t bytes);
  ~Charge() { release(); }
  Charge(Charge&& other) noexcept;
  Charge& operator=(Charge&& other) noexcept;

  /// Moves `bytes` of this share into a new one. REQUIRES bytes <= this->bytes().
  [[nodiscard]] Charge split(std::uint64_t bytes);
  /// Makes this share cover exactly `bytes`; no_space, and no change, if the growth does not fit.
  [[nodiscard]] Status resize(const std::shared_ptr<ByteBudget>& budget, std::uint64_t bytes);
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  Charge(std::shared_ptr<ByteBudget> budget, std::uint64_t bytes)
      : budget_(std::move(budget)), bytes_(bytes) {}
  void release() noexcept;

  std::shared_ptr<ByteBudget> budget_;
  std::uint64_t bytes_ = 0;
};

/// The immutable bytes of an object or a part: the buffers as they arrived, never copied together
/// unless the whole is small enough to be handed out in one piece.
class StoredBytes {
 public:
  StoredBytes() = default;

  void append(Slice slice);
  void append(const StoredBytes& other);
  [[nodiscard]] std::uint64_t size() const noexcept { return ends_.empty() ? 0 : ends_.back(); }
  /// All bytes in one slice: no copy when they are in one piece already.
  [[nodiscard]] Slice whole() const;
  /// Bytes [offset, offset + count): no copy when they lie in one piece. REQUIRES the range within.
  [[nodiscard]] Slice range(std::uint64_t offset, std::size_t count) const;
  [[nodiscard]] std::size_t pieces() const noexcept { return slices_.size(); }
  /// Joins the pieces of a small object once, so that whole() never has to; stays as it is if the
  /// budget does not allow the copy.
  void join(const std::shared_ptr<ByteBudget>& budget);

 private:
  std::vector<Slice> slices_;        // none is empty
  std::vector<std::uint64_t> ends_;  // offset past the end of each
};

/// A buffer and its charge under one owner: the charge is given back when the last slice goes.
Slice charged_slice(Buffer bytes, Charge charge);

/// Takes a body of exactly the announced size, whose charge it holds from the start.
class MemorySink final : public BodySink {
 public:
  MemorySink(Charge charge, std::uint64_t bytes_announced, std::stop_token stop)
      : charge_(std::move(charge)), announced_(bytes_announced), stop_(std::move(stop)) {}

  /// Also invalid_argument for more bytes than were announced.
  void append(Buffer bytes, Completion<void> done) override;
  [[nodiscard]] std::uint64_t bytes() const override { return stored_.size(); }
  /// The bytes, if all announced ones came and no append failed; invalid_argument otherwise.
  [[nodiscard]] Result<StoredBytes> finish() &&;

 private:
  [[nodiscard]] Status take(Buffer bytes);

  Charge charge_;
  const std::uint64_t announced_;
  const std::stop_token stop_;
  StoredBytes stored_;
  bool failed_ = false;
};

/// Reads shared bytes, which it keeps alive.
class MemoryReader final : public ObjectReader {
 public:
  MemoryReader(std::shared_ptr<const StoredBytes> bytes, std::stop_token stop)
      : bytes_(std::move(bytes)), stop_(std::move(stop)) {}
  void read(std::uint64_t offset, std::size_t count, Completion<Slice> done) override;

 private:
  const std::shared_ptr<const StoredBytes> bytes_;
  const std::stop_token stop_;
};

}  // namespace mote
