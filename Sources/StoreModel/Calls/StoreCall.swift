import Foundation

/// A call of a device to a store, declared once: its name, request, answer and subject, and how the request journal treats
/// it.
///
/// To add a call, declare its type in `StoreCalls.swift`, add the type to ``DeviceAPI/calls``, and write its rule in
/// `AppStoreEmulator/Operations`. The route, the journal and the names for faults follow.
public protocol StoreCall: Codable, Sendable {
  associatedtype Answer: Codable & Sendable

  static var verb: DeviceAPI.Verb { get }

  /// The identifiers in the call. Empty by default.
  var subject: CallSubject { get }
  /// Whether ``subject`` of such a call has products. False by default.
  static var hasProducts: Bool { get }
  /// Whether the request may contain a long list. False by default; the store then refuses requests above 64 KiB.
  static var hasLongRequest: Bool { get }

  /// The size in memory of the lists in the call, in bytes, approximately. 0 by default.
  var listedBytes: Int { get }
  /// The size in memory of the lists and receipts in an answer, in bytes, approximately. 0 by default.
  static func listedBytes(of answer: Answer) -> Int
  /// Whether the call asked for changes, and the answer contains none. False by default.
  static func isWithoutNews(_ answer: Answer) -> Bool
}

extension StoreCall {
  public var subject: CallSubject { CallSubject() }
  public static var hasProducts: Bool { false }
  public static var hasLongRequest: Bool { false }
  public var listedBytes: Int { 0 }
  public static func listedBytes(of answer: Answer) -> Int { 0 }
  public static func isWithoutNews(_ answer: Answer) -> Bool { false }
}

/// The identifiers in a device's call, such as those of its product and payment. They never include a secret.
public struct CallSubject: Hashable, Sendable {
  public var environment: StoreEnvironment?
  public var bundleID: BundleID?
  /// The customer who signs in or pays; nil if the call does not contain a customer.
  public var account: AccountName?
  public var productIDs: [ProductID]
  public var paymentID: PaymentID?
  public var transactionID: TransactionID?

  public init(
    environment: StoreEnvironment? = nil, bundleID: BundleID? = nil, account: AccountName? = nil,
    productIDs: [ProductID] = [], paymentID: PaymentID? = nil, transactionID: TransactionID? = nil
  ) {
    self.environment = environment
    self.bundleID = bundleID
    self.account = account
    self.productIDs = productIDs
    self.paymentID = paymentID
    self.transactionID = transactionID
  }
}

/// The answer of calls that return no value.
public struct EmptyAnswer: Hashable, Codable, Sendable {
  public init() {}
}
