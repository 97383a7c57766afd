import APIDescription
import AppStoreEmulator
import SignedData
import StoreModel

// MARK: Paths

package struct AppPath: APIObject {
  package let bundleId: BundleID
  package init(_ bundleID: BundleID) { bundleId = bundleID }
}

package struct ProductPath: APIObject {
  package let bundleId: BundleID
  package let productId: ProductID

  package init(_ productID: ProductID, of bundleID: BundleID) {
    bundleId = bundleID
    productId = productID
  }
}

package struct CustomerPath: APIObject {
  package let environment: EnvironmentName
  package let name: AccountName

  package init(_ name: AccountName, _ environment: StoreEnvironment) {
    self.environment = EnvironmentName(environment)
    self.name = name
  }
}

package struct InstallationPath: APIObject {
  package let installationId: InstallationID
  package init(_ installationID: InstallationID) { installationId = installationID }
}

package struct PaymentPath: APIObject {
  package let installationId: InstallationID
  package let paymentId: PaymentID

  package init(_ paymentID: PaymentID, on installationID: InstallationID) {
    installationId = installationID
    paymentId = paymentID
  }
}

package struct TransactionPath: APIObject {
  package let transactionId: TransactionID

  package static let notes: [String: MemberNote] = [
    "transactionId": "The transaction's own id, or that of a redelivery."
  ]

  package init(_ id: TransactionID) { transactionId = id }
}

package struct SubscriptionPath: APIObject {
  package let originalTransactionId: TransactionID

  package static let notes: [String: MemberNote] = [
    "originalTransactionId": "The `originalTransactionId` of the subscription's transactions."
  ]

  package init(_ id: TransactionID) { originalTransactionId = id }
}

package struct FaultPath: APIObject {
  package let id: FaultID
  package init(_ id: FaultID) { self.id = id }
}

package struct RequestPath: APIObject {
  package let sequence: Int64
  package init(_ sequence: Int64) { self.sequence = sequence }
}

// MARK: Queries

package struct ConnectionQuery: APIObject {
  package let bundleId: BundleID?

  package static let notes: [String: MemberNote] = ["bundleId": "Required if the store serves several apps."]

  package init(bundleId: BundleID? = nil) { self.bundleId = bundleId }
}

package struct ProofsQuery: APIObject {
  package let certificate: SigningChain?

  package static let notes: [String: MemberNote] = [
    "certificate": .init(
      "The certificates that sign. Verifiers must refuse the proofs with expired, notYetValid and wrongSignature, and accept them with rotatedIntermediate.",
      defaultValue: .string("valid"))
  ]

  package init(certificate: SigningChain? = nil) { self.certificate = certificate }
}

/// Filters charges and refunds by their transaction. Missing members do not restrict the result.
package struct RecordQuery: APIObject {
  package var bundleId: BundleID?
  package var environment: EnvironmentName?
  package var customer: AccountName?
  package var productId: ProductID?
  package var state: TransactionState?
  package var search: String?
  package var before: Int64?
  package var limit: Int?

  package static let notes: [String: MemberNote] = [
    "state": "The state of the transaction.",
    "search":
      """
    Text in the transaction's ids, its product's id, its customer's name, its applicationUsername or its appAccountToken; case is \
    ignored. Or the whole id of a redelivery.
    """,
    "before": .init("Only records with a smaller number: `next` of the previous page.", minimum: 0),
    "limit": .init(minimum: 1, maximum: 1000, defaultValue: .integer(1000)),
  ]

  package init() {}

  package var filter: RecordFilter {
    RecordFilter(
      bundleID: bundleId, environment: environment?.environment, account: customer, productID: productId, state: state,
      search: search, before: before, limit: limit ?? 1000)
  }
}

/// Filters transactions.
package struct TransactionQuery: APIObject {
  package var records = RecordQuery()
  package var withTotal: Bool?

  package static var notes: [String: MemberNote] {
    RecordQuery.notes.merging(["withTotal": .init("Also count all of them.", defaultValue: .boolean(false))]) { $1 }
  }

  private enum CodingKeys: String, CodingKey { case withTotal }

  package init() {}

  package init(from decoder: any Decoder) throws {
    records = try RecordQuery(from: decoder)
    withTotal = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Bool.self, forKey: .withTotal)
  }

  package func encode(to encoder: any Encoder) throws {
    try records.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(withTotal, forKey: .withTotal)
  }
}

/// Filters the request journal. Missing members do not restrict the result.
package struct RequestQuery: APIObject {
  package var call: RequestKind?
  package var outcome: RequestOutcome.Name?
  package var bundleId: BundleID?
  package var environment: EnvironmentName?
  package var customer: AccountName?
  package var installationId: InstallationID?
  package var productId: ProductID?
  package var paymentId: PaymentID?
  package var transactionId: TransactionID?
  package var faultId: FaultID?
  package var after: Int64?
  package var limit: Int?

  package static let notes: [String: MemberNote] = [
    "transactionId": "The transaction of a finish.",
    "faultId": "The fault that was applied.",
    "after": .init("Only requests with a larger number.", minimum: 0, maximum: .max - 1),
    "limit": .init("If there are more, the newest.", minimum: 1, maximum: 10_000, defaultValue: .integer(1000)),
  ]

  package init() {}

  package var filter: RequestFilter {
    RequestFilter(
      call, installationID: installationId, environment: environment?.environment, bundleID: bundleId,
      customer: customer,
      productID: productId, paymentID: paymentId, transactionID: transactionId, outcome: outcome, faultID: faultId,
      after: after)
  }
}

/// The name of an environment in paths and queries: `production` or `sandbox`.
package struct EnvironmentName: APIValue, Hashable {
  package let environment: StoreEnvironment

  package init(_ environment: StoreEnvironment) { self.environment = environment }

  package static func schema(_ components: SchemaComponents) -> JSONSchema {
    JSONSchema(.string, values: [.string("production"), .string("sandbox")])
  }
  package static var sample: EnvironmentName { EnvironmentName(.sandbox) }

  /// Also accepts the names in JSON bodies, such as `Sandbox`.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let environment = StoreEnvironment(rawValue: text) ?? StoreEnvironment(lowercaseName: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(text) is no environment; use production or sandbox.")
    }
    self.environment = environment
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(environment.lowercaseName)
  }
}
