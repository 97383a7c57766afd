import PurchaseKit

/// What became of a backup that was brought back, in words for the phone's owner.
struct BackupOutcome: Hashable, Sendable {
  let products: [String]
  let credits: BackupImport.Credits
  /// Why the purchases were not believed; nil where they were.
  let refused: String?

  var words: String { [purchaseWords, creditWords].filter { !$0.isEmpty }.joined(separator: " ") }

  private var purchaseWords: String {
    if let refused { return "The purchases of the backup were not believed: \(refused)" }
    if products.isEmpty { return "No purchases were new." }
    let names = products.map { $0.split(separator: ".").last.map(String.init) ?? $0 }
    return "Purchases are back: \(names.joined(separator: ", "))."
  }

  private var creditWords: String {
    switch credits {
    case .broughtBack(let balance): "There are \(balance) monkey credits again."
    case .notInBackup: ""
    case .importedBefore: "Its credits were brought back before, which can be done once."
    case .currentAreNewer: "The credits here are newer, and stay."
    case .ofAnotherVault: "Its credits stay with the phone that made it."
    }
  }
}
