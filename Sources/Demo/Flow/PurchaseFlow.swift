import SampleApp
import SampleModel

/// The progress of a purchase, of a restored purchase or of a revocation on one device, derived from its steps.
struct PurchaseFlow: Hashable, Sendable {
  /// The kind or the result of a purchase. It determines the stages of the flow and the remark at the end.
  ///
  /// A change of plan is `boughtBefore` until StoreKit reports when the plan begins. A purchase is `deferred` until it is
  /// approved or declined. A deferred, failed or cancelled purchase has only the stages that it passed. `revoked` is a
  /// refund, or a product that the family no longer shares.
  enum Way: Hashable, Sendable {
    case bought, free, boughtBefore, planChange, restored, deferred, failed, cancelled, revoked
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
  /// What began the flow; nil before the first step.
  private(set) var cause: FlowCause?
  private(set) var way = Way.bought
  private(set) var passed: Set<FlowStop> = []
  private(set) var remark: Remark?
  /// Whether the purchase has ended without a grant: it failed, was cancelled, or grants nothing.
  private(set) var hasFailed = false

  /// Whether StoreKit waits for an answer of the store. Only the passed stages are drawn then.
  var isWaiting: Bool { passed.contains(.waiting) }

  /// Whether no further stage belongs to this purchase or revocation.
  var hasEnded: Bool {
    hasFailed || passed.contains(.finished) || way == .revoked || way == .restored && passed.contains(.granted)
  }

  /// The last stage that was passed.
  var last: FlowStop? { passed.max { $0.rawValue < $1.rawValue } }

  /// The stages of this flow, in order. While the flow is under way, stages that it can still pass are included; at its
  /// end, only the stages that it has passed.
  var stops: [FlowStop] {
    FlowStop.allCases.filter { stop in
      if way == .revoked { return stop.isOfRevocation }
      return passed.contains(stop) ? !stop.isOfRevocation : canPass(stop)
    }
  }

  /// Whether the flow can still pass a stage that it has not passed.
  private func canPass(_ stop: FlowStop) -> Bool {
    if hasEnded || isWaiting || stop.isOccasional || !(cause ?? .button).allows(stop) { return false }
    // Stages are passed in order. Only the payment of a pressed button may be reported late.
    if let last, stop.rawValue < last.rawValue, stop != .queued || cause != .button { return false }
    switch way {
    case .deferred, .failed, .cancelled: return false
    default: break
    }
    guard let product, stop.isOfServerGoods else { return true }
    return stop.isOfContent ? SampleCatalog.books.contains(product) : Self.isServerProduct(product)
  }

  /// Adds a step on the device. Steps must be added in the order in which they were reported.
  mutating func handle(_ report: StepReport) {
    if begins(report) { begin(FlowCause(report.step)) }
    if isOfAnother(report) { return }
    if cause == nil && FlowStop(report.step) != nil { begin(FlowCause(report.step)) }
    if let product = report.product { self.product = product }
    switch report.step {
    case .journalled:
      transaction = report.transaction ?? transaction
      if way == .deferred { way = .bought }
    case .deferred: way = .deferred
    case .charged: way = .bought
    case .free: way = .free
    case .redelivered, .boughtBefore: way = .boughtBefore
    case .planChangeScheduled: way = .planChange
    case .restored: (way, transaction) = (.restored, report.transaction)
    case .failed: (way, hasFailed) = (.failed, true)
    case .cancelled: (way, hasFailed) = (.cancelled, true)
    case .refused: hasFailed = true
    case .revoked: way = .revoked
    default: break
    }
    if let stop = FlowStop(report.step) {
      passed.insert(stop)
      if isProgress(report.step) {
        if stop != .waiting { passed.remove(.waiting) }
        // The remark about an ended purchase stays, also if its transaction is finished or its content comes later.
        if !hasEnded { remark = nil }
      }
    }
    if let remark = remark(on: report) { self.remark = remark }
  }

  /// Begins another flow. The sign-in for a restoration belongs to the first restored purchase.
  private mutating func begin(_ cause: FlowCause) {
    let signIn = cause == .restore && self.cause == .signIn ? passed : []
    self = PurchaseFlow()
    self.cause = cause
    passed = signIn.union(cause.impliedStage.map { [$0] } ?? [])
  }

  /// Whether the purchase has made progress with this step, so that an earlier remark no longer applies. The app may
  /// report the payment after later steps, and the sign-in sheet is shown again after a refusal.
  private func isProgress(_ step: PurchaseStep) -> Bool {
    switch step {
    case .paymentAdded: false
    case .signInShown: !passed.contains(.signInRefused)
    default: true
    }
  }

  /// Whether a new flow begins: with the button, with a payment that was added without the button, with a transaction
  /// that came by itself, such as a renewal or a purchase outside the app, with a sign-in that belongs to no purchase, or
  /// with a revocation.
  private func begins(_ report: StepReport) -> Bool {
    switch report.step {
    case .button: true
    // The first payment after the button belongs to the purchase that the button began. The app may report the payment
    // after the sheet is shown.
    case .paymentAdded: !passed.contains(.pressed) || passed.contains(.queued)
    // Each restored purchase begins a flow of its own, because it was not bought here.
    case .restored: true
    case .charged, .free, .redelivered, .journalled, .deferred:
      hasEnded || isOfOtherProduct(report) || hasOtherTransaction(than: report)
    case .signInShown: hasEnded
    case .revoked: !isBeforeCharge
    default: false
    }
  }

  /// Whether a purchase has begun, and the store has neither charged nor deferred it.
  ///
  /// A sign-in makes the store repeat the revocations that the device may have missed. They must not replace the
  /// purchase for which the customer signs in.
  private var isBeforeCharge: Bool {
    !hasEnded && !passed.isDisjoint(with: [.pressed, .queued])
      && passed.isDisjoint(with: [.deferred, .charged, .journalled])
  }

  /// Whether the step does not belong to this flow, which shows one purchase or revocation. Several transactions may be
  /// delivered at once; the flow shows the last one.
  private func isOfAnother(_ report: StepReport) -> Bool {
    switch report.step {
    case .revoked: isBeforeCharge
    case .revocationDelivered, .locked: way != .revoked || isOfOtherProduct(report)
    // The account can also be changed in the phone's settings.
    case .signInRefused, .signedIn: hasEnded || !passed.contains(.signIn)
    case .storeUnreachable: hasEnded || isOfOtherProduct(report) || hasOtherTransaction(than: report)
    case .proofSent, .verified, .verificationRefused, .saved: way == .revoked || isOfOtherProduct(report)
    case .granted, .kept, .refused, .finished: way == .revoked || hasOtherTransaction(than: report)
    default: way == .revoked && FlowStop(report.step).map { !$0.isOfRevocation } ?? false
    }
  }

  private func isOfOtherProduct(_ report: StepReport) -> Bool {
    guard let product, let other = report.product else { return false }
    return product != other
  }

  private func hasOtherTransaction(than report: StepReport) -> Bool {
    guard let transaction, let other = report.transaction else { return false }
    return transaction != other
  }

  /// Whether the developer's server delivers a product. It stores the monkey credits of the demo's devices, too.
  private static func isServerProduct(_ product: String) -> Bool {
    SampleCatalog.books.contains(product) || SampleCatalog.pagesForProduct[product] != nil
      || SampleCatalog.creditsForProduct[product] != nil
  }
}
