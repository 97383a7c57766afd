import Foundation
import HTTPTransport
import PurchaseKit
import SampleModel
import StoreModel

/// A fake purchase server that delivers the sample's books, as far as the books screen needs it.
final class BookServer: HTTPSender {
  private struct State: Sendable {
    var failures = 0
    var beforeCut: (@Sendable () async -> Void)?
    var listed: [String]
    var isUp = true
    var knowsApp = true
    var listRequestCount = 0
    var withdrawn: Set<String> = []
  }

  private let state: LockedValue<State>
  private let pages: [String: Data]

  /// - Parameter pages: the content of each book. All books are listed.
  init(pages: [String: Data]) {
    self.pages = pages
    state = LockedValue(State(listed: pages.keys.sorted()))
  }

  /// Sets the list of books, in this order.
  func list(_ products: [String]) { state.withLock { $0.listed = products } }

  /// Withdraws the content of a product, which stays on the list.
  func withdraw(_ product: String) { state.withLock { _ = $0.withdrawn.insert(product) } }

  /// The number of requests for the list.
  var listRequests: Int { state.withLock { $0.listRequestCount } }

  /// Sets whether the server is reachable.
  func setUp(_ isUp: Bool) { state.withLock { $0.isUp = isUp } }

  /// Sets whether the server knows this app.
  func setKnowsApp(_ knowsApp: Bool) { state.withLock { $0.knowsApp = knowsApp } }

  /// Lets the next downloads end after 100 bytes.
  func cutDownloads(_ count: Int) { state.withLock { $0.failures = count } }

  /// Lets the next download end after 100 bytes, and calls `act` before.
  func cutDownload(after act: @escaping @Sendable () async -> Void) {
    state.withLock { ($0.failures, $0.beforeCut) = (1, act) }
  }

  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    let isUp = state.withLock { state in
      if call.url.path.hasSuffix("/products") { state.listRequestCount += 1 }
      return state.isUp
    }
    guard isUp else { throw HTTPFailure.unreachable(reason: "the server is down") }
    let path = call.url.path
    if path.contains("/v1/downloads/") {
      let act = state.withLock { state in
        defer { state.beforeCut = nil }
        return state.beforeCut
      }
      await act?()
      return try file(call, to: sink)
    }
    guard state.withLock({ $0.knowsApp }) else {
      try sink.begin(HTTPReplyHead(status: 404))
      return try sink.take(Data(#"{"error":{"code":"unknownApp","message":"There is no such app here."}}"#.utf8))
    }
    let customer = #""customer": "11111111-1111-1111-1111-111111111111""#
    let body =
      if path.hasSuffix("/installations") {
        #"{\#(customer), "token": "customer_1"}"#
      } else if path.hasSuffix("/products") {
        list()
      } else if path.hasSuffix("/redemptions") {
        #"{\#(customer), "environment": "Sandbox", "purchases": [\#(try purchase(call))]}"#
      } else if path.hasSuffix("/deliveries") {
        #"{"deliveries": [\#(pages.keys.sorted().map(delivery).joined(separator: ","))]}"#
      } else {
        "{\(customer)}"
      }
    try sink.begin(HTTPReplyHead(status: 200))
    try sink.take(Data(body.utf8))
  }

  private func list() -> String {
    let (listed, withdrawn) = state.withLock { ($0.listed, $0.withdrawn) }
    let products = listed.map { product in
      let content = #", "content": {"version": 1, "size": \#(pages[product]?.count ?? 1), "files": 1}"#
      return
        #"{"productId": "\#(product)", "type": "Non-Consumable"\#(withdrawn.contains(product) ? "" : content)}"#
    }
    return
      #"{"bundleId": "\#(SampleCatalog.bundleIdentifier)", "revision": 1, "products": [\#(products.joined(separator: ","))]}"#
  }

  private func purchase(_ call: HTTPCall) throws -> String {
    struct RedemptionRequest: Decodable {
      struct Purchase: Decodable {
        let transactionId: String
        let productId: String
      }

      let purchases: [Purchase]
    }
    let purchase = try JSONDecoder().decode(RedemptionRequest.self, from: call.body ?? Data()).purchases[0]
    return #"""
      {"transactionId": "\#(purchase.transactionId)", "given":
        {"claim": "\#(purchase.transactionId)", "claimed": 0, "delivery": \#(delivery(purchase.productId))}}
      """#
  }

  private func delivery(_ product: String) -> String {
    let data = pages[product] ?? Data()
    let digest = FileDigest(of: data)
    return #"""
      {"id": "\#(product)", "productId": "\#(product)", "source": "1", "version": 1, "files": [
        {"name": "text", "size": \#(data.count), "sha256": "\#(digest)", "mediaType": "text/plain",
         "link": "v1/downloads/\#(digest)"}]}
      """#
  }

  private func file(_ call: HTTPCall, to sink: any HTTPReplySink) throws {
    let digest = call.url.lastPathComponent
    let data = pages.values.first { FileDigest(of: $0).description == digest } ?? Data()
    let isCut = state.withLock { state in
      state.failures -= 1
      return state.failures >= 0
    }
    // Range requests are not supported, which HTTP allows.
    try sink.begin(HTTPReplyHead(status: 200, fields: ["ETag": "\"\(digest)\"", "Content-Length": "\(data.count)"]))
    try sink.take(isCut ? data.prefix(100) : data)
    if isCut { throw HTTPFailure.noAnswer(reason: "the line was cut") }
  }
}
