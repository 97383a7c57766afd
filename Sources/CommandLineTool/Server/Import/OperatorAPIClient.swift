import Foundation
import HTTPTransport
import ProgramSupport
import StoreModel

/// Calls the operator's API of a running purchase server.
struct OperatorAPIClient: Sendable {
  /// Thrown when the server did not do what it was asked.
  enum Failure: Error {
    /// The same request may succeed after a pause.
    ///
    /// - Parameter seconds: the pause that the server names; nil if it names none.
    case temporary(String, seconds: Int?)
    case final(String, status: Int?)
  }

  let address: URL
  let key: String
  var transport: any HTTPSender = SystemTransport.program(timeoutSeconds: 90)

  /// Sends a request, and returns its answer.
  ///
  /// - Parameter path: the path below `/v1/operator/`, percent-encoded.
  /// - Throws: ``Failure``.
  func answer<Answer: Decodable>(_ method: String, _ path: String, _ body: Data? = nil) async throws -> Answer {
    var fields = ["Authorization": "Bearer \(key)"]
    if body != nil { fields["Content-Type"] = "application/json" }
    let reply: HTTPReply
    do {
      let url = address.appending(path: "v1/operator/").absoluteString + path
      guard let url = URL(string: url) else { throw Failure.final("\(url) is no address.", status: nil) }
      reply = try await transport.reply(to: HTTPCall(method, url, fields: fields, body: body))
    } catch let failure as HTTPFailure {
      throw Failure.temporary(failure.description, seconds: nil)
    }
    if (200..<300).contains(reply.status) {
      do {
        return try BoundedJSON.decode(Answer.self, from: reply.body, within: .file)
      } catch {
        throw Failure.final("\(address) does not answer as a purchase server of this version.", status: reply.status)
      }
    }
    let refusal = try? BoundedJSON.decode(Refusal.self, from: reply.body)
    let message = refusal?.error.message ?? "The server answered with the status \(reply.status)."
    // Only a person can correct the server's configuration.
    let isFinal = refusal?.error.code == "misconfigured"
    guard !isFinal, [408, 429, 502, 503, 504].contains(reply.status) else {
      throw Failure.final(message, status: reply.status)
    }
    throw Failure.temporary(
      message, seconds: RetryAfter.seconds(reply.head["Retry-After"], date: reply.head["Date"]))
  }

  private struct Refusal: Decodable {
    struct Reason: Decodable {
      let code: String?
      let message: String
    }

    let error: Reason
  }
}
