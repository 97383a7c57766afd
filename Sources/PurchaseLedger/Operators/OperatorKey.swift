import StoreModel

/// Who may operate a ledger: a person or a program of the operator's.
public struct OperatorIdentity: Hashable, Sendable {
  public let id: String
  /// What the audit log calls them.
  public let name: String
}

/// A key that was made. Its secret is told once; the ledger keeps its hash.
public struct CreatedOperatorKey: Sendable {
  public let identity: OperatorIdentity
  public let token: BearerToken
}

/// A key as it is listed.
public struct OperatorKey: Hashable, Codable, Sendable {
  public let id: String
  public let name: String
  public let created: StoreDate
  public let revoked: StoreDate?
}
