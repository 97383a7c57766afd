import SampleApp
import WebSupport

/// The list of purchase steps on a phone, newest first.
struct StepsView: Hashable, Sendable {
  let entries: [StepHistory.Entry]

  private static let shownSteps = 14

  var html: HTML {
    let items = entries.suffix(Self.shownSteps).reversed().map(Self.item)
    return """
      <h2>What happened</h2>
      <ol class="steps" id="steps" reversed data-live>\(items)</ol>
      """
  }

  private static func item(_ entry: StepHistory.Entry) -> HTML {
    let product = entry.product.map(ProductNames.ownerName)
    let more = [product, entry.detail].compactMap { $0 }.filter { !$0.isEmpty }
    let details: [HTML] = more.map { "<span class=\"muted\"> · \(.shortName($0, limit: 120))</span>" }
    return "<li value=\"\(entry.number)\"><span>\(entry.step.text)</span>\(details)</li>"
  }
}

extension PurchaseStep {
  /// The step as text for the visitor of the page.
  var text: String {
    switch self {
    case .button: "Buy pressed"
    case .paymentAdded: "Payment added to the queue"
    case .signInShown: "Sign-in shown"
    case .signInRefused: "Sign-in refused by the store"
    case .signedIn: "Signed in"
    case .quoted: "Price quoted by the store"
    case .confirmationShown: "Confirmation shown"
    case .confirmed: "Confirmed"
    case .cancelled: "Cancelled"
    case .charged: "Charged by the store"
    case .free: "Recorded by the store, free of charge"
    case .redelivered: "Signed again by the store, and not charged"
    case .boughtBefore: "Bought before"
    case .planChangeScheduled: "Plan changes later"
    case .deferred: "Pending approval"
    case .journalled: "Transaction and receipt stored"
    case .failed: "Failed"
    case .proofSent: "Proof sent to the server"
    case .verified: "Verified by the server"
    case .verificationRefused: "Refused by the server"
    case .content: "Content downloading"
    case .saved: "Content saved"
    case .granted: "Granted"
    case .kept: "Could not be granted yet"
    case .refused: "Not granted"
    case .restored: "Restored"
    case .spent: "Credits spent"
    case .finished: "Transaction finished"
    case .storeUnreachable: "No answer from the store, repeated later"
    case .revoked: "Revoked by the store"
    case .revocationDelivered: "App notified of the revocation"
    case .locked: "Locked"
    case .message: "Message of the App Store"
    case .refundRequested: "Refund requested"
    case .holding: "Waiting between charge and grant"
    case .forceQuit: "Force-quit"
    case .launched: "App launched"
    case .networkLost: "Airplane mode on"
    case .networkBack: "Airplane mode off"
    case .restricted: "Purchases restricted"
    case .allowed: "Purchases allowed"
    case .appRemoved: "App deleted"
    case .appInstalled: "App installed"
    case .backedUp: "Backed up"
    case .backupRestored: "Backup restored"
    }
  }
}
