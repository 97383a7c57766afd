import Foundation
import HTTPTransport

extension PurchaseServerClient {
  /// Returns the balances of all units that the customer has ever had.
  ///
  /// - Throws: ``PurchaseServerError``.
  public func creditBalances() async throws -> [ServerCreditBalance] { try await credits().balances }

  /// A customer's balances.
  struct Credits {
    let balances: [ServerCreditBalance]
    let identity: Identity
    /// Identifies the server's ledger; empty from older servers.
    let incarnation: String
  }

  func credits() async throws -> Credits {
    struct Answer: Decodable {
      let credits: [ServerCreditBalance]
      let incarnation: String?
    }
    let (reply, bearer) = try await answer(to: HTTPCall("GET", endpoints.app.appending(path: "credits")))
    let answer = try ServerEndpoints.decoded(Answer.self, from: reply)
    return Credits(
      balances: answer.credits, identity: try await identity(of: bearer), incarnation: answer.incarnation ?? "")
  }

  /// Returns a page of an account's history, the newest movement first.
  ///
  /// - Parameters:
  ///   - before: the last sequence number of the page before; nil for the first page.
  ///   - limit: 1 to 1,000.
  public func creditMovements(
    of unit: String, before: Int64? = nil, limit: Int = 100
  ) async throws -> [ServerCreditMovement] {
    struct Answer: Decodable { let movements: [ServerCreditMovement] }
    let url = endpoints.app.appending(path: "credits").appending(path: unit).appending(path: "movements")
    var query = [URLQueryItem(name: "limit", value: "\(limit)")]
    if let before { query.append(URLQueryItem(name: "before", value: "\(before)")) }
    return try await read(Answer.self, HTTPCall("GET", url.appending(queryItems: query))).movements
  }

  /// Spends credits, all or nothing. Repeating a spend with the same key and amount spends once, and has the same result.
  ///
  /// - Parameters:
  ///   - amount: at least 1.
  ///   - key: identifies this spend of this customer; 1 to 200 bytes.
  public func spend(_ amount: Int, of unit: String, key: String) async throws -> ServerCreditMovement {
    try await read(ServerCreditMovement.self, spending(amount, of: unit, key: key))
  }

  /// Spends credits as `customer`, never as another customer who signs in meanwhile.
  ///
  /// - Throws: ``OtherCustomer``; ``PurchaseServerError``.
  func spend(
    _ amount: Int, of unit: String, key: String, as customer: UUID
  ) async throws -> ServerCreditMovement {
    try ServerEndpoints.decoded(
      ServerCreditMovement.self, from: try await answer(to: spending(amount, of: unit, key: key), as: customer).0)
  }

  private func spending(_ amount: Int, of unit: String, key: String) throws -> HTTPCall {
    struct Message: Encodable {
      let key: String
      let amount: Int
    }
    return try endpoints.post(Message(key: key, amount: amount), to: "credits/\(unit)/spends")
  }
}
