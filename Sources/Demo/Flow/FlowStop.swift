import SampleApp

/// A stage of a purchase, from the button to the finish.
enum FlowStop: Int, Hashable, Sendable, CaseIterable {
  case pressed, queued, quoted, asked, confirmed, charged, journalled, receiptSent, verified, content, saved, granted,
    finished

  /// The participants: sender and receiver of a message, or the same participant twice if the stage is local.
  var sides: (from: FlowParticipant, to: FlowParticipant) {
    switch self {
    case .pressed: (.app, .app)
    case .queued: (.app, .storeKit)
    case .quoted: (.store, .storeKit)
    case .asked: (.storeKit, .storeKit)
    case .confirmed: (.storeKit, .store)
    case .charged: (.store, .storeKit)
    case .journalled: (.storeKit, .app)
    case .receiptSent: (.app, .server)
    case .verified: (.server, .store)
    case .content: (.server, .app)
    case .saved: (.app, .app)
    case .granted: (.app, .app)
    case .finished: (.app, .store)
    }
  }

  /// Returns the title of the stage. It depends on the kind and the result of the purchase.
  func title(on way: PurchaseFlow.Way) -> String {
    switch self {
    case .pressed: "Buy button pressed"
    case .queued: "Payment added to the queue"
    case .quoted: "Price and account"
    case .asked: "Confirmation sheet"
    case .confirmed: "Confirmation stored and sent"
    case .charged where way == .boughtBefore: "Signed again, not charged"
    case .charged where way == .free: "Recorded, signed, free"
    case .charged where way == .planChange: "Plan recorded, not charged"
    case .charged: "Charged, recorded, signed"
    case .journalled where way == .restored: "Restored purchase, to the app"
    case .journalled where way == .cancelled: "Cancelled: the app is told"
    case .journalled where way == .failed: "Failed: the app is told"
    case .journalled: "Verified, stored, delivered"
    case .receiptSent: "Receipt sent to the server"
    case .verified: "Verified with the store"
    case .content: "Content downloading"
    case .saved: "Content verified"
    case .granted: "Product granted"
    case .finished: "Transaction finished"
    }
  }

  /// Whether only products that the purchase server delivers pass this stage.
  var isOfServerGoods: Bool {
    switch self {
    case .receiptSent, .verified, .content, .saved: true
    default: false
    }
  }

  /// Whether a restored purchase can pass this stage. A restored purchase is not charged, and its finish is not sent to
  /// the store.
  var isOfRestored: Bool {
    switch self {
    case .journalled, .granted: true
    default: isOfServerGoods
    }
  }

  /// The stage that a step belongs to; nil if it belongs to no stage.
  init?(_ step: PurchaseStep) {
    switch step {
    case .button: self = .pressed
    case .paymentAdded: self = .queued
    case .quoted: self = .quoted
    case .signInShown, .confirmationShown: self = .asked
    case .confirmed: self = .confirmed
    case .charged, .free, .redelivered: self = .charged
    case .journalled, .restored, .failed, .cancelled: self = .journalled
    case .receiptSent: self = .receiptSent
    case .verified: self = .verified
    case .content: self = .content
    case .saved: self = .saved
    case .granted: self = .granted
    case .finished: self = .finished
    default: return nil
    }
  }
}
