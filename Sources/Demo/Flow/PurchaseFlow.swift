import SampleApp
import SampleModel

/// The progress of a purchase or of a restored purchase on one device, derived from its steps.
struct PurchaseFlow: Hashable, Sendable {
  /// The kind or the result of a purchase. It determines the stages of the flow and the remark at the end.
  ///
  /// A change of plan is `boughtBefore` until StoreKit reports when the plan begins. A failed or cancelled purchase has
  /// only the stages that it passed.
  enum Way: Hashable, Sendable {
    case bought, free, boughtBefore, planChange, restored, failed, cancelled
  }

  /// A remark about an event that is not a stage, and its tone.
  struct Remark: Hashable, Sendable {
    enum Tone: String, Hashable, Sendable { case good, bad, wait, plain }

    let text: String
    let tone: Tone
  }

  /// The id of the product that is being bought; nil before the first purchase.
  private(set) var product: String?
  /// The id of the transaction; nil until the app has it.
  private(set) var transaction: String?
  private(set) var way = Way.bought
  private(set) var passed: Set<FlowStop> = []
  private(set) var remark: Remark?
  /// Whether the purchase has ended without a grant: it failed, was cancelled, or grants nothing.
  private(set) var hasFailed = false

  /// The last stage that was passed.
  var last: FlowStop? { passed.max { $0.rawValue < $1.rawValue } }

  /// The stages of a purchase of this kind, in order. The stages of the developer's server are left out for a product
  /// that the server does not deliver.
  var stops: [FlowStop] {
    FlowStop.allCases.filter { stop in
      switch way {
      case .failed, .cancelled: return passed.contains(stop)
      case .restored where !stop.isOfRestored: return false
      default: break
      }
      return !stop.isOfServerGoods || passed.contains(stop) || product.map(Self.isServerProduct) ?? true
    }
  }

  /// Adds a step on the device. Steps must be added in the order in which they were reported.
  mutating func handle(_ report: StepReport) {
    if begins(report) { self = PurchaseFlow() }
    if isOfAnother(report) { return }
    if let product = report.product { self.product = product }
    switch report.step {
    case .journalled: transaction = report.transaction ?? transaction
    case .free: way = .free
    case .redelivered, .boughtBefore: way = .boughtBefore
    case .planChangeScheduled: way = .planChange
    case .restored: (way, transaction) = (.restored, report.transaction)
    case .failed: (way, hasFailed) = (.failed, true)
    case .cancelled: (way, hasFailed) = (.cancelled, true)
    case .refused: hasFailed = true
    default: break
    }
    if let stop = FlowStop(report.step) {
      passed.insert(stop)
      // The remark about a purchase without a grant stays, even if its transaction is finished later.
      if !hasFailed { remark = nil }
    }
    if let remark = remark(on: report) { self.remark = remark }
  }

  /// Whether a new purchase begins: with the button, with a payment that was added without the button, or with a
  /// transaction that came by itself, such as a renewal or a purchase outside the app.
  private func begins(_ report: StepReport) -> Bool {
    switch report.step {
    case .button: true
    // The first payment after the button belongs to the purchase that the button began. The app may report the payment
    // after the sheet is shown.
    case .paymentAdded: !passed.contains(.pressed) || passed.contains(.queued)
    // Each restored purchase begins a flow of its own, because it was not bought here.
    case .restored: true
    case .charged, .free, .redelivered, .journalled, .deferred:
      hasFailed || passed.contains(.finished) || product.map { $0 != report.product } ?? false
        || hasOtherTransaction(than: report)
    default: false
    }
  }

  /// Whether the step belongs to a transaction other than this flow's. Several transactions may be delivered at once;
  /// the flow shows the last one.
  private func isOfAnother(_ report: StepReport) -> Bool {
    switch report.step {
    case .granted, .kept, .refused, .finished: hasOtherTransaction(than: report)
    default: false
    }
  }

  private func hasOtherTransaction(than report: StepReport) -> Bool {
    guard let transaction, let other = report.transaction else { return false }
    return transaction != other
  }

  private func remark(on report: StepReport) -> Remark? {
    func withDetail(_ text: String) -> String { report.detail.map { "\(text): \($0)" } ?? text }
    return switch report.step {
    case .cancelled: Remark(text: "Cancelled. Nothing was charged.", tone: .plain)
    case .failed: Remark(text: withDetail("Failed. Nothing was charged"), tone: .bad)
    case .redelivered: Remark(text: "Nothing is charged.", tone: .plain)
    case .boughtBefore: Remark(text: "Bought before: delivered again, and not charged.", tone: .good)
    case .planChangeScheduled: Remark(text: "The plan changes with the next period. Nothing was charged.", tone: .good)
    case .deferred: Remark(text: "Pending approval (Ask to Buy). Nothing is charged yet.", tone: .wait)
    case .verificationRefused: Remark(text: withDetail("The server refused the receipt"), tone: .bad)
    case .kept: Remark(text: withDetail("Not granted yet; it is tried again later"), tone: .wait)
    case .refused: Remark(text: withDetail("Not granted; the transaction is finished"), tone: .bad)
    case .restored: Remark(text: "Restored. Nothing is charged.", tone: .good)
    case .holding: Remark(text: "Charged, but not granted yet: force-quit the app now.", tone: .wait)
    case .forceQuit: Remark(text: "The app was killed. Open it again.", tone: .bad)
    case .launched where !passed.isEmpty:
      Remark(text: "The app was opened. Unfinished transactions are delivered again.", tone: .plain)
    case .networkLost where !passed.isEmpty && !passed.contains(.finished):
      Remark(text: "No network: the purchase waits, and continues when the network is back.", tone: .wait)
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
    case .bought, .free, .failed, .cancelled: "The transaction is finished."
    case .boughtBefore: "Done: delivered again, and not charged."
    case .planChange: "Done: the plan changes with the next period. Nothing was charged."
    case .restored: "Done: restored, and not charged."
    }
  }

  private static func isServerProduct(_ product: String) -> Bool {
    SampleCatalog.books.contains(product) || SampleCatalog.pagesForProduct[product] != nil
  }
}
