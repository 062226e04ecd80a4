#include "erasure/memory/memory_body.h"

#include <algorithm>
#include <utility>

#include "erasure/base/check.h"

namespace mote {

bool ByteBudget::take(std::uint64_t bytes) noexcept {
  std::uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > bytes_max_ || used > bytes_max_ - bytes) {
      return false;
    }
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  return true;
}

void ByteBudget::give_back(std::uint64_t bytes) noexcept {
  used_.fetch_sub(bytes, std::memory_order_relaxed);
}

Result<Charge> Charge::take(const std::shared_ptr<ByteBudget>& budget, std::uint64_t bytes) {
  if (!budget->take(bytes)) {
    return {Errc::no_space, "memory.charge"};
  }
  return Charge(budget, bytes);
}

Charge::Charge(Charge&& other) noexcept
    : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}

Charge& Charge::operator=(Charge&& other) noexcept {
  if (this != &other) {
    release();
    budget_ = std::move(other.budget_);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

Charge Charge::split(std::uint64_t bytes) {
  MOTE_CHECK(bytes <= bytes_);
  bytes_ -= bytes;
  return {budget_, bytes};
}

Status Charge::resize(const std::shared_ptr<ByteBudget>& budget, std::uint64_t bytes) {
  if (bytes > bytes_) {
    if (!budget->take(bytes - bytes_)) {
      return {Errc::no_space, "memory.charge"};
    }
    budget_ = budget;
  } else if (bytes < bytes_) {
    budget_->give_back(bytes_ - bytes);
  }
  bytes_ = bytes;
  return ok();
}

void Charge::release() noexcept {
  if (budget_ && bytes_ > 0) {
    budget_->give_back(bytes_);
  }
  bytes_ = 0;
}

void StoredBytes::append(Slice slice) {
  if (slice.size() == 0) {
    return;
  }
  ends_.push_back(size() + slice.size());
  slices_.push_back(std::move(slice));
}

void StoredBytes::append(const StoredBytes& other) {
  for (const Slice& slice : other.slices_) {
    append(slice);
  }
}

Slice StoredBytes::whole() const {
  if (slices_.empty()) {
    return {};
  }
  return range(0, static_cast<std::size_t>(size()));
}

Slice StoredBytes::range(std::uint64_t offset, std::size_t count) const {
  MOTE_CHECK(count > 0 && offset < size() && count <= size() - offset);
  const auto found = std::upper_bound(ends_.begin(), ends_.end(), offset);
  auto index = static_cast<std::size_t>(found - ends_.begin());
  auto inside = static_cast<std::size_t>(offset - (index == 0 ? 0 : ends_[index - 1]));
  if (count <= slices_[index].size() - inside) {
    return slices_[index].sub(inside, count);
  }
  Buffer joined(count);
  for (std::size_t filled = 0; filled < count; ++index, inside = 0) {
    const std::size_t piece = std::min(count - filled, slices_[index].size() - inside);
    std::memcpy(joined.data() + filled, slices_[index].bytes.data() + inside, piece);
    filled += piece;
  }
  return std::move(joined).share();
}

void StoredBytes::join(const std::shared_ptr<ByteBudget>& budget) {
  if (pieces() <= 1) {
    return;
  }
  Result<Charge> charge = Charge::take(budget, size());
  if (!charge) {
    return;
  }
  Buffer joined(static_cast<std::size_t>(size()));
  std::size_t filled = 0;
  for (const Slice& slice : slices_) {
    std::memcpy(joined.data() + filled, slice.bytes.data(), slice.size());
    filled += slice.size();
  }
  slices_.clear();
  ends_.clear();
  append(charged_slice(std::move(joined), *std::move(charge)));
}

Slice charged_slice(Buffer bytes, Charge charge) {
  struct Block {
    Buffer bytes;
    Charge charge;
  };
  auto block = std::make_shared<Block>(Block{std::move(bytes), std::move(charge)});
  const ByteView view = block->bytes.view();
  return {view, std::move(block)};
}

Status MemorySink::take(Buffer bytes) {
  if (stop_.stop_requested()) {
    return Errc::cancelled;
  }
  if (failed_ || bytes.size() > announced_ - stored_.size()) {
    return {Errc::invalid_argument, "memory.append"};
  }
  if (!bytes.empty()) {
    Charge share = charge_.split(bytes.size());
    stored_.append(charged_slice(std::move(bytes), std::move(share)));
  }
  return ok();
}

void MemorySink::append(Buffer bytes, Completion<void> done) {
  Status taken = take(std::move(bytes));
  failed_ = failed_ || !taken;
  done(std::move(taken));
}

Result<StoredBytes> MemorySink::finish() && {
  if (failed_ || stored_.size() != announced_) {
    return {Errc::invalid_argument, "memory.sink"};
  }
  return std::move(stored_);
}

void MemoryReader::read(std::uint64_t offset, std::size_t count, Completion<Slice> done) {
  if (stop_.stop_requested()) {
    done(Errc::cancelled);
    return;
  }
  done(bytes_->range(offset, count));
}

}  // namespace mote
