import StoreModel

/// The holder of an operator key: a person or a program.
public struct OperatorIdentity: Hashable, Sendable {
  public let id: String
  /// The holder's name in the audit log.
  public let name: String
  public let role: OperatorRole

  /// The person who runs the server's commands on its machine. It has every role, because it can read and write the database itself.
  public static let commandLine = OperatorIdentity(id: "", name: "command line", role: .admin)
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
  public let role: OperatorRole
  public let created: StoreDate
  public let revoked: StoreDate?
}
