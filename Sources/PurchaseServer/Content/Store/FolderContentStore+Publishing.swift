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
      // Many sequences simply end when their task is cancelled; what came until then is not the file.
      try Task.checkCancellation()
      return try await threads.blocking { [folder, calls] in
        let content = try file.settle()
        try folder.locked(.publishing) {
          // Its last bytes may have come long ago. Also over the same content: its date begins anew for the sweep, and what
          // was damaged is whole again.
          guard calls.renew(file.path) == 0 else { throw ContentFolder.failure(folder.url.path) }
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
        // The next server to open the folder removes it.
      }
      throw error
    }
  }

  public func renew(_ digest: ContentDigest) async throws -> Int64? {
    try await threads.blocking { [folder, calls] in
      // Under the lock a sweep takes, which looks at the date again: it is either new before that, or the file is gone.
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
