import Foundation
import HTTPTransport
import StoreModel

extension ServerRefusal {
  private struct Message: Decodable {
    struct Words: Decodable {
      let code: String
      let message: String
    }

    let error: Words
  }

  /// Reads a refusal; of one that is not the server's own, such as a proxy's, it knows the status only.
  init(_ head: HTTPReplyHead, _ body: Data) {
    let words = try? BoundedJSON.decode(Message.self, from: body, within: .file).error
    self.init(
      status: head.status, code: words?.code ?? "http\(head.status)",
      message: words?.message ?? "The server answered with HTTP status \(head.status).",
      // A day: more is a mistake.
      retryAfterSeconds: head["Retry-After"].flatMap(Int.init).map { min(max($0, 0), 86_400) })
  }
}
