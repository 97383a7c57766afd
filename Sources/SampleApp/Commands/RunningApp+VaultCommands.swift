import DurableSQLite
import Foundation
import PurchaseKit

// Commands for backups, and for frozen credits.
extension RunningApp {
  /// Writes a backup. It is durable before it is reported, because the customer may delete the app after the report.
  func exportBackup(to path: String) async throws {
    let key = BackupKey()
    do {
      try DurableFile.replace(URL(filePath: path), with: await vault.export(under: key, receipts: receipts))
    } catch BackupError.receipt(.missing) {
      // After a reinstallation, the app has no receipt if its purchases were imported from a backup.
      return send(
        .commandFailed(
          reason:
            "A backup needs the store’s receipt, which shows what is owned. Restore purchases, then back up again."))
    }
    send(.exported(key: key.text))
  }

  func importBackup(_ path: String, _ key: String) async {
    do {
      let backup = try await vault.importBackup(
        Data(contentsOf: URL(filePath: path)), under: BackupKey(text: key), receipts: receipts)
      // Delivers purchases that were paid for while credits were frozen.
      await manager.deliverKept()
      let event: AppEvent =
        switch backup.entitlements {
        case .broughtBack(let entitlements):
          .imported(products: entitlements.map(\.productIdentifier).sorted(), credits: backup.credits, refused: nil)
        case .notInBackup: .imported(products: [], credits: backup.credits, refused: nil)
        case .refused(let error): .imported(products: [], credits: backup.credits, refused: "\(error)")
        }
      send(event)
    } catch {
      send(.importRefused(reason: "\(error)"))
    }
  }

  func discardFrozenCredits() async throws {
    try vault.resetCredits()
    await manager.deliverKept()
    try reportBalance()
  }
}
