import Foundation
import HTTPExchange

extension PurchaseServerClient {
  /// What can be spent, of every unit the customer ever had any of.
  public func creditBalances() async throws -> [ServerCreditBalance] {
    struct Answer: Decodable { let credits: [ServerCreditBalance] }
    return try await read(Answer.self, HTTPCall("GET", doors.app.appending(path: "credits"))).credits
  }

  /// A page of an account's history, the newest movement first.
  ///
  /// - Parameters:
  ///   - before: the last sequence number of the page before; nil for the first page.
  ///   - limit: 1 to 1,000.
  public func creditMovements(
    of unit: String, before: Int64? = nil, limit: Int = 100
  ) async throws -> [ServerCreditMovement] {
    struct Answer: Decodable { let movements: [ServerCreditMovement] }
    let url = doors.app.appending(path: "credits").appending(path: unit).appending(path: "movements")
    var query = [URLQueryItem(name: "limit", value: "\(limit)")]
    if let before { query.append(URLQueryItem(name: "before", value: "\(before)")) }
    return try await read(Answer.self, HTTPCall("GET", url.appending(queryItems: query))).movements
  }

  /// Spends credits, all or nothing. The same key and amount again is the same spend, and answers the same.
  ///
  /// - Parameters:
  ///   - amount: at least 1.
  ///   - key: names this spend of this customer; 1 to 200 bytes.
  public func spend(_ amount: Int, of unit: String, key: String) async throws -> ServerCreditMovement {
    struct Message: Encodable {
      let key: String
      let amount: Int
    }
    let call = try doors.post(Message(key: key, amount: amount), to: "credits/\(unit)/spends")
    return try await read(ServerCreditMovement.self, call)
  }
}
