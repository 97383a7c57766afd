import DurableSQLite
import Foundation
import PurchaseKit

// Commands for backups, and for frozen credits.
extension RunningApp {
  func carryOutOnVault(_ order: SampleAppOrder) async throws {
    switch order {
    case .exportBackup(let path):
      let key = BackupKey()
      // Durable before it is reported: the customer may delete the app once the backup is shown as made.
      do {
        try DurableFile.replace(URL(filePath: path), with: await vault.export(under: key, receipts: receipts))
      } catch BackupError.receipt(.missing) {
        // There is no receipt after a reinstallation if the purchases came from a backup.
        return say(
          .orderFailed(
            reason:
              "A backup needs the store’s receipt, which shows what is owned. Restore purchases, then back up again.")
        )
      }
      say(.exported(key: key.text))
    case .importBackup(let path, let key):
      say(await importBackup(path, key))
    case .startCreditsAnew:
      try vault.startCreditsAnew()
      await manager.deliverKept()
      say(.balance(try credits.balance))
    default: break
    }
  }

  private func importBackup(_ path: String, _ key: String) async -> SampleAppEvent {
    do {
      let backup = try await vault.importBackup(
        Data(contentsOf: URL(filePath: path)), under: BackupKey(text: key), receipts: receipts)
      // Delivers purchases that were paid for while credits were frozen.
      await manager.deliverKept()
      return switch backup.entitlements {
      case .broughtBack(let entitlements):
        .imported(products: entitlements.map(\.productIdentifier).sorted(), credits: backup.credits, refused: nil)
      case .notInBackup: .imported(products: [], credits: backup.credits, refused: nil)
      case .refused(let error): .imported(products: [], credits: backup.credits, refused: "\(error)")
      }
    } catch {
      return .importRefused(reason: "\(error)")
    }
  }
}
