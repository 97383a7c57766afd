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

/// What an operator did.
public struct AuditEntry: Hashable, Codable, Sendable {
  public let id: String
  public let date: StoreDate
  /// The name of the key.
  public let operatorName: String
  /// Such as `grant`.
  public let action: String
  /// What it was done to.
  public let subject: String
  /// More about it, in words.
  public let detail: String
}
