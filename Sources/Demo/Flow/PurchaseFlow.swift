import SampleApp

/// The progress of a purchase on one device, derived from its steps.
struct PurchaseFlow: Hashable, Sendable {
  /// A remark about an event that is not a stage, and its tone.
  struct Remark: Hashable, Sendable {
    enum Tone: String, Hashable, Sendable { case good, bad, wait, plain }

    let text: String
    let tone: Tone
  }

  /// The id of the product that is being bought; nil before the first purchase.
  private(set) var product: String?
  private(set) var passed: Set<FlowStop> = []
  private(set) var remark: Remark?

  /// The last stage that was passed.
  var last: FlowStop? { passed.max { $0.rawValue < $1.rawValue } }

  /// Adds a step on the device. Steps must be added in their order.
  mutating func handle(_ report: StepReport) {
    if begins(report) { self = PurchaseFlow() }
    if let product = report.product { self.product = product }
    if let stop = FlowStop(report.step) {
      passed.insert(stop)
      remark = nil
    }
    if let remark = Self.remark(on: report) { self.remark = remark }
  }

  /// Whether a new purchase begins: with the button, or with a payment that was added without the button.
  private func begins(_ report: StepReport) -> Bool {
    switch report.step {
    case .button: true
    case .paymentAdded: passed != [.pressed]
    // Each restored purchase begins a flow of its own, because it was not bought here.
    case .restored: true
    default: false
    }
  }

  private static func remark(on report: StepReport) -> Remark? {
    func withDetail(_ text: String) -> String { report.detail.map { "\(text): \($0)" } ?? text }
    return switch report.step {
    case .cancelled: Remark(text: "Cancelled. Nothing was charged.", tone: .plain)
    case .failed: Remark(text: withDetail("Failed. Nothing was charged"), tone: .bad)
    case .boughtBefore: Remark(text: "Bought before: delivered again, and not charged.", tone: .good)
    case .planChangeScheduled: Remark(text: "The plan changes with the next period. Nothing was charged.", tone: .good)
    case .deferred: Remark(text: "Pending approval (Ask to Buy).", tone: .wait)
    case .verificationRefused: Remark(text: withDetail("The server refused the receipt"), tone: .bad)
    case .kept: Remark(text: withDetail("Not granted yet; it is tried again later"), tone: .wait)
    case .refused: Remark(text: withDetail("Not granted; the transaction is finished"), tone: .bad)
    case .restored: Remark(text: "Restored.", tone: .good)
    case .holding: Remark(text: "Charged, but not granted yet: force-quit the app now.", tone: .wait)
    case .forceQuit: Remark(text: "The app was killed. Open it again.", tone: .bad)
    case .launched: Remark(text: "The app was opened. Unfinished transactions are delivered again.", tone: .plain)
    case .finished: Remark(text: "Done: charged once, granted once.", tone: .good)
    default: nil
    }
  }
}
