import Foundation
import HTTPTypes
import Hummingbird

/// A request that is refused, with words that say what to do. Its body is `{"error": {"code": …, "message": …}}`.
package struct ErrorResponse: Error {
  package let status: HTTPResponse.Status
  private let body: any Encodable & Sendable
  private let headers: HTTPFields

  /// - Parameters:
  ///   - code: a word for programs.
  ///   - message: for people: what is wrong, and what to do.
  package init(_ status: HTTPResponse.Status, _ code: String, _ message: String, headers: HTTPFields = [:]) {
    self.init(status, body: Body(error: .init(code: code, message: message)), headers: headers)
  }

  /// - Parameter body: of the same shape, perhaps with more in it.
  package init(_ status: HTTPResponse.Status, body: any Encodable & Sendable, headers: HTTPFields = [:]) {
    self.status = status
    self.body = body
    self.headers = headers
  }

  /// The answer that says so, in JSON.
  package var response: Response {
    // A few strings always encode.
    let data = (try? Response.encoder().encode(body)) ?? Data()
    var response = Response.json(data, status: status)
    for header in headers { response.headers[header.name] = header.value }
    return response
  }

  private struct Body: Encodable {
    struct Words: Encodable {
      let code: String
      let message: String
    }

    let error: Words
  }
}
