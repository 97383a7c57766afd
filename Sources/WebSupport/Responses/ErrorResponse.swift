import Foundation
import HTTPTypes
import Hummingbird

/// Thrown to refuse a request. The response has the body `{"error": {"code": …, "message": …}}`.
package struct ErrorResponse: Error {
  package let status: HTTPResponse.Status
  private let body: any Encodable & Sendable
  private let headers: HTTPFields

  /// - Parameters:
  ///   - code: identifies the error for programs.
  ///   - message: explains to people what is wrong and what to do.
  package init(_ status: HTTPResponse.Status, _ code: String, _ message: String, headers: HTTPFields = [:]) {
    self.init(status, body: Body(error: .init(code: code, message: message)), headers: headers)
  }

  /// - Parameter body: an object with the member `error`, as above. It may have further members.
  package init(_ status: HTTPResponse.Status, body: any Encodable & Sendable, headers: HTTPFields = [:]) {
    self.status = status
    self.body = body
    self.headers = headers
  }

  /// The response, in JSON.
  package var response: Response {
    // Encoding a few strings cannot fail.
    let data = (try? Response.encoder().encode(body)) ?? Data()
    var response = Response.json(data, status: status)
    for header in headers { response.headers[header.name] = header.value }
    return response
  }

  private struct Body: Encodable {
    struct Details: Encodable {
      let code: String
      let message: String
    }

    let error: Details
  }
}
