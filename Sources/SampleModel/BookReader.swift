import Foundation
import PurchaseKit

/// Reads books on a background queue, because they may be large. The content is verified each time it is read.
struct BookReader: Sendable {
  let library: ContentLibrary
  let entitlements: EntitlementManager

  /// Opens a book after all its files are verified.
  ///
  /// - Throws: ``BookError``; `ContentError`.
  func open(_ productIdentifier: String) async throws -> OpenBook {
    try await elsewhere { [library, entitlements] in
      guard try entitlements.isEntitled(to: productIdentifier) else { throw BookError.notOwned(productIdentifier) }
      guard let version = try library.current(of: productIdentifier) else {
        throw ContentError.notDelivered(productIdentifier: productIdentifier)
      }
      for file in version.files { _ = try library.verifiedFile(named: file.name, in: productIdentifier) }
      return OpenBook(
        productIdentifier: productIdentifier, version: version.version, files: version.files.map(\.name))
    }
  }

  /// Returns the content of a file of a book.
  ///
  /// - Throws: ``BookError`` if the book is no longer owned; `ContentError`.
  func data(_ file: String, of productIdentifier: String) async throws -> Data {
    try await elsewhere { [library, entitlements] in
      guard try entitlements.isEntitled(to: productIdentifier) else { throw BookError.notOwned(productIdentifier) }
      return try library.data(named: file, in: productIdentifier)
    }
  }

  /// Runs `work` on a dispatch queue. Reading blocks, so it must not use a thread of Swift's concurrency pool.
  private func elsewhere<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
    }
  }
}
