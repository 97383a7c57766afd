import Crypto
import Foundation
import HTTPTransport
import SampleModel
import SignedData
import StoreModel

/// A client of the purchase server for the script. It acts as the operator, and as an attacker that presents receipts.
struct OperatorClient: Sendable {
  /// A response of the server.
  struct Answer: Sendable {
    let status: Int
    let body: Data

    /// The error code of a refusal; nil if there is none.
    var code: String? {
      struct Refused: Decodable {
        struct Details: Decodable { let code: String }
        let error: Details
      }
      return (try? JSONDecoder().decode(Refused.self, from: body))?.error.code
    }
  }

  let address: URL
  let key: String
  private let transport = SystemTransport()

  init(address: URL, key: String) {
    self.address = address
    self.key = key
  }

  /// Adds a product to the list of products, and publishes its files.
  func publish(_ product: String, files: [(name: String, content: Data)]) async throws {
    try await list(product)
    try await publish(content: files, of: product)
  }

  /// Adds a product to the list of products, or removes it.
  ///
  /// - Parameters:
  ///   - type: the type of a product without credits.
  ///   - credits: the credits that a consumable grants; nil for another product.
  ///   - entitlements: the names of what the product gives.
  func list(
    _ product: String, as type: ProductType = .nonConsumable, credits: (unit: String, amount: Int)? = nil,
    isListed: Bool = true, entitlements: [String] = []
  ) async throws {
    let type = credits == nil ? type : .consumable
    var document: [String: Any] = ["type": type.rawValue, "isListed": isListed, "entitlements": entitlements]
    if let credits { document["credits"] = ["unit": credits.unit, "amount": credits.amount] }
    _ = try await expect(
      "PUT", "v1/operator/apps/\(SampleCatalog.bundleIdentifier)/products/\(product)", key,
      try JSONSerialization.data(withJSONObject: document))
  }

  /// Publishes an offering, and makes it the current one.
  ///
  /// - Parameter headline: the text that the app shows above the products.
  func offer(_ products: [String], as offering: String, headline: String) async throws {
    let document: [String: Any] = [
      "products": products, "isCurrent": true, "metadata": [SampleCatalog.offeringHeadline: headline],
    ]
    _ = try await expect(
      "PUT", "v1/operator/apps/\(SampleCatalog.bundleIdentifier)/offerings/\(offering)", key,
      try JSONSerialization.data(withJSONObject: document))
  }

  /// Publishes a new version of a product's content.
  func publish(content: [(name: String, content: Data)], of product: String) async throws {
    var listed: [[String: String]] = []
    for (name, content) in content {
      let digest = Hexadecimal.lowercaseText(of: Array(SHA256.hash(data: content)))
      _ = try await expect("PUT", "v1/operator/content?sha256=\(digest)", key, content)
      listed.append(["name": name, "sha256": digest, "mediaType": "text/plain; charset=utf-8"])
    }
    let document = try JSONSerialization.data(withJSONObject: ["files": listed])
    _ = try await expect(
      "PUT", "v1/operator/apps/\(SampleCatalog.bundleIdentifier)/products/\(product)/content", key, document)
  }

  /// Returns the number of customers that have claimed a transaction.
  func claimants(of transaction: String) async throws -> Int {
    struct Found: Decodable { let customers: [String] }
    let answer = try await expect("GET", "v1/operator/customers?transactionId=\(transaction)", key, Data())
    return try JSONDecoder().decode(Found.self, from: answer.body).customers.count
  }

  /// What a purchase has given to its customer.
  struct Entitlement: Decodable, Sendable {
    let source: String
    let accessUntil: StoreDate?
    /// Nil if it has not ended.
    let endReason: String?
  }

  /// Returns the entitlement that a claimed purchase has given; nil if there is none.
  func entitlement(by transaction: TransactionID) async throws -> Entitlement? {
    struct Found: Decodable { let customers: [String] }
    struct Overview: Decodable {
      struct Owned: Decodable { let entitlement: Entitlement }
      let entitlements: [Owned]
    }
    let found = try await expect("GET", "v1/operator/customers?transactionId=\(transaction)", key, Data())
    guard let customer = try JSONDecoder().decode(Found.self, from: found.body).customers.first else { return nil }
    let overview = try await expect("GET", "v1/operator/customers/\(customer)", key, Data())
    return try JSONDecoder().decode(Overview.self, from: overview.body).entitlements.map(\.entitlement)
      .first { $0.source == transaction.rawValue }
  }

  /// Registers a new installation, and returns its token.
  ///
  /// - Parameter device: the device identifier; nil for a new one.
  func installation(on device: String? = nil, in app: String = SampleCatalog.bundleIdentifier) async throws -> String {
    struct Installation: Decodable { let token: String }
    let answer = try await expect(
      "POST", "v1/apps/\(app)/installations", nil, #"{"device": "\#(device ?? UUID().uuidString)"}"#)
    return try JSONDecoder().decode(Installation.self, from: answer.body).token
  }

  /// Redeems a receipt for a purchase.
  ///
  /// - Parameter product: the product id that the request claims for the purchase.
  func redeem(
    _ receipt: Data, _ transaction: String, as product: String, token: String,
    app: String = SampleCatalog.bundleIdentifier
  ) async throws -> Answer {
    let document: [String: Any] = [
      "proof": ["appReceipt": receipt.base64EncodedString()],
      "purchases": [["transactionId": transaction, "productId": product]],
    ]
    return try await ask(
      "POST", "v1/apps/\(app)/redemptions", token, try JSONSerialization.data(withJSONObject: document))
  }

  private func expect(_ method: String, _ path: String, _ token: String?, _ json: String) async throws -> Answer {
    try await expect(method, path, token, Data(json.utf8))
  }

  private func expect(_ method: String, _ path: String, _ token: String?, _ body: Data) async throws -> Answer {
    let answer = try await ask(method, path, token, body)
    guard (200..<300).contains(answer.status) else {
      throw DemoFailure("\(method) \(path) was refused: \(String(decoding: answer.body, as: UTF8.self))")
    }
    return answer
  }

  private func ask(_ method: String, _ path: String, _ token: String?, _ body: Data) async throws -> Answer {
    guard let url = URL(string: "\(address.absoluteString)/\(path)") else { throw DemoFailure("\(path) is no path.") }
    let reply = try await transport.reply(
      to: HTTPCall(
        method, url, fields: token.map { ["Authorization": "Bearer \($0)"] } ?? [:], body: body.isEmpty ? nil : body))
    return Answer(status: reply.status, body: reply.body)
  }
}
