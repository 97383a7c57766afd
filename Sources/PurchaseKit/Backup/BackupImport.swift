/// The result of importing a backup.
public struct BackupImport: Hashable, Sendable {
  /// The result for the credits.
  public enum Credits: Codable, Hashable, Sendable {
    /// The credits were imported; the value is the new balance.
    case broughtBack(balance: Int)
    /// The credits were not imported, because the backup has fewer than were lost. They stay frozen. Show the loss to the
    /// customer. If the customer agrees to it, import the backup again, and pass the loss. Credits of a newer backup could
    /// not be imported after that.
    case wouldLose(CreditLoss)
    /// The backup contains no credits.
    case notInBackup
    /// The same credits were imported before. They can be imported only once.
    case importedBefore
    /// The current credits are newer, and are unchanged.
    case currentAreNewer
    /// The backup was made by another vault. Only the device that has that vault's key can import the credits.
    case ofAnotherVault
  }

  /// The result for the entitlements.
  public enum Entitlements: Hashable, Sendable {
    /// The receipt is valid; the value has the entitlements that are new or changed.
    case broughtBack([Entitlement])
    /// The backup contains no receipt.
    case notInBackup
    /// The receipt is not valid.
    case refused(ReceiptError)
  }

  public let entitlements: Entitlements
  public let credits: Credits
}
