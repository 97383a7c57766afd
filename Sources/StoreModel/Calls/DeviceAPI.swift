import Foundation

/// The device door over HTTP: `POST /device/v1/NAME`, JSON in and out.
///
/// A refusal is answered with its HTTP status and ``Refused`` as body.
public enum DeviceAPI {
  public static let path = "/device/v1/"

  public enum Verb: String, Codable, CaseIterable, Sendable {
    case register, signIn, signOut, products, quote, confirm, unfinished, finish, restore, refreshReceipt, changes
  }

  /// A call of one installation.
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

  /// Keys sorted, so that the same message is always the same bytes.
  public static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
