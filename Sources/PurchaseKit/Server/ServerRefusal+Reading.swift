import Foundation
import HTTPTransport
import StoreModel

extension ServerRefusal {
  private struct Message: Decodable {
    struct Details: Decodable {
      let code: String
      let message: String
    }

    let error: Details
  }

  /// Reads a refusal. If the body is not the server's but a proxy's, only the status and `Retry-After` are known.
  init(_ head: HTTPReplyHead, _ body: Data) {
    let details = try? BoundedJSON.decode(Message.self, from: body, within: .file).error
    self.init(
      status: head.status, code: details?.code ?? "http\(head.status)",
      message: details?.message ?? "The server answered with HTTP status \(head.status).",
      // Limited to one day, because larger values are probably mistakes.
      retryAfterSeconds: head["Retry-After"].flatMap(Int.init).map { min(max($0, 0), 86_400) })
  }
}
