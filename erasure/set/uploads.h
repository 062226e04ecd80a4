#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "erasure/set/key_change.h"
#include "erasure/set/on_slots.h"
#include "erasure/set/put.h"
#include "erasure/store.h"

namespace mote::erasure {

/// All rows of one upload on one drive.
struct UploadRows {
  std::optional<UploadRecord> session;
  std::map<std::uint16_t, DecodedPart> parts;  ///< by number
};
/// Errors: corrupt, io_error.
Result<UploadRows> scan_upload(const Index& index, std::uint64_t bucket_id, const std::string& key,
                               const UploadId& upload);

[[nodiscard]] UploadInfo upload_info(std::string bucket, UploadRecord record);
[[nodiscard]] PartInfo part_info(const PartRecord& part);

/// Reads an upload on every readable drive; the first is what the drives that may be believed have.
struct UploadOnDrives {
  UploadRows trusted;
  std::vector<std::optional<UploadRows>> slots;  ///< by slot; nullopt where it could not be read
};
/// Errors: no_such_upload, read_quorum, corrupt.
void read_upload(SetContext& context, const std::shared_ptr<const Members>& members,
                 std::uint64_t bucket_id, const UploadRef& upload, Completion<UploadOnDrives> done);

/// A part's piece on one drive, if that drive has this very writing of it.
[[nodiscard]] const LocalExtent* find_local(const std::optional<UploadRows>& rows,
                                            const PartRecord& part);

/// Adds to `commit`: the rows of the upload go, and of its parts all but those in `kept` become
/// garbage.
void add_upload_removal(ComposedCommit& commit, std::uint64_t bucket_id, const UploadRef& upload,
                        const UploadOnDrives& rows, const std::map<std::uint16_t, bool>& kept);

void start_create_upload(const std::shared_ptr<SetContext>& context, CreateUploadRequest request,
                         Completion<UploadInfo> done);
void start_get_upload(const std::shared_ptr<SetContext>& context, UploadRef upload,
                      Completion<UploadInfo> done);
void start_abort_upload(const std::shared_ptr<SetContext>& context, UploadRef upload,
                        Completion<void> done);

/// UploadPart: final shard files, then one row.
class PartOperation : public std::enable_shared_from_this<PartOperation> {
 public:
  PartOperation(std::shared_ptr<SetContext> context, PutPartRequest request,
                Completion<PartInfo> done);
  void start(Body body);

 private:
  void on_stored(StoredBody body);
  void on_locked(LockedKey lock);
  void on_session();
  void on_old_rows(const SlotAnswers<Row>& rows);
  void finish(Result<PartInfo> result);

  const std::shared_ptr<SetContext> context_;
  const PutPartRequest request_;
  Completion<PartInfo> done_;
  std::optional<Gate::Ticket> ticket_;
  std::shared_ptr<const Members> members_;
  LockedKey lock_;
  StoredBody body_;
  PartRecord part_;
};

/// CompleteMultipartUpload: one commit that moves references.
class CompleteOperation : public std::enable_shared_from_this<CompleteOperation> {
 public:
  CompleteOperation(std::shared_ptr<SetContext> context, CompleteUploadRequest request,
                    Completion<PutResult> done);
  void start();

 private:
  void on_locked(LockedKey lock);
  void on_upload();
  [[nodiscard]] Status assemble();
  void on_head();
  void finish(Result<PutResult> result);

  const std::shared_ptr<SetContext> context_;
  const CompleteUploadRequest request_;
  Completion<PutResult> done_;
  std::optional<Gate::Ticket> ticket_;
  std::shared_ptr<KeyChange> change_;
  UploadOnDrives upload_;
  NewVersion version_;
};

}  // namespace mote::erasure
