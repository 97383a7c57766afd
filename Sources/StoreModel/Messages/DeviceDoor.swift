import Foundation

/// The device door over HTTP: `POST /device/v1/NAME`, JSON in and out.
///
/// A refusal is answered with its HTTP status and ``Refused`` as body.
public enum DeviceDoor {
  public static let path = "/device/v1/"

  public enum Verb: String, CaseIterable, Sendable {
    case register, signIn, products, quote, confirm, unfinished, finish
  }

  /// A request about one installation.
  public struct Request<Content: Codable & Sendable>: Codable, Sendable {
    public let installationID: InstallationID
    public let content: Content

    public init(installationID: InstallationID, content: Content) {
      self.installationID = installationID
      self.content = content
    }
  }

  /// Where there is nothing to say.
  public struct Nothing: Codable, Sendable {
    public init() {}
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
