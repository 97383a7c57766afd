import Foundation
import HTTPExchange
import StoreModel

/// The store as an operator sees it, over its control door. What is asked for in a path or query is percent-encoded already.
struct ControlDoor: Sendable {
  let address: URL
  /// What the door asks for as a bearer token, if anything.
  private let token: String?
  private let transport: SystemTransport
  /// The largest answer that is taken: a thousand transactions whose every name has 10,000 characters.
  private static let longestAnswerBytes = 256 << 20

  /// - Parameters:
  ///   - address: of the store, without `/control/v1`.
  ///   - timeoutSeconds: how long to wait for the connection, and for each sign of life on it.
  init(address: URL, token: String? = nil, timeoutSeconds: Double = 60) {
    self.address = address
    self.token = token
    transport = SystemTransport(timeoutSeconds: timeoutSeconds)
  }

  /// Asks for an answer that is to be read.
  ///
  /// - Throws: ``ControlDoorFailure``.
  func answer<Answer: Decodable>(_ method: String, _ path: String, _ json: Data? = nil) async throws -> Answer {
    try read(try await expect(method, path, json))
  }

  /// What an answer's bytes say.
  ///
  /// - Throws: ``ControlDoorFailure/notAStore(address:reason:)``.
  func read<Answer: Decodable>(_ bytes: Data) throws(ControlDoorFailure) -> Answer {
    do {
      return try BoundedJSON.decode(Answer.self, from: bytes, within: .file)
    } catch {
      throw .notAStore(address: address, reason: "its answer is not as this version expects it")
    }
  }

  /// Asks, and returns what is answered.
  ///
  /// - Parameters:
  ///   - path: after the store's address, with its query; such as `control/v1/clock`.
  ///   - json: the body; nil for none. The door demands the content type also of what has an empty one.
  /// - Throws: ``ControlDoorFailure``.
  @discardableResult
  func expect(_ method: String, _ path: String, _ json: Data?) async throws -> Data {
    let root = address.absoluteString
    guard let url = URL(string: "\(root.hasSuffix("/") ? String(root.dropLast()) : root)/\(path)") else {
      throw ControlDoorFailure.notAStore(address: address, reason: "\(path) cannot be asked for there")
    }
    var fields: [String: String] = [:]
    if json != nil { fields["Content-Type"] = "application/json" }
    if let token { fields["Authorization"] = "Bearer \(token)" }
    let reply: HTTPReply
    do {
      reply = try await transport.reply(
        to: HTTPCall(method, url, fields: fields, body: json), longestBodyBytes: Self.longestAnswerBytes)
    } catch let failure as HTTPFailure {
      throw ControlDoorFailure(failure, of: url, address: address)
    }
    guard (200..<300).contains(reply.status) else { throw ControlDoorFailure(reply, address: address) }
    return reply.body
  }
}
