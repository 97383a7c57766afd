import SampleApp

// The remarks below the drawing's title: what a step means, and what a purchase cost.
extension PurchaseFlow {
  /// Returns the remark about a step; nil if the step has none.
  func remark(on report: StepReport) -> Remark? {
    func withDetail(_ text: String) -> String { report.detail.map { "\(text): \($0)" } ?? text }
    return switch report.step {
    case .signInRefused: Remark(text: withDetail("Sign-in refused. Nothing is charged"), tone: .bad)
    case .cancelled: Remark(text: "Cancelled. Nothing was charged.", tone: .plain)
    case .failed: Remark(text: withDetail("Failed. Nothing was charged"), tone: .bad)
    case .redelivered: Remark(text: "Nothing is charged.", tone: .plain)
    case .boughtBefore: Remark(text: "Bought before: delivered again, and not charged.", tone: .good)
    case .planChangeScheduled: Remark(text: "The plan changes with the next period. Nothing was charged.", tone: .good)
    case .deferred: Remark(text: "Pending approval (Ask to Buy). Nothing is charged yet.", tone: .wait)
    case .verificationRefused: Remark(text: withDetail("The server refused the proof"), tone: .bad)
    case .kept: Remark(text: withDetail("Not granted yet; it is tried again later"), tone: .wait)
    case .refused: Remark(text: withDetail("Not granted; the transaction is finished"), tone: .bad)
    case .restored: Remark(text: "Restored. Nothing is charged.", tone: .good)
    case .storeUnreachable:
      Remark(text: "No answer from the store. Nothing is lost: StoreKit tries again.", tone: .wait)
    case .revoked: Remark(text: "Refunded, or no longer shared: the app is notified.", tone: .plain)
    case .locked: Remark(text: "Refunded, or no longer shared: the product is locked.", tone: .plain)
    case .holding: Remark(text: "Charged, but not granted yet: force-quit the app now.", tone: .wait)
    case .forceQuit: Remark(text: "The app was killed. Open it again.", tone: .bad)
    case .launched where !passed.isEmpty:
      Remark(
        text: hasEnded ? "The app was opened." : "The app was opened. Unfinished transactions are delivered again.",
        tone: .plain)
    case .networkLost where !passed.isEmpty && !hasEnded:
      Remark(text: "No network: the purchase waits for the store.", tone: .wait)
    case .granted: way == .restored ? Remark(text: "Done: restored, and not charged.", tone: .good) : nil
    case .finished: hasFailed ? nil : Remark(text: ending, tone: .good)
    default: nil
    }
  }

  /// The remark about a finished transaction: whether it was charged, and whether it was granted.
  private var ending: String {
    let isGranted = passed.contains(.granted)
    return switch way {
    case .bought where passed.contains(.charged) && isGranted: "Done: charged once, granted once."
    case .bought where isGranted: "Done: granted once."
    case .free where isGranted: "Done: granted once, free of charge."
    case .bought, .free, .deferred, .failed, .cancelled, .revoked: "The transaction is finished."
    case .boughtBefore: "Done: delivered again, and not charged."
    case .planChange: "Done: the plan changes with the next period. Nothing was charged."
    case .restored: "Done: restored, and not charged."
    }
  }
}
