import Foundation
import PurchaseKit

/// Reads the books that are on the device, away from the queue it is asked on: they may be large, and each time what is read is
/// found to be what it must be.
struct BookReader: Sendable {
  let library: ContentLibrary
  let entitlements: EntitlementManager

  /// The book, all of which is here.
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

  /// What is in a file of a book.
  ///
  /// - Throws: ``BookError`` where it is no longer owned; `ContentError`.
  func data(_ file: String, of productIdentifier: String) async throws -> Data {
    try await elsewhere { [library, entitlements] in
      guard try entitlements.isEntitled(to: productIdentifier) else { throw BookError.notOwned(productIdentifier) }
      return try library.data(named: file, in: productIdentifier)
    }
  }

  /// Not on a thread of Swift's own pool either: reading blocks.
  private func elsewhere<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
    }
  }
}
