import AppStoreServerAPI
import Foundation
import PurchaseLedger
import SignedData
import StoreModel

/// The values of apps in the environment, by bundle id.
struct AppVariables {
  let secrets: [String: String]
  let keyFiles: [String: String]

  init(_ environment: [String: String], _ problems: ConfigurationReader.Problems) {
    secrets = ConfigurationSources.appValues(ConfigurationSources.secretsVariable, environment, problems)
    keyFiles = ConfigurationSources.appValues(ConfigurationSources.keyFilesVariable, environment, problems)
  }
}

extension ServerConfiguration {
  static func apps(
    _ reader: ConfigurationReader, isEmulated: Bool, _ given: AppVariables, _ folder: URL
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
      apps.append(app(part, bundleID, isEmulated: isEmulated, given, folder))
    }
    for (values, name) in [(given.secrets, "a shared secret"), (given.keyFiles, "the file of a private key")] {
      for bundleID in values.keys.sorted() where !seen.contains(bundleID) {
        reader.problem("apps", "has no \(bundleID), for which the environment has \(name)")
      }
    }
    return apps
  }

  private static func app(
    _ reader: ConfigurationReader, _ bundleID: String, isEmulated: Bool, _ given: AppVariables, _ folder: URL
  ) -> App {
    let verification = verification(reader, isEmulated: isEmulated)
    let secret = given.secrets[bundleID]
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
        reader.problem(key, "needs a store to ask: verification must be serverAPI, both or verifyReceipt")
      }
    }
    let serverAPI = serverAPI(reader, keyFile: given.keyFiles[bundleID], folder)
    if verification == .serverAPI, !isEmulated, !reader.has("serverAPI") {
      reader.problem(
        "serverAPI", "is missing: {\"keyId\": …, \"issuerId\": …, \"privateKeyFile\": …} of an In-App Purchase key")
    }
    return App(
      bundleID: BundleID(bundleID), verification: verification ?? .offline, environments: environments,
      proofKinds: proofKinds(reader, verification), sharedSecret: sharedSecret, serverAPI: serverAPI,
      certificateStatus: certificateStatus(reader, verification),
      ledger: LedgerSettings(
        refundPolicy: reader.word("refunds", LedgerSettings.RefundPolicy.self) ?? .debt,
        reverificationSeconds: verification == .offline ? nil : (hours ?? 24) * 3_600,
        reverificationEndsAfterSeconds: days.map { $0 * 86_400 },
        accountTokensNameCustomers: reader.flag("accountTokensNameCustomers") ?? true,
        sandboxCustomers: sandboxCustomers(reader, environments),
        consumption: consumption(reader, hasKey: isEmulated || reader.has("serverAPI"))))
  }

  /// - Parameter hasKey: whether the app has a key of the App Store Server API.
  private static func consumption(_ reader: ConfigurationReader, hasKey: Bool) -> ConsumptionSettings {
    let policy = reader.word("consumptionRequests", ConsumptionSettings.Policy.self) ?? .off
    let preference = reader.word("refundPreference", ConsumptionValues.Preference.self)
    let sample = reader.flag("sampleContentProvided")
    if policy != .off, !hasKey {
      reader.problem(
        "consumptionRequests",
        "needs a key of the App Store Server API, which takes the answers: set serverAPI, or consumptionRequests to off"
      )
    }
    if preference != nil, policy != .automatic {
      reader.problem("refundPreference", "is about automatic answers: set consumptionRequests to automatic")
    }
    if sample != nil, policy == .off {
      reader.problem("sampleContentProvided", "is about answers to consumption requests, which are off")
    }
    return ConsumptionSettings(policy: policy, refundPreference: preference, sampleContentProvided: sample ?? false)
  }

  private static func sandboxCustomers(
    _ reader: ConfigurationReader, _ environments: Set<StoreEnvironment>
  ) -> Set<LedgerSettings.CustomerName>? {
    guard let names = reader.texts("sandboxCustomers") else { return nil }
    if !environments.contains(.sandbox) {
      reader.problem("sandboxCustomers", "needs sandbox among the environments")
    }
    for (place, name) in names.enumerated() {
      guard let fault = SubjectText.fault(in: name) else { continue }
      reader.problem(
        "sandboxCustomers[\(place)]", "\(fault): write a customer's id, or the issuer and sub of the customer's tokens")
    }
    // Customer ids are stored in lower case. Subjects contain a space and stay unchanged.
    return Set(names.map { LedgerSettings.CustomerName(CustomerID($0)?.description ?? $0) })
  }

  /// Returns the verification method. If it is missing or not valid, adds a problem and returns nil. With an emulator
  /// it may be missing; the default is `offline`.
  private static func verification(_ reader: ConfigurationReader, isEmulated: Bool) -> Verification? {
    guard !reader.has("verification") else { return reader.word("verification", Verification.self) }
    guard !isEmulated else { return .offline }
    reader.problem(
      "verification",
      "is missing: set serverAPI, both or verifyReceipt, which find refunds, or offline, which does not; "
        + "Documentation/verification.md has the choice")
    return nil
  }

  private static func proofKinds(
    _ reader: ConfigurationReader, _ verification: Verification?
  ) -> Set<PurchaseProof.Kind>? {
    guard let names = reader.texts("proofKinds") else { return nil }
    // Whether a bare transaction id is accepted depends on its sender, and cannot be configured.
    let kinds = Set(names.compactMap { PurchaseProof.Kind(rawValue: $0) }).subtracting([.transactionID])
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

  private enum CertificateStatus: String, CaseIterable {
    case off, soft, hard
  }

  private static func certificateStatus(
    _ reader: ConfigurationReader, _ verification: Verification?
  ) -> CertificateStatusCheck.Mode? {
    guard let status = reader.word("certificateStatus", CertificateStatus.self), status != .off else { return nil }
    if verification == .verifyReceipt {
      reader.problem(
        "certificateStatus", "is about signatures, which verifyReceipt does not use: verify by another method")
    }
    guard status == .hard else { return .soft }
    if reader.texts("proofKinds")?.contains(PurchaseProof.Kind.legacyReceipt.rawValue) == true {
      reader.problem(
        "proofKinds", "has legacyReceipt, which has no certificates that a hard certificateStatus could ask about")
    }
    return .hard
  }

  /// Reads the key of the App Store Server API.
  ///
  /// - Parameter keyFile: the file in the environment, which overrides that of the configuration.
  private static func serverAPI(
    _ reader: ConfigurationReader, keyFile: String?, _ folder: URL
  ) -> ServerAPI? {
    let part = reader.part("serverAPI", keys: ConfigurationKeys.serverAPI)
    guard reader.has("serverAPI") else {
      if keyFile != nil {
        reader.problem("serverAPI", "is missing, and the environment has the file of its private key")
      }
      return nil
    }
    let appAppleID = part.number("appAppleId", 1...Int64.max)
    let inFile = part.text("privateKeyFile")
    for key in ["keyId", "issuerId"] where !part.has(key) { part.problem(key, "is missing") }
    guard let path = keyFile ?? inFile else {
      if !part.has("privateKeyFile") { part.problem("privateKeyFile", "is missing") }
      return nil
    }
    guard let keyID = identifier("keyId", part), let issuerID = identifier("issuerId", part) else { return nil }
    let file = folder.file(path)
    part.problems.check(file, .secret)
    do {
      let pem = try String(contentsOf: file, encoding: .utf8)
      return ServerAPI(
        key: try ServerAPIKey(keyID: keyID, issuerID: issuerID, pem: pem), appAppleID: appAppleID)
    } catch let error as ServerAPIKeyError {
      part.problem("privateKeyFile", "is \(path). \(error)")
    } catch {
      part.unreadable("privateKeyFile", path, in: folder)
    }
    return nil
  }

  private static func identifier(_ key: String, _ reader: ConfigurationReader) -> String? {
    guard let text = reader.text(key) else { return nil }
    guard text.utf8.count <= 100, text.wholeMatch(of: /[A-Za-z0-9-]+/) != nil else {
      reader.problem(key, "must be letters, digits and hyphens, as App Store Connect shows it")
      return nil
    }
    return text
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
        reader.unreadable("sharedSecretFile", path, in: folder)
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
