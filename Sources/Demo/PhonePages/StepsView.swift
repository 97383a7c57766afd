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
    let product = entry.product.flatMap { $0.split(separator: ".").last.map(String.init) }
    let more = [product, entry.words].compactMap { $0 }.filter { !$0.isEmpty }
    let details: [HTML] = more.map { "<span class=\"muted\"> · \(.shortName($0, limit: 120))</span>" }
    return "<li value=\"\(entry.number)\"><span>\(entry.step.words)</span>\(details)</li>"
  }
}

extension PurchaseStep {
  /// The step in words for the visitor of the page.
  var words: String {
    switch self {
    case .button: "Buy pressed"
    case .paymentAdded: "Payment added to the queue"
    case .signInShown: "Sign-in shown"
    case .signedIn: "Signed in"
    case .quoted: "Price quoted by the store"
    case .confirmationShown: "Confirmation shown"
    case .confirmed: "Confirmed"
    case .cancelled: "Cancelled"
    case .charged: "Answered by the store"
    case .boughtBefore: "Bought before"
    case .deferred: "Waits for approval"
    case .journalled: "Transaction and receipt on record"
    case .failed: "Failed"
    case .receiptSent: "Receipt sent to the server"
    case .verified: "Verified by the server"
    case .verificationRefused: "Not accepted by the server"
    case .content: "Content arriving"
    case .saved: "Content saved"
    case .granted: "Given"
    case .kept: "Could not be given yet"
    case .refused: "Nothing is owed"
    case .restored: "Restored"
    case .finished: "Finished, and the store knows"
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
