import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import AppStoreEmulatorServer

@Suite("The verifyReceipt endpoints", .timeLimit(.minutes(30)))
struct VerifyReceiptEndpointTests {
  private func body(_ receipt: Data, password: String? = nil) throws -> String {
    var object: [String: Any] = ["receipt-data": receipt.base64EncodedString()]
    object["password"] = password
    return try json(object)
  }

  /// Returns an answer without its request dates: each answer has a later one.
  private func undated(_ body: Data) -> String {
    String(decoding: body, as: UTF8.self).replacing(/"request_date[a-z_]*":"[^"]*"/, with: "")
  }

  @Test("G1 a receipt is verified at its own endpoint, and the answer is the store's, except for its date")
  func valid() async throws {
    let bakery = try await BakeryServer()
    let request = try body(try await bakery.receipt())
    let expected = try await bakery.store.verifyReceipt(Data(request.utf8), at: .sandbox).body
    try await bakery.withClient { client async throws in
      let reply = try await client.post("/sandbox/verifyReceipt", request)
      #expect(reply.status == 200)
      #expect(reply.object["status"] as? Int == 0)
      #expect(undated(reply.body) == undated(expected))
      #expect(reply.headers[.contentType]?.hasPrefix("application/json") == true)
      #expect(reply.headers[try #require(HTTPField.Name("Deprecation"))] != nil)
    }
  }

  @Test("G2 production sends a sandbox receipt on with 21007, and the sandbox a production one with 21008")
  func otherEnvironment() async throws {
    let bakery = try await BakeryServer()
    let sandboxed = try body(try await bakery.receipt(in: .sandbox))
    let live = try body(try await bakery.receipt(in: .production))
    try await bakery.withClient { client async throws in
      let first = try await client.post("/production/verifyReceipt", sandboxed)
      #expect((first.status, first.object["status"] as? Int) == (200, 21007))
      let second = try await client.post("/sandbox/verifyReceipt", live)
      #expect((second.status, second.object["status"] as? Int) == (200, 21008))
      #expect(try await client.post("/production/verifyReceipt", live).object["status"] as? Int == 0)
    }
  }

  @Test(
    "G1 whatever is not a POST is answered 21000, with HTTP status 200",
    arguments: [HTTPRequest.Method.get, .put, .patch, .delete], ["production", "sandbox"])
  func otherMethods(method: HTTPRequest.Method, environment: String) async throws {
    try await BakeryServer().withClient { client async throws in
      let reply = try await client.send(method, "/\(environment)/verifyReceipt")
      #expect(reply.status == 200)
      #expect(reply.object["status"] as? Int == 21000)
    }
  }

  @Test("G1 errors are reported by the status in the body, with HTTP 200")
  func faults() async throws {
    let bakery = try await BakeryServer()
    let wrong = try body(try await bakery.receipt(), password: "wrong")
    try await bakery.withClient { client async throws in
      for (body, status) in [("", 21000), ("nonsense", 21000), ("{}", 21002), (wrong, 21004)] {
        let reply = try await client.post("/sandbox/verifyReceipt", body)
        #expect((reply.status, reply.object["status"] as? Int) == (200, status))
      }
    }
  }

  @Test("G1 the content type does not matter, nor does a page's origin: the endpoint reveals nothing")
  func anyContentType() async throws {
    let bakery = try await BakeryServer()
    let request = try body(try await bakery.receipt())
    try await bakery.withClient { client async throws in
      for headers in [
        ["Content-Type": "application/x-www-form-urlencoded"], ["Content-Type": "text/plain"], ["Content-Type": ""],
        ["Origin": "https://shop.example"],
      ] {
        let reply = try await client.post("/sandbox/verifyReceipt", request, headers: headers)
        #expect(reply.object["status"] as? Int == 0)
      }
    }
  }

  @Test("G1 a body of 3,145,728 bytes is read, one with a byte more is HTTP 413; bytes count, not characters")
  func size() async throws {
    let bakery = try await BakeryServer()
    let receipt = try await bakery.receipt().base64EncodedString()
    @Sendable func body(_ size: Int, filledWith character: String) -> String {
      let frame = "{\"x\":\"\",\"receipt-data\":\"\(receipt)\"}"
      let free = size - frame.utf8.count
      let filling = String(repeating: character, count: free / character.utf8.count)
      let rest = String(repeating: "x", count: free % character.utf8.count)
      return "{\"x\":\"\(filling)\(rest)\",\"receipt-data\":\"\(receipt)\"}"
    }
    try await bakery.withClient { client async throws in
      for character in ["x", "é"] {
        let largest = try await client.post("/sandbox/verifyReceipt", body(3_145_728, filledWith: character))
        #expect((largest.status, largest.object["status"] as? Int) == (200, 0))
        let larger = try await client.post("/sandbox/verifyReceipt", body(3_145_729, filledWith: character))
        #expect(larger.status == 413)
      }
    }
  }

  @Test("G1 the members of receipt have the order of Apple's answers")
  func order() async throws {
    let bakery = try await BakeryServer()
    let request = try body(try await bakery.receipt())
    let answer = try await bakery.withClient { client async throws in
      String(decoding: try await client.post("/sandbox/verifyReceipt", request).body, as: UTF8.self)
    }
    let names = [
      "receipt_type", "adam_id", "app_item_id", "bundle_id", "application_version", "download_id",
      "version_external_identifier", "receipt_creation_date", "receipt_creation_date_ms", "receipt_creation_date_pst",
      "request_date", "request_date_ms", "request_date_pst", "original_purchase_date", "original_purchase_date_ms",
      "original_purchase_date_pst", "original_application_version", "in_app",
    ]
    let receipt = try #require(answer.range(of: "\"receipt\":{")).upperBound
    let found = answer[receipt...].matches(of: /"([a-z_]+)":/).map { String($0.output.1) }
    #expect(Array(found.prefix(names.count)) == names)
  }

  @Test("G6 the journal says why a receipt was refused, and the answer does not")
  func reason() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      let reply = try await client.post("/sandbox/verifyReceipt", #"{"receipt-data":"QUJD\nREVG"}"#)
      #expect(String(decoding: reply.body, as: UTF8.self) == "{\"status\":21002}")
      let journal = try await client.get("/control/v1/requests")
      let request = try #require((journal.object["requests"] as? [[String: Any]])?.last)
      #expect(
        request["reason"] as? String
          == "receipt-data is not canonical base64, which Apple demands: at byte 4: a line break; encode without line breaks"
      )
      let page = try await client.page("/console/requests/\(request["sequence"] ?? 0)")
      #expect(page.text.contains("at byte 4: a line break"))
    }
  }
}
