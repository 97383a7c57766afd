import Foundation
import HTTPTransport

extension PurchaseServerClient {
  /// A purchase to be redeemed.
  public struct ClaimedPurchase: Hashable, Encodable, Sendable {
    let transactionId: String
    let productId: String?

    /// - Parameters:
    ///   - transactionIdentifier: the identifier that the proof contains. For a restored purchase, the original
    ///     transaction's.
    ///   - productIdentifier: the product that the app expects; nil for any product.
    public init(transactionIdentifier: String, productIdentifier: String? = nil) {
      transactionId = transactionIdentifier
      productId = productIdentifier
    }
  }

  private struct RedemptionMessage: Encodable {
    let proof: StoreProof.Message
    let purchases: [ClaimedPurchase]
  }

  private struct RestoreMessage: Encodable {
    let proof: StoreProof.Message
  }

  /// Sends purchases to the server, which verifies them, and returns their goods.
  ///
  /// - Returns: the result of each purchase, even if all were refused.
  /// - Throws: ``PurchaseServerError``; `refused` if the proof itself was refused.
  public func redeem(_ proof: StoreProof, _ purchases: [ClaimedPurchase]) async throws -> ServerRedemption {
    try await asking(with: proof) { proof in
      try await redemption(
        endpoints.post(RedemptionMessage(proof: .init(proof), purchases: purchases), to: "redemptions"))
    }
  }

  /// Redeems purchases as `customer`, never as another customer who signs in meanwhile.
  ///
  /// - Throws: ``OtherCustomer`` in two cases. If the current token belongs to another customer, nothing was redeemed.
  ///   If the server joined `customer` with another customer, the purchases were redeemed for that other customer.
  ///   Otherwise ``PurchaseServerError``.
  func redeem(
    _ proof: StoreProof, _ purchases: [ClaimedPurchase], as customer: UUID
  ) async throws -> ServerRedemption {
    try await asking(with: proof) { proof in
      let message = RedemptionMessage(proof: .init(proof), purchases: purchases)
      let asked = successor(of: customer)
      let (reply, bearer) = try await answer(to: endpoints.post(message, to: "redemptions"), as: customer)
      let redemption = try Self.redemption(in: reply)
      try await becomes(redemption.customer, bearer)
      guard redemption.customer == asked else { throw OtherCustomer() }
      return redemption
    }
  }

  /// Restores all non-consumables and subscriptions that the proof contains.
  ///
  /// - Throws: ``PurchaseServerError``.
  public func restore(_ proof: StoreProof) async throws -> ServerRedemption {
    try await asking(with: proof) { proof in
      try await redemption(endpoints.post(RestoreMessage(proof: .init(proof)), to: "restores"))
    }
  }

  /// The longest pause before a request with a renewed receipt, in seconds. The server asks for one or two.
  private static let longestPause = 5

  /// Sends a request with a proof. If the server cannot tell whether the proof is newer than this installation's registration,
  /// sends it again after the second in question, once, with a new app receipt.
  private func asking(
    with proof: StoreProof, _ send: (StoreProof) async throws -> ServerRedemption
  ) async throws -> ServerRedemption {
    do {
      return try await send(proof)
    } catch PurchaseServerError.refused(let refusal) where refusal.isAboutSecondOfRegistration {
      try await clock.sleep(for: .seconds(min(max(refusal.retryAfterSeconds ?? 1, 1), Self.longestPause)))
      // A signed transaction has milliseconds. It has the date of the registration only if the store's clock stands, and then
      // the server accepts it after the pause.
      guard case .appReceipt = proof else { return try await send(proof) }
      var renewed = proof
      do {
        renewed = .appReceipt(try await refreshReceipt())
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        // After the pause, the server may accept the same receipt: it does so if the store's clock stands.
      }
      return try await send(renewed)
    }
  }

  private func redemption(_ call: HTTPCall) async throws -> ServerRedemption {
    let (reply, bearer) = try await answer(to: call)
    let redemption = try Self.redemption(in: reply)
    try await becomes(redemption.customer, bearer)
    return redemption
  }

