import Foundation

/// The device API over HTTP: `POST /device/v1/NAME`, with JSON in the request and in the answer.
///
/// A refusal is answered with its HTTP status and ``Refused`` as body.
public enum DeviceAPI {
  public static let path = "/device/v1/"

  /// All calls. ``StoreCall`` describes how to add one.
  public static let calls: [any StoreCall.Type] = [
    RegisterCall.self, SignInCall.self, SignOutCall.self, ProductsCall.self, QuoteCall.self, ConfirmCall.self,
    UnfinishedCall.self, FinishCall.self, RestoreCall.self, RefreshReceiptCall.self, ChangesCall.self,
    SubscriptionsCall.self, ChangeSubscriptionCall.self, TransactionsCall.self,
    AppTransactionCall.self, RequestRefundCall.self,
  ]

  /// The name of a call: the last part of its path.
  public struct Verb: StringIdentifier, CaseIterable {
    public static let allCases = calls.map { $0.verb }
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// A call, and the installation that sends it.
  public struct Request<Call: StoreCall>: Codable, Sendable {
    public let installationID: InstallationID
    public let call: Call

    public init(installationID: InstallationID, call: Call) {
      self.installationID = installationID
      self.call = call
    }
  }

  public struct Refused: Codable, Sendable {
    public let error: StoreRefusal
    public init(error: StoreRefusal) { self.error = error }
  }

  /// Returns an encoder that sorts the keys, so that the same message always has the same bytes.
  public static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
