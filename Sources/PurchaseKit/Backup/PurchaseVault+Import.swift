import Foundation
import SignedData

extension PurchaseVault {
  /// Imports the parts of a backup that can be verified, in one commit and without a network.
  ///
  /// Posts no notification: an app updates its screens afterwards.
  ///
  /// - Parameters:
  ///   - backup: a result of ``export(under:receipts:)``, from this device or another.
  ///   - key: the key of the backup.
  ///   - receipts: verifies the receipt in the backup, which may have been issued to another device.
  ///   - loss: the loss of credits to which the customer has agreed, from ``BackupImport/Credits/wouldLose(_:)`` of an
  ///     earlier import of this backup; nil at first.
  /// - Returns: what was imported, and why other parts were not.
  /// - Throws: ``BackupError``; nothing is changed then.
  public func importBackup(
    _ backup: Data, under key: BackupKey, receipts: ReceiptReader, accepting loss: CreditLoss? = nil
  ) async throws -> BackupImport {
    let envelope = try BackupEnvelope(backup, under: key)
    guard envelope.bundleID == owner.bundleID else { throw BackupError.ofAnotherApp(envelope.bundleID) }
    let receipt = await Self.receipt(in: envelope, receipts)
    let credits = try read { contents -> CreditBackup? in
      guard let sealed = envelope.credits, sealed.vaultID == contents.keyItem.vaultID else { return nil }
      guard let credits = contents.cipher.openBackup(sealed.box) else { throw BackupError.damaged }
      return credits
    }
    return try update { draft in
      let entitlements: BackupImport.Entitlements =
        switch receipt {
        case nil: .notInBackup
        case .failure(let error): .refused(error)
        case .success(let receipt): .broughtBack(draft.merge(ProvenEntitlements(receipt)))
        }
      let outcome: BackupImport.Credits =
        if let credits {
          try draft.merge(credits, accepting: loss)
        } else {
          envelope.credits == nil ? .notInBackup : .ofAnotherVault
        }
      return BackupImport(entitlements: entitlements, credits: outcome)
    }
  }

  private static func receipt(
    in envelope: BackupEnvelope, _ receipts: ReceiptReader
  ) async -> Result<Verified<AppReceipt>, ReceiptError>? {
    guard let data = envelope.receipt else { return nil }
    do {
      return .success(try await receipts.receipt(data))
    } catch {
      return .failure(error)
    }
  }
}
