import Foundation
import HTTPTransport
import StoreModel

/// The addresses of a server's endpoints for one app, and the decoding of their responses.
struct ServerEndpoints: Sendable {
  let server: URL
  let app: URL

  init(_ address: URL, _ bundleID: BundleID) {
    server = address
    app = address.appending(path: "v1/apps").appending(path: bundleID.rawValue)
  }

  func post(_ body: some Encodable, to path: String) throws -> HTTPCall {
    HTTPCall(
      "POST", app.appending(path: path), fields: ["Content-Type": "application/json"],
      body: try JSONEncoder().encode(body))
  }

  /// Returns the address of a link; nil if it is not an HTTP link, or uses `http` although the server uses `https`.
  func link(_ text: String) -> URL? {
    let base = server.path().hasSuffix("/") ? server : server.appending(path: "")
    guard let url = URL(string: text, relativeTo: base)?.absoluteURL, url.host() != nil else { return nil }
    return url.scheme == "https" || (url.scheme == "http" && server.scheme == "http") ? url : nil
  }

  // MARK: Answers

  static func answer(to call: HTTPCall, by transport: any HTTPSender) async throws -> HTTPReply {
    do {
      return try await transport.reply(to: call)
    } catch let failure as HTTPFailure {
      throw PurchaseServerError(failure)
    }
  }

  /// - Throws: ``PurchaseServerError``.
  static func decoded<Answer: Decodable>(
    _ type: Answer.Type, from reply: HTTPReply
  ) throws(PurchaseServerError) -> Answer {
    guard (200..<300).contains(reply.status) else { throw .refused(ServerRefusal(reply.head, reply.body)) }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    do {
      return try BoundedJSON.decode(type, from: reply.body, within: .file, by: decoder)
    } catch {
      throw .unintelligible(reason: "HTTP \(reply.status): \(error)")
    }
  }
}

extension PurchaseServerError {
  init(_ failure: HTTPFailure) {
    self =
      switch failure {
      case .unreachable(let reason), .noAnswer(let reason): .network(reason: reason)
      case .unintelligible(let reason): .unintelligible(reason: reason)
      }
  }
}
