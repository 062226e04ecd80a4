#include "tests/sim/file_content.h"

#include <algorithm>
#include <cstring>

namespace mote::sim {
namespace {

/// Versions of a page kept between two syncs, the durable and the current one not counted.
constexpr std::size_t kOlderMax = 4;

bool all_zero(ByteView bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

std::size_t FileContent::read(std::uint64_t offset, ByteSpan out) const {
  if (offset >= size_) {
    return 0;
  }
  const std::size_t total =
      static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size_ - offset));
  for (std::size_t done = 0; done < total;) {
    const std::uint64_t at = offset + done;
    const std::size_t within = static_cast<std::size_t>(at % kPageBytes);
    const std::size_t count = std::min(kPageBytes - within, total - done);
    if (const PagePtr source = page(at / kPageBytes)) {
      std::memcpy(out.data() + done, source->data() + within, count);
    } else {
      std::memset(out.data() + done, 0, count);
    }
    done += count;
  }
  return total;
}

void FileContent::write(std::uint64_t offset, ByteView data, std::uint64_t sequence) {
  if (data.empty()) {
    return;
  }
  last_ = LastWrite{offset, data.size(), size_, sequence};
  for (std::size_t done = 0; done < data.size();) {
    const std::uint64_t at = offset + done;
    const std::size_t within = static_cast<std::size_t>(at % kPageBytes);
    const std::size_t count = std::min(kPageBytes - within, data.size() - done);
    const ByteView piece = data.subspan(done, count);
    const PagePtr old = page(at / kPageBytes);
    done += count;
    if ((!old || count == kPageBytes) && all_zero(piece)) {
      write_page(at / kPageBytes, nullptr);
      continue;
    }
    auto next = std::make_shared<Page>();
    if (count < kPageBytes && old) {
      *next = *old;
    }
    std::memcpy(next->data() + within, piece.data(), count);
    write_page(at / kPageBytes, std::move(next));
  }
  size_ = std::max(size_, offset + data.size());
}

void FileContent::resize(std::uint64_t bytes) {
  if (bytes < size_) {
    shrink(bytes);
  }
  size_ = bytes;
  lowest_size_ = std::min(lowest_size_, size_);
}

void FileContent::shrink(std::uint64_t bytes) {
  const std::uint64_t whole_from = (bytes + kPageBytes - 1) / kPageBytes;
  std::vector<std::uint64_t> gone;
  for (const auto& each : pages_) {
    if (each.first >= whole_from) {
      gone.push_back(each.first);
    }
  }
  for (const std::uint64_t index : gone) {
    write_page(index, nullptr);
  }
  for (auto at = dirty_.lower_bound(whole_from); at != dirty_.end(); ++at) {
    at->second.older.clear();
    at->second.cut_off = true;
  }
  const std::size_t within = static_cast<std::size_t>(bytes % kPageBytes);
  const PagePtr last = within == 0 ? nullptr : page(bytes / kPageBytes);
  if (!last) {
    return;
  }
  const auto zero_tail = [&](const Page& from) {
    auto cut = std::make_shared<Page>(from);
    std::fill(cut->begin() + static_cast<std::ptrdiff_t>(within), cut->end(), std::byte{0});
    return cut;
  };
  write_page(bytes / kPageBytes, zero_tail(*last));
  Dirty& dirty = dirty_[bytes / kPageBytes];
  dirty.older.clear();
  dirty.older.push_back(dirty.durable ? zero_tail(*dirty.durable) : nullptr);
  dirty.cut_off = true;
}

void FileContent::sync() {
  dirty_.clear();
  durable_size_ = size_;
  lowest_size_ = size_;
  last_.reset();
}

void FileContent::fail_sync(bool evict) {
  for (auto& [index, dirty] : dirty_) {
    // A truncation is metadata and gets through; the file system does not bring the bytes back.
    PagePtr durable = dirty.durable;
    if (dirty.cut_off) {
      durable = dirty.older.empty() ? nullptr : dirty.older.front();
    }
    if (evict) {
      set_page(index, durable);
    } else {
      undone_[index] = durable;
    }
  }
  dirty_.clear();
  durable_size_ = std::min(durable_size_, lowest_size_);
  last_.reset();
}

void FileContent::cut(Rng& rng, CutMode mode, bool tear) {
  for (const auto& [index, durable] : undone_) {
    set_page(index, durable);
  }
  undone_.clear();
  switch (mode) {
    case CutMode::drop_all:
      for (const auto& [index, dirty] : dirty_) {
        set_page(index, dirty.durable);
      }
      size_ = durable_size_;
      break;
    case CutMode::keep_all:
      break;
    case CutMode::random:
      cut_random(rng);
      break;
    case CutMode::torn_last_write:
      if (tear && last_) {
        tear_last_write(rng);
      }
      break;
  }
  trim_to_size();
  sync();
}

void FileContent::cut_random(Rng& rng) {
  if (!has_unsynced()) {
    return;
  }
  Cut cut;
  cut.truncated = lowest_size_ < durable_size_ && rng.below(2) == 0;
  cut.keep_of_16 = 1 + static_cast<unsigned>(rng.below(15));
  for (const auto& [index, dirty] : dirty_) {
    set_page(index, survivor(rng, dirty, page(index), cut));
  }
  size_ = surviving_size(rng, cut);
}

FileContent::PagePtr FileContent::survivor(Rng& rng, const Dirty& dirty, const PagePtr& current,
                                           const Cut& cut) const {
  if (dirty.cut_off && !cut.truncated) {
    return dirty.durable;
  }
  std::vector<PagePtr> versions;
  if (!dirty.cut_off) {
    versions.push_back(dirty.durable);
  }
  versions.insert(versions.end(), dirty.older.begin(), dirty.older.end());
  versions.push_back(current);
  if (rng.below(16) < cut.keep_of_16) {
    return current;
  }
  PagePtr base = versions[static_cast<std::size_t>(rng.below(versions.size()))];
  if (rng.below(4) != 0) {
    return base;
  }
  auto torn = std::make_shared<Page>();  // value-initialised: zeros
  for (std::size_t at = 0; at < kPageBytes; at += kSectorBytes) {
    const PagePtr from = versions[static_cast<std::size_t>(rng.below(versions.size()))];
    if (from) {
      std::memcpy(torn->data() + at, from->data() + at, kSectorBytes);
    }
  }
  return torn;
}

std::uint64_t FileContent::surviving_size(Rng& rng, const Cut& cut) const {
  const std::uint64_t base = cut.truncated ? lowest_size_ : durable_size_;
  if (size_ <= base) {
    return base;
  }
  switch (rng.below(4)) {
    case 0:
      return base;
    case 1:
      return base + rng.below(size_ - base + 1);
    default:
      return size_;
  }
}

void FileContent::tear_last_write(Rng& rng) {
  const std::uint64_t end = last_->offset + last_->bytes;
  const std::uint64_t first = last_->offset / kSectorBytes;
  const std::uint64_t sectors = (end + kSectorBytes - 1) / kSectorBytes - first;
  const std::uint64_t surely_lost = first + rng.below(sectors);
  for (std::uint64_t sector = first; sector < first + sectors; ++sector) {
    if (sector != surely_lost && rng.below(2) == 0) {
      continue;
    }
    const std::uint64_t index = sector * kSectorBytes / kPageBytes;
    const auto found = dirty_.find(index);
    if (found == dirty_.end()) {
      continue;  // zeros over zeros
    }
    const Dirty& dirty = found->second;
    const PagePtr before = dirty.older.empty() ? dirty.durable : dirty.older.back();
    const PagePtr now = page(index);
    auto torn = std::make_shared<Page>();
    if (now) {
      *torn = *now;
    }
    const std::size_t at = static_cast<std::size_t>(sector * kSectorBytes % kPageBytes);
    if (before) {
      std::memcpy(torn->data() + at, before->data() + at, kSectorBytes);
    } else {
      std::memset(torn->data() + at, 0, kSectorBytes);
    }
    set_page(index, std::move(torn));
  }
  if (last_->size_before < size_ && rng.below(2) == 0) {
    size_ = last_->size_before + rng.below(size_ - last_->size_before + 1);
  }
}

void FileContent::damage(std::uint64_t offset, std::byte mask) {
  const std::uint64_t index = offset / kPageBytes;
  auto next = std::make_shared<Page>();
  if (const PagePtr old = page(index)) {
    *next = *old;
  }
  (*next)[static_cast<std::size_t>(offset % kPageBytes)] ^= mask;
  set_page(index, std::move(next));
}

std::uint64_t FileContent::missing_pages(std::uint64_t offset, std::uint64_t bytes) const {
  std::uint64_t missing = 0;
  const std::uint64_t end = (offset + bytes + kPageBytes - 1) / kPageBytes;
  for (std::uint64_t index = offset / kPageBytes; index < end; ++index) {
    missing += pages_.contains(index) ? 0U : 1U;
  }
  return missing;
}

FileContent::PagePtr FileContent::page(std::uint64_t index) const {
  const auto found = pages_.find(index);
  return found == pages_.end() ? nullptr : found->second;
}

void FileContent::set_page(std::uint64_t index, PagePtr page) {
  if (page) {
    pages_[index] = std::move(page);
  } else {
    pages_.erase(index);
  }
}

void FileContent::write_page(std::uint64_t index, PagePtr next) {
  PagePtr old = page(index);
  const auto undone = undone_.find(index);
  if (!old && !next && undone == undone_.end()) {
    return;  // zeros over zeros; if the page is dirty, its versions stay as they are
  }
  const auto [at, fresh] = dirty_.try_emplace(index);
  Dirty& dirty = at->second;
  if (fresh) {
    dirty.durable = old;
    if (undone != undone_.end()) {
      dirty.durable = undone->second;
      undone_.erase(undone);
    }
  } else if (dirty.older.size() < kOlderMax) {
    dirty.older.push_back(std::move(old));
  } else {
    // Forget one in the middle; the newest is needed to tear the last write.
    dirty.older[index % (kOlderMax - 1)] = std::move(dirty.older.back());
    dirty.older.back() = std::move(old);
  }
  set_page(index, std::move(next));
}

void FileContent::trim_to_size() {
  const std::size_t within = static_cast<std::size_t>(size_ % kPageBytes);
  const std::uint64_t whole_from = (size_ + kPageBytes - 1) / kPageBytes;
  std::erase_if(pages_, [&](const auto& each) { return each.first >= whole_from; });
  const PagePtr last = within == 0 ? nullptr : page(size_ / kPageBytes);
  if (last) {
    auto cut = std::make_shared<Page>(*last);
    std::fill(cut->begin() + static_cast<std::ptrdiff_t>(within), cut->end(), std::byte{0});
    set_page(size_ / kPageBytes, std::move(cut));
  }
}

}  // namespace mote::sim
