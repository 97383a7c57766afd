import Foundation
import HTTPTransport
import PurchaseKit
import StoreModel

/// A purchase server whose responses the test scripts.
final class ScriptedServer: HTTPSender {
  static let bundleID: BundleID = "com.example.reader"
  static let address = URL(string: "http://127.0.0.1:1")!
  static let customer = UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))

  struct Answer: Sendable {
    var status = 200
    var fields: [String: String] = [:]
    var body = Data()
    /// The number of bytes of the body after which the connection is cut; nil for the whole body.
    var cutAfter: Int?
  }

  typealias Change = @Sendable (HTTPCall, Answer) async throws -> Answer

  private let state = LockedValue(State())

  struct Content: Sendable {
    var version: Int64 = 1
    var files: [(name: String, data: Data)]
    var isInline = false
  }

  // MARK: Script

  /// The calls so far, in order.
  var calls: [HTTPCall] { state.withLock { $0.log } }
  func calls(_ path: String) -> [HTTPCall] { calls.filter { $0.url.path.contains(path) } }

  func publish(_ product: String, _ content: Content?) { state.withLock { $0.contents[product] = content } }
  func publish(_ product: String, version: Int64 = 1, _ files: (String, Data)...) {
    publish(product, Content(version: version, files: files.map { (name: $0.0, data: $0.1) }))
  }

  func refuse(_ product: String, _ code: String?) {
    state.withLock { $0.refusals[product] = code.map { ($0, "The server says \($0).") } }
  }

  func refuseTokens() {
    state.withLock { state in state.refusedTokens = Set((1...state.registrations).map { "customer_\($0)" }) }
  }

  /// Changes the answer to the next request whose path contains `path`. Several changes are used in order, once each.
  func once(_ path: String, _ change: @escaping Change) { state.withLock { $0.changes.append((path, change)) } }

  func delivery(_ product: String) throws -> ContentDelivery {
    let text = String(decoding: try state.withLock { try $0.view(product) } ?? Data(), as: UTF8.self)
    return try JSONDecoder().decode(ContentDelivery.self, from: Data(text.utf8))
  }

  static func data(_ size: Int, seed: UInt8 = 1) -> Data {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15
    return Data(
      (0..<size).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
      })
  }

  // MARK: Responses

  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    var answer = try state.withLock { state in
      state.log.append(call)
      return try state.usual(call)
    }
    let change = state.withLock { state in
      state.changes.firstIndex { call.url.path.contains($0.path) }.map { state.changes.remove(at: $0).change }
    }
    if let change { answer = try await change(call, answer) }
    try sink.begin(HTTPReplyHead(status: answer.status, fields: answer.fields))
    let body = answer.cutAfter.map { answer.body.prefix($0) } ?? answer.body
    for start in stride(from: 0, to: body.count, by: 1000) {
      try Task.checkCancellation()
      try sink.take(Data(body.dropFirst(start).prefix(1000)))
    }
    if answer.cutAfter != nil { throw HTTPFailure.noAnswer(reason: "the line was cut") }
  }
}

extension ScriptedServer {
  /// What the server knows, and its usual answers.
  private struct State: Sendable {
    var log: [HTTPCall] = []
    var changes: [(path: String, change: Change)] = []
    var contents: [String: Content] = [:]
    var refusals: [String: (code: String, message: String)] = [:]
    var registrations = 0
    var refusedTokens: Set<String> = []
    private var linkGeneration = 0

