import Foundation
import StoreModel

/// What a legacy transaction receipt says (`SKPaymentTransaction.transactionReceipt`, iOS 3 to 6): one purchase.
///
/// It is a bearer proof: nothing in its signature says which device may present it, except an old installation's
/// vendor identifier. A value of this type says nothing about who signed it: only `Verified<LegacyReceipt>` does.
public struct LegacyReceipt: Hashable, Sendable {
  /// One entry of the signed `purchase-info`.
  public struct Field: Hashable, Sendable {
    /// Such as `product-id`.
    public let key: String
    /// Always text, also for numbers and dates.
    public let value: String

    /// - Parameters:
    ///   - key: such as `product-id`.
    ///   - value: as text.
    public init(key: String, value: String) {
      self.key = key
      self.value = value
    }
  }

  /// All that is signed, in the order it is written.
  public let fields: [Field]
  /// `transaction-id`.
  public let transactionID: TransactionID
  /// ``transactionID`` if it was left out.
  public let originalTransactionID: TransactionID
  /// What was bought.
  public let productID: ProductID
  /// The app.
  public let bundleID: BundleID
  /// The instant the certificate is checked at.
  public let purchaseDate: StoreDate
  /// ``purchaseDate`` if it was left out.
  public let originalPurchaseDate: StoreDate
  /// 1 if it was left out.
  public let quantity: Int
  /// When a subscription ends or renews.
  public let expiresDate: StoreDate?

  /// Takes the signed entries.
  ///
  /// - Parameter fields: `transaction-id`, `product-id`, `bid`, and `purchase-date-ms` or `purchase-date` must be
  ///   there.
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

  /// The value of a signed entry, such as `bvrs`, or nil if there is none.
  public subscript(key: String) -> String? { fields.first { $0.key == key }?.value }

  /// Where it was issued, by what is signed: only production's receipts name the app's number, `app-item-id`.
  ///
  /// The `environment` written outside the signature anyone can edit; it is not believed.
  public var environment: StoreEnvironment {
    guard let number = self["app-item-id"], !number.isEmpty, number != "0" else { return .sandbox }
    return .production
  }

  /// Whether it names `device` as the installation that bought; false for a Mac's address, which it never names.
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
