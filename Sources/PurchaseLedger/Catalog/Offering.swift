import Foundation
import SignedData
import StoreModel

/// An ordered list of products that an app shows together, with metadata for the app. Documentation/offerings.md describes it.
public struct Offering: Hashable, Sendable {
  public let id: OfferingID
  /// In the order in which the app shows them: 1 to 100 different published products.
  public let products: [ProductID]
  /// A JSON object for the app, as text of at most 16,384 bytes. The server does not interpret it.
  public let metadata: String
  /// Whether it is the offering of an app that asks for no particular one. At most one offering of an app is.
  public let isCurrent: Bool

  /// The maximum size of ``metadata``, in bytes.
  static let mostMetadataBytes = 16 << 10
  /// The maximum number of an offering's products, and of an app's offerings.
  static let most = 100

  public init(id: OfferingID, products: [ProductID], metadata: String = "{}", isCurrent: Bool = false) {
    self.id = id
    self.products = products
    self.metadata = metadata
    self.isCurrent = isCurrent
  }

  /// Checks the offering's values. Whether the products are published is checked when it is stored.
  ///
  /// - Throws: ``LedgerError/invalid(_:)``, which describes the invalid value.
  func check() throws(LedgerError) {
    guard (1...Self.most).contains(products.count) else {
      throw .invalid("An offering has 1 to \(Self.most) products; \(id) has \(products.count).")
    }
    guard Set(products).count == products.count else { throw .invalid("The offering \(id) has a product twice.") }
    guard metadata.utf8.count <= Self.mostMetadataBytes else {
      throw .invalid(
        "The metadata of \(id) has \(metadata.utf8.count) bytes; at most \(Self.mostMetadataBytes) are stored.")
    }
    let json = Data(metadata.utf8)
    let document = try? BoundedJSON.object(from: json)
    guard document is [String: Any] else { throw .invalid("The metadata of \(id) is no JSON object.") }
    if let problem = JSONCheck.problem(in: json) { throw .invalid("The metadata of \(id) is refused: \(problem).") }
  }

  /// Whether both are stored as the same bytes. In contrast, `==` considers canonically equivalent metadata equal.
  func isStored(as other: Offering) -> Bool { self == other && metadata.hasBytes(of: other.metadata) }
}

/// An offering as operators see it.
public struct PublishedOffering: Hashable, Sendable {
  public let offering: Offering
  /// The products of the offering that are not listed. Apps do not get them.
  public let unlisted: Set<ProductID>
  /// When the offering was published last, or lost its place as the current one.
  public let changed: StoreDate

  /// The products that apps get, in the offering's order.
  public var listedProducts: [ProductID] { offering.products.filter { !unlisted.contains($0) } }
}
