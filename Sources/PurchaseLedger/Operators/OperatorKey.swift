import StoreModel

/// The holder of an operator key: a person or a program.
public struct OperatorIdentity: Hashable, Sendable {
  public let id: String
  /// The holder's name in the audit log.
  public let name: String
}

/// A newly created key. Its secret is returned only here; the ledger stores its hash.
public struct CreatedOperatorKey: Sendable {
  public let identity: OperatorIdentity
  public let token: BearerToken
}

/// A key as it is listed, without its secret.
public struct OperatorKey: Hashable, Codable, Sendable {
  public let id: String
  public let name: String
  public let created: StoreDate
  public let revoked: StoreDate?
}
