#include "erasure/set/open_drive.h"

namespace mote::erasure {

std::shared_ptr<OpenDrive> share_drive(std::unique_ptr<OpenDrive> drive,
                                       std::shared_ptr<Executor> reaper) {
  return {drive.release(), [reaper = std::move(reaper)](OpenDrive* last) {
            // A raw pointer: a task that the executor drops must not close the drive on this
            // thread.
            reaper->post([last, closed = last->closed] {
              std::unique_ptr<OpenDrive>(last).reset();
              closed->set();
            });
          }};
}

}  // namespace mote::erasure
