import Foundation

/// The device API over HTTP: `POST /device/v1/NAME`, with JSON in the request and in the answer.
///
/// A refusal is answered with its HTTP status and ``Refused`` as body.
public enum DeviceAPI {
  public static let path = "/device/v1/"

  public enum Verb: String, Codable, CaseIterable, Sendable {
    case register, signIn, signOut, products, quote, confirm, unfinished, finish, restore, refreshReceipt, changes
    case subscriptions, changeSubscription
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
