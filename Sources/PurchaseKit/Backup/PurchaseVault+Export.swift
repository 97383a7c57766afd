import Foundation
import SignedData

extension PurchaseVault {
  /// Makes a backup of the entitlements and the credits.
  ///
  /// The backup contains the entitlements as the app receipt, which must therefore be current. Frozen credits are left
  /// out.
  ///
  /// - Parameters:
  ///   - key: encrypts the backup, and is needed to import it. The customer keeps it.
  ///   - receipts: reads the app receipt. Without a receipt and without entitlements, the backup contains only credits.
  /// - Throws: ``BackupError/receipt(_:)`` if the receipt is not valid, or is missing although there are entitlements.
  public func export(under key: BackupKey, receipts: ReceiptReader) async throws -> Data {
    let receipt = try await receiptToExport(receipts)
    let credits = try read { contents -> BackupEnvelope.SealedCredits? in
      guard contents.head.books.freeze == nil else { return nil }
      let records = try contents.file.records(
        contents.tags.filter { $0.value.compartment == .credits }, contents.cipher)
      let backup = CreditBackup(
        lineage: contents.head.books.lineage, spent: contents.head.books.spent,
        grants: records.compactMap { if case .grant(let grant) = $0 { grant } else { nil } },
        spends: records.compactMap { if case .spend(let spend) = $0 { spend } else { nil } })
      return BackupEnvelope.SealedCredits(vaultID: contents.keyItem.vaultID, box: try contents.cipher.seal(backup))
    }
    return try BackupEnvelope(bundleID: owner.bundleID, receipt: receipt, credits: credits).sealed(under: key)
  }

  private func receiptToExport(_ receipts: ReceiptReader) async throws(BackupError) -> Data? {
    do throws(ReceiptError) {
      let data = try receipts.data()
      _ = try await receipts.receipt(data)
      return data
    } catch .missing where read({ $0.entitlements.isEmpty }) {
      return nil
    } catch {
      throw .receipt(error)
    }
  }
}
