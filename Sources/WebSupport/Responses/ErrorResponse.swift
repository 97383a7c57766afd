import Foundation
import HTTPTypes
import Hummingbird
import StoreModel

/// Thrown to refuse a request. The response has the body `{"error": {"code": …, "message": …}}`.
package struct ErrorResponse: Error {
  package let status: HTTPResponse.Status
  /// Explains to people what is wrong and what to do; nil if only the body says it.
  package let message: String?
  /// The member of the request's body that has to be corrected, such as `scope.customer`; nil if it is none. It is not part of
  /// the response: the form of a page shows the message beside it.
  package let member: String?
  private let body: any Encodable & Sendable
  private let headers: HTTPFields

  /// - Parameters:
  ///   - code: identifies the error for programs.
  ///   - message: explains to people what is wrong and what to do.
  package init(
    _ status: HTTPResponse.Status, _ code: String, _ message: String, member: String? = nil, headers: HTTPFields = [:]
  ) {
    self.status = status
    self.message = message
    self.member = member
    body = Body(error: .init(code: code, message: message))
    self.headers = headers
  }

  /// - Parameter body: an object with the member `error`, as above. It may have further members.
  package init(
    _ status: HTTPResponse.Status, body: any Encodable & Sendable, member: String? = nil, headers: HTTPFields = [:]
  ) {
    self.status = status
    message = nil
    self.member = member
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

extension Response {
  /// Returns the message of a refusal: that of its body, or else the reason phrase of its status.
  package func refusalMessage() async throws -> String {
    struct Refusal: Decodable {
      struct Reason: Decodable { let message: String }
      let error: Reason
    }
    let body = Data(buffer: try await body.collected())
    return (try? BoundedJSON.decode(Refusal.self, from: body))?.error.message ?? status.reasonPhrase
  }
}
