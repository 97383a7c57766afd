import SampleApp

/// A stage of a purchase, from the button to the finish, or of a revocation. The order is that of the drawing.
enum FlowStop: Int, Hashable, Sendable, CaseIterable {
  /// The first stage of a restored purchase.
  case restoring
  /// The first stage of a transaction that the app did not request: a renewal, a purchase outside the app, or an unfinished
  /// transaction that is delivered after a launch.
  case reported
  case pressed, queued, signIn, signInRefused, signedIn, quoted, asked, confirmed, deferred, charged, journalled,
    proofSent, verified, content, saved, granted, finished
  case revoked, revocationDelivered, locked
  /// StoreKit waits because the store does not answer. It is the last stage until the store answers.
  case waiting

  /// The participants: sender and receiver of a message, or the same participant twice if the stage is local.
  var sides: (from: FlowParticipant, to: FlowParticipant) {
    switch self {
    case .pressed: (.app, .app)
    case .queued, .restoring: (.app, .storeKit)
    case .signIn, .asked, .waiting: (.storeKit, .storeKit)
    case .reported, .signInRefused, .signedIn, .quoted, .deferred, .charged, .revoked: (.store, .storeKit)
    case .confirmed: (.storeKit, .store)
    case .journalled, .revocationDelivered: (.storeKit, .app)
    case .proofSent: (.app, .server)
    case .verified: (.server, .store)
    case .content: (.server, .app)
    case .saved, .granted, .locked: (.app, .app)
    case .finished: (.app, .store)
    }
  }

  /// Returns the title of the stage. It depends on the kind and the result of the purchase.
  func title(on way: PurchaseFlow.Way) -> String {
    switch self {
    case .restoring: "Restore requested"
    case .reported: "The store reports a purchase"
    case .pressed: "Buy button pressed"
    case .queued: "Payment added to the queue"
    case .signIn: "Sign-in sheet"
    case .signInRefused: "Sign-in refused"
    case .signedIn: "Signed in"
    case .quoted: "Price and account"
    case .asked: "Confirmation sheet"
    case .confirmed: "Confirmation stored and sent"
    case .deferred: "Pending approval"
    case .charged where way == .boughtBefore: "Signed again, not charged"
    case .charged where way == .free: "Recorded, signed, free"
    case .charged where way == .planChange: "Plan recorded, not charged"
    case .charged: "Charged, recorded, signed"
    case .journalled where way == .restored: "Restored purchase, to the app"
    case .journalled where way == .cancelled: "Cancelled: the app is told"
    case .journalled where way == .failed: "Failed: the app is told"
    case .journalled: "Verified, stored, delivered"
    case .proofSent: "Proof sent to the server"
    case .verified: "Verified with the store"
    case .content: "Content downloading"
    case .saved: "Content verified"
    case .granted: "Product granted"
    case .finished: "Transaction finished"
    case .revoked: "Revoked: StoreKit is notified"
    case .revocationDelivered: "The app is notified"
    case .locked: "Product locked"
    case .waiting: "Waits for the store"
    }
  }

  /// Whether only some purchases pass this stage. It is drawn only if it was passed.
  var isOccasional: Bool {
    switch self {
    case .signIn, .signInRefused, .signedIn, .deferred, .waiting: true
    default: false
    }
  }

  /// Whether the stage belongs to a revocation. No purchase passes it.
  var isOfRevocation: Bool {
    switch self {
    case .revoked, .revocationDelivered, .locked: true
    default: false
    }
  }

  /// Whether only products that the purchase server delivers pass this stage.
  var isOfServerGoods: Bool {
    switch self {
    case .proofSent, .verified: true
    default: isOfContent
    }
  }

  /// Whether only products with content files pass this stage.
  var isOfContent: Bool {
    switch self {
    case .content, .saved: true
    default: false
    }
  }

  /// The stage that a step belongs to; nil if it belongs to no stage.
  init?(_ step: PurchaseStep) {
    switch step {
    case .button: self = .pressed
    case .paymentAdded: self = .queued
    case .signInShown: self = .signIn
    case .signInRefused: self = .signInRefused
    case .signedIn: self = .signedIn
    case .quoted: self = .quoted
    case .confirmationShown: self = .asked
    case .confirmed: self = .confirmed
    case .deferred: self = .deferred
    case .charged, .free, .redelivered: self = .charged
    case .journalled, .restored, .failed, .cancelled: self = .journalled
    case .proofSent: self = .proofSent
    case .verified: self = .verified
    case .content: self = .content
    case .saved: self = .saved
    case .granted: self = .granted
    case .finished: self = .finished
    case .revoked: self = .revoked
    case .revocationDelivered: self = .revocationDelivered
    case .locked: self = .locked
    case .storeUnreachable: self = .waiting
    default: return nil
    }
  }
}

/// A participant in a purchase, in the order of the lanes in the drawing.
enum FlowParticipant: Int, Hashable, Sendable, CaseIterable {
  case app, storeKit, store, server

  var title: String {
    switch self {
    case .app: "The app"
    case .storeKit: "StoreKit"
    case .store: "App Store"
    case .server: "Developer’s server"
    }
  }
}
