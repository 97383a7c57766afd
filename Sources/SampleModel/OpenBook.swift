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
public enum BookError: CustomerFacingError, Hashable, Sendable {
  case notOwned(String)
  /// The book is paid for, but not delivered completely.
  case onItsWay(String)
  /// No book is open.
  case notOpen

  public var description: String {
    switch self {
    case .notOwned(let product): "\(product) is not owned. Buy it, or restore purchases."
    case .onItsWay(let product): "\(product) is paid for, but not delivered completely."
    case .notOpen: "No book is open."
    }
  }

  public func customerMessage(_ names: CustomerNames) -> String {
    switch self {
    case .notOwned(let product): "You do not own \(names.product(product)). Buy it, or restore your purchases."
    case .onItsWay(let product):
      "You have paid for \(names.product(product)), but its download has not finished. Open it when it has."
    case .notOpen: "No book is open."
    }
  }
}
