import AppStoreEmulator
import Foundation
import HTTPTypes
import Hummingbird
import StoreModel
import WebSupport

/// The routes of `POST /ENV/verifyReceipt`. Implements Apple's `verifyReceipt` endpoint.
struct VerifyReceiptRoutes: Sendable {
  let store: EmulatedAppStore

  /// The maximum size of a body, in bytes. Apple's endpoint answers larger ones with HTTP 413.
  static let largestBody = 3 << 20

  func add(to router: Router<EmulatorRequestContext>) {
    for environment in [StoreEnvironment.production, .sandbox] {
      let path = RouterPath("/\(environment.lowercaseName)/verifyReceipt")
      let store = store
      router.post(path) { request, context in
        let body = try await request.collectedBody(upTo: Self.largestBody)
        do {
          let answer = try await store.verifyReceipt(Data(buffer: body), at: environment, caller: context.caller)
          return Self.response(answer.bytes)
        } catch let failure as VerifyReceiptServerError {
          let status = HTTPResponse.Status(code: failure.httpStatus)
          return Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: "\(status.code) \(status.reasonPhrase)\n")))
        }
      }
      // Other methods get the HTTP status 200, too, as from Apple's endpoint. The status in the body is an error.
      for method in [HTTPRequest.Method.get, .head, .put, .patch, .delete, .options] {
        router.on(path, method: method) { _, _ in
          Self.response(VerifyReceiptResponse(status: .unreadableRequest).bytes)
        }
      }
    }
  }

  private static func response(_ body: [UInt8]) -> Response {
    var response = Response.json(body)
    // Apple's answers have a deprecation header with an unpublished value. This value is the day of the announcement,
    // 2023-06-05, in the format of RFC 9745.
    response.headers[.deprecation] = "@1685923200"
    return response
  }
}

extension HTTPField.Name {
  fileprivate static let deprecation = HTTPField.Name("Deprecation")!
}
