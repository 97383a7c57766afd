import APIDescription
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import WebSupport

@Suite(.timeLimit(.minutes(30))) struct PageServingTests {
  private struct Fields: Decodable {
    let name: String
    let amount: Int?
  }

  /// A body of several pieces, of which the last one is shorter.
  private static let large: [UInt8] = (0..<700_001).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

  @Test("G1 an answer that is sent in pieces arrives whole, with its length")
  func pieces() async throws {
    try await application().test(.live) { client in
      try await client.execute(uri: "/large", method: .get) { response in
        #expect(Array(buffer: response.body) == Self.large)
        #expect(response.headers[.contentLength] == "700001")
      }
    }
  }

  private func application() -> some ApplicationProtocol {
    let router = Router()
    let frame = PageFrame(title: "<Title>", program: PageLink("Program", "/"), live: "/live")
    PageAssets([.script("more.js", Array("more()".utf8))]).add(to: router)
    router.get("page") { _, _ in
      Response.page(frame.page("<h1>It</h1>"), framedBy: ["http://127.0.0.1:9"], frames: ["http://127.0.0.1:8"])
    }
    router.get("large") { _, _ in Response.json(Self.large) }
    router.post("form") { request, _ in
      do {
        let fields = try await request.form(Fields.self, limitBytes: 100)
        return Response.seeOther("/page?name=\(AddressText.segment(fields.name))&amount=\(fields.amount ?? 0)")
      } catch let refusal as ErrorResponse {
        return refusal.response
      }
    }
    return Application(router: router)
  }

  @Test("A page may load and run only what its own server serves")
  func policy() async throws {
    try await application().test(.router) { client in
      try await client.execute(uri: "/page", method: .get) { response in
        let policy = try #require(response.headers[.contentSecurityPolicy])
        for directive in [
          "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "form-action 'self'",
          "base-uri 'none'", "frame-ancestors http://127.0.0.1:9", "frame-src http://127.0.0.1:8",
        ] { #expect(policy.split(separator: "; ").contains(Substring(directive))) }
        #expect(!policy.contains("unsafe"))
        #expect(response.headers[.xContentTypeOptions] == "nosniff")
        #expect(response.headers[.cacheControl] == "no-store")
        let text = String(buffer: response.body)
        #expect(text.contains("<title>&lt;Title&gt; · Program</title>"))
        #expect(text.contains("data-stream=\"/live\""))
      }
    }
  }

  @Test("What a page refers to is there, under an address that changes with it")
  func assets() async throws {
    let (one, other) = (PageAsset.script("more.js", Array("1".utf8)), PageAsset.script("more.js", Array("2".utf8)))
    #expect(one.address != other.address)
    try await application().test(.router) { client in
      try await client.execute(uri: "/page", method: .get) { response in
        let text = String(buffer: response.body)
        let addresses = text.matches(of: /(?:href|src)="(\/assets\/[^"]+)"/).map { String($0.output.1) }
        #expect(addresses.count == 3)
        for address in addresses {
          try await client.execute(uri: address, method: .get) { file in
            #expect(file.status == .ok)
            #expect(file.headers[.cacheControl]?.contains("immutable") == true)
            #expect(file.body.readableBytes > 100)
          }
        }
      }
      try await client.execute(uri: "/assets/more.js", method: .get) { #expect(String(buffer: $0.body) == "more()") }
    }
  }

  @Test("A form's fields are read; an invalid or too large form is refused with a message")
  func forms() async throws {
    try await application().test(.router) { client in
      try await client.execute(uri: "/form", method: .post, body: ByteBuffer(string: "name=a+%26%22b&amount=3")) {
        #expect($0.status == .seeOther)
        #expect($0.headers[.location] == "/page?name=a%20%26%22b&amount=3")
      }
      try await client.execute(uri: "/form", method: .post, body: ByteBuffer(string: "name=a&amount=many")) {
        #expect($0.status == .badRequest)
        #expect(String(buffer: $0.body).contains("The form does not fit"))
      }
      try await client.execute(
        uri: "/form", method: .post, body: ByteBuffer(string: "name=" + String(repeating: "a", count: 100))
      ) { #expect($0.status == .contentTooLarge) }
    }
  }

  @Test("A page says why a request was refused")
  func refusals() {
    let busy = PageRefusal(ErrorResponse(.serviceUnavailable, "overloaded", "The server is busy."))
    #expect((busy.status, busy.text) == (.serviceUnavailable, "The server is busy."))
    let large = PageRefusal(ErrorResponse(.contentTooLarge, "tooLarge", "Above 9 bytes."))
    #expect(large.text == "The form or its file is too large.")
  }

  @Test("Only pages of the same origin may change something")
  func origins() throws {
    func request(_ fields: HTTPFields) -> Request {
      Request(
        head: HTTPRequest(method: .post, scheme: "http", authority: "localhost:80", path: "/", headerFields: fields),
        body: RequestBody(buffer: ByteBuffer()))
    }
    let site = HTTPField.Name("Sec-Fetch-Site")!
    try BrowserOrigin.check(request([:]))
    try BrowserOrigin.check(request([.origin: "http://localhost:80", site: "same-origin"]))
    for fields: HTTPFields in [
      [.origin: "http://localhost:81"], [.origin: "null"], [.origin: "http://localhost:80.example.com"],
      [site: "cross-site"], [site: "same-site"], [.origin: "http://localhost:80", site: "cross-site"],
    ] {
      #expect(throws: ErrorResponse.self) { try BrowserOrigin.check(request(fields)) }
    }
  }
}
