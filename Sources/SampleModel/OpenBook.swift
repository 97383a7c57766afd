import Foundation
import PurchaseKit

/// A book that the customer reads. All its files are of one version, and were verified.
public struct OpenBook: Hashable, Sendable {
  public let productIdentifier: String
  public let version: Int64
  /// The names of its files.
  public let files: [String]
}

/// Thrown when a book cannot be opened or read.
public enum BookError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  case notOwned(String)
  /// No book is open.
  case notOpen

  public var description: String {
    switch self {
    case .notOwned(let product): "\(product) is not owned. Buy it, or restore purchases."
    case .notOpen: "No book is open."
    }
  }

  public var errorDescription: String? { description }
}