  private static func redemption(in reply: HTTPReply) throws -> ServerRedemption {
    do {
      return try ServerEndpoints.decoded(ServerRedemption.self, from: reply)
    } catch {
      // If all purchases are refused, the response has an error status and still lists the result of each.
      let anyStatus = HTTPReply(head: HTTPReplyHead(status: 200), body: reply.body)
      guard (400..<500).contains(reply.status),
        let refused = try? ServerEndpoints.decoded(ServerRedemption.self, from: anyStatus)
      else { throw error }
      return refused
    }
  }

  /// Returns the customer's current and past entitlements on the server.
  public func entitlements() async throws -> [ServerEntitlement] {
    struct Page: ServerPage {
      let entitlements: [ServerEntitlement]
      let next: String?
    }
    return try await pages(Page.self, of: "entitlements").flatMap(\.entitlements)
  }

  /// Returns what the customer has on the server under the names of entitlements, by name. Empty from servers without names.
  ///
  /// - Throws: ``PurchaseServerError``.
  public func namedEntitlements() async throws -> [ServerNamedEntitlement] {
    struct Page: Decodable { let named: [ServerNamedEntitlement]? }
    // The first page is about all entitlements.
    let address = endpoints.app.appending(path: "entitlements")
      .appending(queryItems: [URLQueryItem(name: "limit", value: "1")])
    return try await read(Page.self, HTTPCall("GET", address)).named ?? []
  }

  /// Returns the content that can be downloaded now, with new links.
  public func deliveries() async throws -> [ContentDelivery] {
    struct Page: ServerPage {
      let deliveries: [ContentDelivery]
      let next: String?
    }
    return try await pages(Page.self, of: "deliveries").flatMap(\.deliveries)
  }

  /// Reads all pages of a list.
  private func pages<Page: ServerPage>(_ type: Page.Type, of list: String) async throws -> [Page] {
    var (pages, next): ([Page], String?) = ([], nil)
    repeat {
      let address = endpoints.app.appending(path: list)
      let query = next.map { [URLQueryItem(name: "after", value: $0)] } ?? []
      let page = try await read(type, HTTPCall("GET", query.isEmpty ? address : address.appending(queryItems: query)))
      // A server that returned the same position again would keep the app here for ever.
      guard page.next == nil || page.next != next else {
        throw PurchaseServerError.unintelligible(reason: "\(list): a page follows itself")
      }
      pages.append(page)
      next = page.next
    } while next != nil
    return pages
  }
}

/// A page of a list.
private protocol ServerPage: Decodable {
  /// The position of the next page; nil on the last page.
  var next: String? { get }
}

extension PurchaseServerClient {
  /// The response to a request for the master list.
  public enum ProductsAnswer: Hashable, Sendable {
    /// The list, and the entity tag for the next request.
    case list(ServerProductList, entityTag: String?)
    /// The current list matches the given tag.
    case notModified
  }

  /// Requests the developer's master list. It needs no token.
  ///
  /// - Parameters:
  ///   - entityTag: the tag of the list that the app has; nil for none.
  ///   - languages: the value of `Accept-Language`; nil for the server's default.
  /// - Throws: ``PurchaseServerError``.
  public func products(unless entityTag: String? = nil, languages: String? = nil) async throws -> ProductsAnswer {
    var fields: [String: String] = [:]
    fields["If-None-Match"] = entityTag
    fields["Accept-Language"] = languages
    let reply = try await open(HTTPCall("GET", endpoints.app.appending(path: "products"), fields: fields))
    if reply.status == 304, entityTag != nil { return .notModified }
    return .list(try ServerEndpoints.decoded(ServerProductList.self, from: reply), entityTag: reply.head["ETag"])
  }
}

extension PurchaseServerClient {
  /// Returns the addresses of a delivery's files.
  func links(of delivery: ContentDelivery) -> [FileDigest: URL] {
    var links: [FileDigest: URL] = [:]
    for file in delivery.files {
      if let digest = FileDigest(file.sha256), let link = file.link.flatMap(endpoints.link) { links[digest] = link }
    }
    return links
  }
}
