/// What the import of a backup brought back, what not, and why.
public struct BackupImport: Hashable, Sendable {
  /// What became of the backup's credits.
  public enum Credits: Codable, Hashable, Sendable {
    /// They are back, and the balance is this.
    case broughtBack(balance: Int)
    /// The backup holds none.
    case notInBackup
    /// They were brought back before; that can be done once.
    case importedBefore
    /// What is there is newer, and was left alone.
    case currentAreNewer
    /// Another vault made the backup: only that device, with its key, can bring its credits back.
    case ofAnotherVault
  }

  /// What became of the backup's entitlements.
  public enum Entitlements: Hashable, Sendable {
    /// The receipt was believed; these are new or changed.
    case broughtBack([Entitlement])
    /// The backup holds no receipt.
    case notInBackup
    /// The receipt was not believed.
    case refused(ReceiptError)
  }

  public let entitlements: Entitlements
  public let credits: Credits
}
