import StoreModel

/// The requests to which a fault may apply. A nil property matches all requests.
public struct FaultScope: Hashable, Codable, Sendable {
  /// The kinds of requests; nil for the usual requests of the fault's kind.
  public var calls: Set<RequestKind>?
  public var environment: StoreEnvironment?
  /// The customer who pays, signs in, or is signed in. A `verifyReceipt` request has no customer.
  public var customer: AccountName?
  /// For `verifyReceipt`: the unverified bundle id in the receipt.
  public var bundleID: BundleID?
  /// The product of the request. Only `products`, `quote`, `confirm` and notifications have one.
  public var productID: ProductID?
  public var installationID: InstallationID?

  public init(
    calls: Set<RequestKind>? = nil, environment: StoreEnvironment? = nil, customer: AccountName? = nil,
    bundleID: BundleID? = nil, productID: ProductID? = nil, installationID: InstallationID? = nil
  ) {
    self.calls = calls
    self.environment = environment
    self.customer = customer
    self.bundleID = bundleID
    self.productID = productID
    self.installationID = installationID
  }

  private enum CodingKeys: String, CodingKey {
    case calls, environment, customer
    case bundleID = "bundleId"
    case productID = "productId"
    case installationID = "installationId"
  }

  /// Refuses unknown keys, because a misspelt scope would match all requests.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseUnknownKeys(besides: [
      "calls", "environment", "customer", "bundleId", "productId", "installationId",
    ])
    let container = try decoder.container(keyedBy: CodingKeys.self)
    calls = try container.decodeIfPresent(Set<RequestKind>.self, forKey: .calls)
    environment = try container.decodeIfPresent(StoreEnvironment.self, forKey: .environment)
    customer = try container.decodeIfPresent(AccountName.self, forKey: .customer)
    bundleID = try container.decodeIfPresent(BundleID.self, forKey: .bundleID)
    productID = try container.decodeIfPresent(ProductID.self, forKey: .productID)
    installationID = try container.decodeIfPresent(InstallationID.self, forKey: .installationID)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    // Sorted, so that the same scope always has the same bytes.
    try container.encodeIfPresent(calls?.map(\.rawValue).sorted(), forKey: .calls)
    try container.encodeIfPresent(environment, forKey: .environment)
    try container.encodeIfPresent(customer, forKey: .customer)
    try container.encodeIfPresent(bundleID, forKey: .bundleID)
    try container.encodeIfPresent(productID, forKey: .productID)
    try container.encodeIfPresent(installationID, forKey: .installationID)
  }

  /// Whether the scope matches a request. Ignores ``calls``.
  func admits(_ metadata: RequestMetadata) -> Bool {
    func fits<Value: Equatable>(_ wanted: Value?, _ value: Value?) -> Bool { wanted == nil || wanted == value }
    return fits(environment, metadata.environment) && fits(customer, metadata.customer)
      && fits(bundleID, metadata.bundleID)
      && fits(installationID, metadata.installationID) && productID.map(metadata.productIDs.contains) ?? true
  }
}

extension Decoder {
  /// - Throws: `DecodingError` with the first key that `known` does not contain.
  func refuseUnknownKeys(besides known: Set<String>) throws {
    let keys = try container(keyedBy: AnyCodingKey.self).allKeys
    guard let unknown = keys.map(\.stringValue).filter({ !known.contains($0) }).min() else { return }
    throw DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: codingPath,
        debugDescription: "\(unknown) is not known here; there are \(known.sorted().joined(separator: ", "))."))
  }
}
