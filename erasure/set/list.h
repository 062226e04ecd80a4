#pragma once

#include <cstdint>
#include <memory>

#include "erasure/drive/index.h"
#include "erasure/set/set_context.h"
#include "erasure/store.h"

namespace mote::erasure {

/// Keys without a visible object (markers, tombstones) that one page walks over before it ends
/// short.
inline constexpr std::uint64_t kHiddenEntriesMax = 100'000;

/// One page from one drive's index: O(page) seeks and steps, past common prefixes without reading
/// what is in them. `now_hidden` bounds the hidden entries (kHiddenEntriesMax, less in tests).
Result<ListPage> list_page(const Index& index, std::uint64_t bucket_id, const ListRequest& request,
                           std::uint64_t hidden_max);
Result<ListVersionsPage> list_versions_page(const Index& index, std::uint64_t bucket_id,
                                            const ListVersionsRequest& request,
                                            std::uint64_t hidden_max);
Result<ListUploadsPage> list_uploads_page(const Index& index, std::uint64_t bucket_id,
                                          const ListUploadsRequest& request);

// The same as operations of the set, on the drive that applies last (storage.md 3.4 step 7).
void start_list(const std::shared_ptr<SetContext>& context, ListRequest request,
                Completion<ListPage> done);
void start_list_versions(const std::shared_ptr<SetContext>& context, ListVersionsRequest request,
                         Completion<ListVersionsPage> done);
void start_list_uploads(const std::shared_ptr<SetContext>& context, ListUploadsRequest request,
                        Completion<ListUploadsPage> done);

}  // namespace mote::erasure
