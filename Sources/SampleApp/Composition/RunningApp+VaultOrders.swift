import DurableSQLite
import Foundation
import PurchaseKit

// What it is told to do with backups, and with credits that are frozen.
extension RunningApp {
  func carryOutOnVault(_ order: SampleAppOrder) async throws {
    switch order {
    case .exportBackup(let path):
      let key = BackupKey()
      // Durable before anybody is told: the customer may delete the app on the strength of it.
      do {
        try DurableFile.replace(URL(filePath: path), with: await vault.export(under: key, receipts: receipts))
      } catch BackupError.receipt(.missing) {
        // As after a reinstall, where what is owned came from a backup.
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
      // What was paid for while credits were frozen waits.
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
