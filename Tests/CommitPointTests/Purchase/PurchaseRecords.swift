import Foundation
import PurchaseKit
import SampleModel

/// The records of one purchase of five credits.
struct PurchaseRecords {
  private let records: DurableRecords

  private static let sale = DurableRecords.Sale(product: SampleCatalog.fiveCredits, milliunits: 990)
  private static let credits = 5

  init(_ environment: RunEnvironment) { records = DurableRecords(environment) }

  /// Returns the differences from the records after one purchase of five credits.
  func check() throws -> [String] {
    try records.checkStore([Self.sale]) + checkCredits() + records.checkQueueIsEmpty() + checkReceipt()
  }

  /// Describes the purchase on the disk of a process after an interruption, as in Documentation/commit-points.md.
  func diskState(of role: ProcessRole) throws -> String? {
    let parts: [String]
    switch role {
    case .store:
      parts = try records.store.values(
        "SELECT 'charged' FROM charge UNION ALL SELECT 'finished' FROM transactionRecord WHERE finishedDate > 0",
        of: "charge")
    case .server: return nil
    case .app:
      parts =
        try records.queueStages()
        + (records.vault()?.open { vault in
          vault.findings.map { "\($0)" } + (try VaultCreditStore(vault).grants().isEmpty ? [] : ["granted"])
        } ?? [])
    }
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }

  private func checkCredits() throws -> [String] {
    let sold = try records.sold(Self.sale.product)
    let messages = try records.vault()?.open { vault in
      let store = VaultCreditStore(vault)
      let grants = try store.grants()
      var findings = Findings()
      findings.expect(vault.findings.isEmpty, "the vault reports tampering: \(vault.findings)")
      findings.expect(
        grants.map(\.transactionIdentifier) == sold, "the sold transactions are \(sold), the granted ones \(grants)")
      for grant in grants { findings.expect(grant.credits == Self.credits, "the grant is \(grant)") }
      let balance = try store.balance()
      findings.expect(balance == Self.credits, "the balance is \(balance)")
      return findings.messages
    }
    return messages ?? ["there is no vault"]
  }

  private func checkReceipt() throws -> [String] {
    let receipts = try records.queue.values(
      "SELECT 'a receipt' FROM installation WHERE receipt IS NOT NULL", of: "installation")
    return receipts.isEmpty ? ["the app's receipt is missing"] : []
  }
}
