#include "erasure/set/pin_table.h"

#include <cstring>

namespace mote::erasure {

std::size_t PinTable::UuidHash::operator()(const Uuid& uuid) const noexcept {
  std::size_t hash = 0;
  std::memcpy(&hash, uuid.data(), sizeof hash);  // random bytes already
  return hash;
}

PinTable::Pin& PinTable::Pin::operator=(Pin&& other) noexcept {
  if (this != &other) {
    release();
    table_ = std::exchange(other.table_, nullptr);
    files_ = std::move(other.files_);
  }
  return *this;
}

PinTable::Pin PinTable::pin(std::vector<Uuid> files) {
  Pin pin;
  {
    const std::lock_guard lock(mutex_);
    for (const Uuid& file : files) {
      ++pins_[file];
    }
  }
  pin.table_ = this;
  pin.files_ = std::move(files);
  return pin;
}

bool PinTable::is_pinned(const Uuid& file) const {
  const std::lock_guard lock(mutex_);
  return pins_.contains(file);
}

void PinTable::Pin::release() {
  PinTable* table = std::exchange(table_, nullptr);
  if (table == nullptr) {
    return;
  }
  const std::lock_guard lock(table->mutex_);
  for (const Uuid& file : files_) {
    const auto found = table->pins_.find(file);
    if (found != table->pins_.end() && --found->second == 0) {
      table->pins_.erase(found);
    }
  }
}

}  // namespace mote::erasure
