import Foundation
import NIOCore

extension FolderContentStore {
  public func publish<Upload: AsyncSequence & Sendable>(
    _ upload: Upload, limitBytes: Int64, expecting expectation: ContentExpectation = .anything
  ) async throws -> StoredContent where Upload.Element == ByteBuffer {
    let file = try await threads.blocking { [folder, calls] in
      try UploadFile(in: folder.url, limitBytes: limitBytes, expecting: expectation, calls: calls)
    }
    do {
      for try await buffer in upload {
        try await threads.blocking { try file.append(buffer) }
      }
      // Many sequences end without an error when their task is cancelled. Then the file is incomplete.
      try Task.checkCancellation()
      return try await threads.blocking { [folder, calls] in
        let content = try file.settle()
        try folder.locked(.publishing) {
          // A sweep removes unreferenced files that are old. The last bytes may have been written long ago, so the file
          // gets the current date.
          guard calls.renew(file.path) == 0 else { throw ContentFolder.failure(folder.url.path) }
          // If this content is stored already, the rename replaces it. It then has the new date, and damaged content is
          // repaired.
          guard calls.rename(file.path, folder.path(of: content.digest)) == 0 else {
            throw ContentFolder.failure(folder.url.path)
          }
        }
        try folder.sync()
        return content
      }
    } catch {
      do {
        try await threads.blocking { file.discard() }
      } catch ContentStoreError.stopped {
        // A later sweep, or a server that later opens the folder, removes the file.
      }
      throw error
    }
  }

  public func renew(_ digest: ContentDigest) async throws -> Int64? {
    try await threads.blocking { [folder, calls] in
      // A sweep takes the same lock and checks the date. So either it sees the new date, or the file is already gone.
      try folder.locked(.publishing) {
        do {
          let content = try OpenedContent(digest, in: folder)
          guard calls.renew(folder.path(of: digest)) == 0 else { throw ContentFolder.failure(folder.url.path) }
          return content.size
        } catch ContentStoreError.missing {
          return nil
        }
      }
    }
  }
}
