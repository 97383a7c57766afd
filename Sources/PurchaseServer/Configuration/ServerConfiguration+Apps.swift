import Foundation
import PurchaseLedger
import StoreModel

extension ServerConfiguration {
  static func apps(
    _ reader: ConfigurationReader, isEmulated: Bool, secrets: [String: String], _ folder: URL
  ) -> [App] {
    let parts = reader.parts("apps", keys: ConfigurationKeys.apps)
    if parts.isEmpty, reader.isList("apps") ?? true {
      reader.problem("apps", "must name at least one app: [{\"bundleId\": …}]")
    }
    var seen: Set<String> = []
    var apps: [App] = []
    for part in parts {
      guard let bundleID = part.text("bundleId") else {
        if !part.has("bundleId") { part.problem("bundleId", "is missing") }
        continue
      }
      guard !bundleID.isEmpty, bundleID.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        part.problem("bundleId", "must be visible ASCII characters, such as com.example.app")
        continue
      }
      if !seen.insert(bundleID).inserted { part.problem("bundleId", "is there twice: \(bundleID)") }
      apps.append(app(part, bundleID, isEmulated: isEmulated, secret: secrets[bundleID], folder))
    }
    for bundleID in secrets.keys.sorted() where !seen.contains(bundleID) {
      reader.problem("apps", "has no \(bundleID), for which the environment has a shared secret")
    }
    return apps
  }

  private static func app(
    _ reader: ConfigurationReader, _ bundleID: String, isEmulated: Bool, secret: String?, _ folder: URL
  ) -> App {
    let verification = verification(reader, isEmulated: isEmulated)
    var environments: Set<StoreEnvironment> = [.production, .sandbox]
    if let names = reader.texts("environments") {
      environments = Set(names.compactMap { StoreEnvironment(lowercaseName: $0.lowercased()) })
      if environments.count != Set(names).count || environments.isEmpty || environments.contains(.xcode) {
        reader.problem("environments", "must be a list of production and sandbox")
      }
    }
    let sharedSecret = sharedSecret(reader, given: secret, folder)
    let hours = reader.number("reverificationHours", 1...8_760)
    let days = reader.number("reverificationDays", 1...36_500)
    if verification == .offline {
      let needless = [
        ("sharedSecret", secret != nil || reader.has("sharedSecret") || reader.has("sharedSecretFile")),
        ("reverificationHours", hours != nil), ("reverificationDays", days != nil),
      ]
      for (key, isThere) in needless where isThere {
        reader.problem(key, "needs a store to ask: verification must be verifyReceipt or both")
      }
    }
    return App(
      bundleID: BundleID(bundleID), verification: verification ?? .offline, environments: environments,
      proofKinds: proofKinds(reader, verification), sharedSecret: sharedSecret,
      ledger: LedgerSettings(
        refundPolicy: reader.word("refunds", LedgerSettings.RefundPolicy.self) ?? .debt,
        reverificationSeconds: verification == .offline ? nil : (hours ?? 24) * 3_600,
        reverificationEndsAfterSeconds: days.map { $0 * 86_400 },
        accountTokensNameCustomers: reader.flag("accountTokensNameCustomers") ?? true,
        sandboxCustomers: sandboxCustomers(reader, environments)))
  }

  private static func sandboxCustomers(
    _ reader: ConfigurationReader, _ environments: Set<StoreEnvironment>
  ) -> Set<String>? {
    guard let names = reader.texts("sandboxCustomers") else { return nil }
    if !environments.contains(.sandbox) {
      reader.problem("sandboxCustomers", "needs sandbox among the environments")
    }
    // Customer ids are stored in lower case. Subjects contain a space and stay unchanged.
    return Set(names.map { CustomerID($0)?.description ?? $0 })
  }

  /// Returns the verification method. If it is missing or not valid, adds a problem and returns nil. With an emulator
  /// it may be missing; the default is `offline`.
  private static func verification(_ reader: ConfigurationReader, isEmulated: Bool) -> Verification? {
    guard !reader.has("verification") else { return reader.word("verification", Verification.self) }
    guard !isEmulated else { return .offline }
    reader.problem(
      "verification",
      "is missing: set verifyReceipt or both, which find refunds, or offline, which does not; "
        + "Documentation/verification.md has the choice")
    return nil
  }

  private static func proofKinds(
    _ reader: ConfigurationReader, _ verification: Verification?
  ) -> Set<PurchaseProof.Kind>? {
    guard let names = reader.texts("proofKinds") else { return nil }
    let kinds = Set(names.compactMap { PurchaseProof.Kind(rawValue: $0) })
    if kinds.count != names.count || kinds.isEmpty {
      reader.problem("proofKinds", "must be a list of appReceipt, legacyReceipt and signedTransaction, each once")
    }
    if verification == .verifyReceipt, kinds.contains(.signedTransaction) {
      reader.problem(
        "proofKinds",
        "has signedTransaction, which verifyReceipt cannot be asked about: leave it out, or verify by both")
    }
    return kinds
  }

  private static func sharedSecret(
    _ reader: ConfigurationReader, given: String?, _ folder: URL
  ) -> SharedSecret? {
    if reader.has("sharedSecret"), reader.has("sharedSecretFile") {
      reader.problem("sharedSecret", "and sharedSecretFile are both there; the secret is in one of them")
    }
    var text = given
    if let path = reader.text("sharedSecretFile"), text == nil {
      reader.problems.check(folder.file(path), .secret)
      do {
        text = try String(contentsOf: folder.file(path), encoding: .utf8)
          .trimmingCharacters(in: .whitespacesAndNewlines)
      } catch {
        reader.problem("sharedSecretFile", "cannot be read: \(path)")
      }
    }
    // The key is read even if it is not used, so that errors in it are reported.
    let inFile = reader.text("sharedSecret")
    guard let secret = text ?? inFile else { return nil }
    guard let secret = SharedSecret(secret) else {
      reader.problem("sharedSecret", "must be letters and digits, as App Store Connect shows it")
      return nil
    }
    return secret
  }
}
