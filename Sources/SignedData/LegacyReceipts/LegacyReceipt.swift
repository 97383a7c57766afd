import Foundation
import StoreModel

/// The contents of a legacy transaction receipt (`SKPaymentTransaction.transactionReceipt`, iOS 3 to 6): one purchase.
///
/// It is bound to a device only if it contains the vendor identifier of an installation. A value of this type may be
/// unverified; only `Verified<LegacyReceipt>` has a checked signature.
public struct LegacyReceipt: Hashable, Sendable {
  /// One entry of the signed `purchase-info`.
  public struct Field: Hashable, Sendable {
    /// The name of the entry, such as `product-id`.
    public let key: String
    /// The value as text, also for numbers and dates.
    public let value: String

    /// - Parameters:
    ///   - key: the name of the entry, such as `product-id`.
    ///   - value: the value as text.
    public init(key: String, value: String) {
      self.key = key
      self.value = value
    }
  }

  /// All signed entries, in their order.
  public let fields: [Field]
  /// The transaction id, `transaction-id`.
  public let transactionID: TransactionID
  /// The original transaction id; ``transactionID`` if it is missing.
  public let originalTransactionID: TransactionID
  /// The product that was bought.
  public let productID: ProductID
  /// The bundle id of the app.
  public let bundleID: BundleID
  /// The purchase date. The certificate must be valid at this date.
  public let purchaseDate: StoreDate
  /// The original purchase date; ``purchaseDate`` if it is missing.
  public let originalPurchaseDate: StoreDate
  /// The number of units; 1 if it is missing.
  public let quantity: Int
  /// The date when a subscription ends or renews.
  public let expiresDate: StoreDate?

  /// Makes a receipt from the signed entries.
  ///
  /// - Parameter fields: the entries. `transaction-id`, `product-id`, `bid`, and `purchase-date-ms` or `purchase-date`
  ///   are required.
  /// - Throws: ``VerificationFailure`` with the fault `structure`.
  public init(fields: [Field]) throws(VerificationFailure) {
    let values = Dictionary(fields.map { ($0.key, $0.value) }) { first, _ in first }
    func required(_ key: String) throws(VerificationFailure) -> String {
      guard let value = values[key], !value.isEmpty else { throw .structure("the legacy receipt lacks \(key)") }
      return value
    }
    func id(_ text: String) throws(VerificationFailure) -> TransactionID {
      guard let id = TransactionID(rawValue: text) else {
        throw .structure("a transaction id of the legacy receipt is not 1 to 20 decimal digits")
      }
      return id
    }
    self.fields = fields
    transactionID = try id(required("transaction-id"))
    originalTransactionID =
      if let original = values["original-transaction-id"] { try id(original) } else { transactionID }
    productID = ProductID(try required("product-id"))
    bundleID = BundleID(try required("bid"))
    guard let purchased = Self.date("purchase-date", values) else {
      throw .structure("the legacy receipt lacks a purchase date")
    }
    purchaseDate = purchased
    originalPurchaseDate = Self.date("original-purchase-date", values) ?? purchased
    guard let quantity = Int(values["quantity"] ?? "1"), quantity >= 0 else {
      throw .structure("the quantity of the legacy receipt is not a number")
    }
    self.quantity = quantity
    expiresDate = values["expires-date"].flatMap(Int64.init).map(StoreDate.init(millisecondsSince1970:))
  }

  /// The value of a signed entry, such as `bvrs`; nil if there is none.
  public subscript(key: String) -> String? { fields.first { $0.key == key }?.value }

  /// The environment according to the signed entries: only receipts of production contain the app's number,
  /// `app-item-id`.
  ///
  /// The `environment` outside of the signature is ignored, because it can be changed.
  public var environment: StoreEnvironment {
    guard let number = self["app-item-id"], !number.isEmpty, number != "0" else { return .sandbox }
    return .production
  }

  /// Whether `device` is the installation in the receipt. False for a Mac's address, which receipts never contain.
  public func isIssued(for device: DeviceIdentifier) -> Bool {
    guard case .vendorIdentifier(let uuid) = device else { return false }
    return self["unique-vendor-identifier"].flatMap(UUID.init(uuidString:)) == uuid
  }

  private static func date(_ key: String, _ values: [String: String]) -> StoreDate? {
    if let milliseconds = values[key + "-ms"].flatMap(Int64.init) {
      return StoreDate(millisecondsSince1970: milliseconds)
    }
    guard let text = values[key], text.hasSuffix(" Etc/GMT") else { return nil }
    return (text.prefix(19) + "Z").withBufferedUTF8(RFC3339.date)
  }
}

extension Substring {
  fileprivate func withBufferedUTF8<T>(_ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    var copy = String(self)
    return copy.withUTF8(body)
  }
}
