import Foundation
import PurchaseKit

/// A book that is being read: whole, of one version, and verified.
public struct OpenBook: Hashable, Sendable {
  public let productIdentifier: String
  public let version: Int64
  /// The names of its files.
  public let files: [String]
}

/// Why a book was not opened.
public enum BookError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  case notOwned(String)
  /// There is nothing to read from.
  case notOpen

  public var description: String {
    switch self {
    case .notOwned(let product): "\(product) is not yours. Buy it, or restore your purchases."
    case .notOpen: "No book is open."
    }
  }

  public var errorDescription: String? { description }
}
