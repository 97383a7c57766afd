import DurableSQLite
import Foundation
import PurchaseKit
import SampleModel
import StoreModel

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

  /// - Parameter loss: the loss of credits to which the customer has agreed; nil at first. If there is another one, the
  ///   customer is asked.
  func importBackup(_ path: String, _ key: String, accepting loss: CreditLoss?) async {
    do {
      let backup = try await vault.importBackup(
        Data(contentsOf: URL(filePath: path)), under: BackupKey(text: key), receipts: receipts, accepting: loss)
      if case .wouldLose(let loss) = backup.credits {
        ask(LossQuestion(loss, .importBackup), before: .importBackup(path: path, key: key, accepting: loss))
      }
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
      if sheets != nil { reportCreditsAtRisk() }
    } catch {
      send(.importRefused(reason: "\(error)"))
    }
  }

  /// - Parameter loss: the loss to which the customer has agreed; nil at first. If there is another one, it is reported,
  ///   and the customer is asked.
  func discardFrozenCredits(accepting loss: CreditLoss?) async throws {
    if let store = goods?.monkeyCredits {
      let isReset = try await discard(SampleCatalog.creditsUnit, in: store, accepting: loss) {
        .discardFrozenCredits(accepting: $0)
      }
      if isReset { try reportBalance() }
      return
    }
    let current = vault.creditsAtRisk
    guard current.isNothing || loss != nil else { return askToDiscard(current) }
    do {
      try vault.resetCredits(accepting: loss ?? current)
    } catch CreditError.lossNotAccepted(let other) {
      return askToDiscard(other)
    }
    await manager.deliverKept()
    try reportBalance()
    if sheets != nil { reportCreditsAtRisk() }
  }

  private func askToDiscard(_ loss: CreditLoss) {
    ask(LossQuestion(loss, .reset), before: .discardFrozenCredits(accepting: loss))
    send(.creditsAtRisk(loss))
  }

  /// Gives up frozen credits that the purchase server stores, or asks the customer.
  ///
  /// - Parameters:
  ///   - unit: the name of the credits that the customer sees.
  ///   - loss: the loss to which the customer has agreed; nil at first.
  ///   - command: returns the command that is carried out if the customer agrees to a loss.
  /// - Returns: whether the credits were given up.
  func discard(
    _ unit: String, in store: LedgerCreditStore, accepting loss: CreditLoss?,
    by command: @Sendable (CreditLoss) -> AppCommand
  ) async throws -> Bool {
    let asked: CreditLoss
    do {
      let current = try store.creditsAtRisk
      if let accepted = current.isNothing ? current : loss {
        try await store.resetCredits(accepting: accepted)
        await manager.deliverKept()
        return true
      }
      asked = current
    } catch CreditError.lossNotAccepted(let other) {
      asked = other
    }
    ask(LossQuestion(asked, .reset, of: unit), before: command(asked))
    return false
  }

  // MARK: The question

  private func ask(_ question: LossQuestion, before command: AppCommand) {
    self.question.value = PendingQuestion(question: question, command: command)
    if sheets != nil { pageChanged() }
  }

  /// Takes the question away, for its answer.
  ///
  /// - Parameter asked: the question on the page. If it is no longer the current one, nothing is done.
  /// - Returns: the command to carry out if the customer agrees.
  func answered(_ asked: (LossQuestion) -> Bool) -> AppCommand? {
    let command = question.withLock { question -> AppCommand? in
      guard let pending = question, asked(pending.question) else { return nil }
      question = nil
      return pending.command
    }
    pageChanged()
    return command
  }
}