    mutating func usual(_ call: HTTPCall) throws -> Answer {
      let path = call.url.path
      if path.contains("/v1/downloads/") { return try file(call) }
      if path.hasSuffix("/installations") {
        registrations += 1
        return try json(
          ["customer": ScriptedServer.customer.uuidString.lowercased(), "token": "customer_\(registrations)"],
          status: 201)
      }
      let token = call.fields["Authorization"]?.replacingOccurrences(of: "Bearer ", with: "")
      if !path.hasSuffix("/products"), token.map(refusedTokens.contains) ?? true {
        return try json(["error": ["code": "tokenRefused", "message": "Register again."]], status: 401)
      }
      if path.hasSuffix("/customer") { return try json(["customer": ScriptedServer.customer.uuidString]) }
      if path.hasSuffix("/deliveries") {
        linkGeneration += 1
        return Answer(
          body: try Data(#"{"deliveries": ["#.utf8)
            + contents.keys.sorted().compactMap { try view($0) }.joined(
              separator: Data(",".utf8)) + Data("]}".utf8))
      }
      if path.hasSuffix("/redemptions") { return try redemption(call) }
      return try json(["error": ["code": "noSuchEndpoint", "message": path]], status: 404)
    }

    private func json(_ object: Any, status: Int = 200) throws -> Answer {
      Answer(status: status, body: try JSONSerialization.data(withJSONObject: object))
    }

    func view(_ product: String) throws -> Data? {
      guard let content = contents[product] else { return nil }
      let files = content.files.map { file -> [String: Any] in
        let digest = FileDigest(of: file.data).description
        var view: [String: Any] = [
          "name": file.name, "size": file.data.count, "sha256": digest, "mediaType": "text/plain",
        ]
        if content.isInline {
          view["inline"] = file.data.base64EncodedString()
        } else {
          view["link"] = "v1/downloads/\(linkGeneration)-\(digest)"
        }
        return view
      }
      return try JSONSerialization.data(withJSONObject: [
        "id": "delivery-\(product)", "productId": product, "source": "1", "version": content.version, "files": files,
      ])
    }

    private func file(_ call: HTTPCall) throws -> Answer {
      let digest = call.url.lastPathComponent.split(separator: "-").last.map(String.init) ?? ""
      let all = contents.values.flatMap(\.files).map(\.data)
      guard let data = all.first(where: { FileDigest(of: $0).description == digest }) else {
        return try json(["error": ["code": "noSuchLink", "message": "There is no such download."]], status: 404)
      }
      let tag = "\"\(digest)\""
      guard let range = call.fields["Range"], call.fields["If-Range"] == tag,
        let start = Int(range.dropFirst("bytes=".count).dropLast()), start < data.count
      else { return Answer(fields: ["ETag": tag, "Content-Length": "\(data.count)"], body: data) }
      return Answer(
        status: 206,
        fields: [
          "ETag": tag, "Content-Length": "\(data.count - start)",
          "Content-Range": "bytes \(start)-\(data.count - 1)/\(data.count)",
        ], body: Data(data.dropFirst(start)))
    }

    private func redemption(_ call: HTTPCall) throws -> Answer {
      struct Message: Decodable {
        struct Purchase: Decodable {
          let transactionId: String
          let productId: String
        }

        let purchases: [Purchase]
      }
      let purchase = try JSONDecoder().decode(Message.self, from: call.body ?? Data()).purchases[0]
      let (id, product) = (purchase.transactionId, purchase.productId)
      var result: [String: Any] = ["transactionId": id, "productId": product]
      let refusal = refusals[product]
      if let refusal {
        result["refusal"] = ["code": refusal.code, "message": refusal.message]
      } else {
        var given: [String: Any] = ["claim": id, "claimed": 1_800_000_000_000]
        given["delivery"] = try view(product).map { try JSONSerialization.jsonObject(with: $0) }
        result["given"] = given
      }
      return try json(
        ["customer": ScriptedServer.customer.uuidString, "environment": "Sandbox", "purchases": [result]],
        status: refusal == nil ? 200 : 410)
    }
  }
}

extension ScriptedServer {
  func client(keys: any VaultKeyStore = MemoryVaultKeyStore()) -> PurchaseServerClient {
    PurchaseServerClient(
      Self.address, bundleID: Self.bundleID, device: nil, identity: .anonymous(keys), transport: self)
  }
}
