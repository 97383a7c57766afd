import Foundation
import StoreModel

// A setting that cannot be read has its default, and causes a warning. An unknown storefront is not replaced: the store
// refuses the file, because the currency of its prices is unknown (`CatalogProblem`).
extension ConfigurationReader {
  /// The raw values of `SKTestSession.TimeRate`.
  private static let timeRates = [0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 15] + Array(1000...1005)

  mutating func settings(of root: ConfigurationEntry) -> StoreKitConfiguration.Settings {
    var settings = StoreKitConfiguration.Settings()
    guard let entry = root.entry("settings") else {
      if !root["settings"].isNull { warn("settings is not an object, and has no effect", at: root) }
      return settings
    }
    settings.applicationInternalID = textSetting("_applicationInternalID", of: entry)
    settings.developerTeamID = textSetting("_developerTeamID", of: entry)
    settings.lastSynchronizedDate = dateSetting("_lastSynchronizedDate", of: entry)
    settings.locale = textSetting("_locale", of: entry)
    settings.storefront = textSetting("_storefront", of: entry)
    settings.timeRate = integerSetting("_timeRate", of: entry)
    if let rate = settings.timeRate, !Self.timeRates.contains(rate) {
      warn("_timeRate \(rate) is not a rate known here", at: entry)
    }
    settings.askToBuyEnabled = switchSetting("_askToBuyEnabled", of: entry)
    settings.billingIssuesEnabled = switchSetting("_billingIssuesEnabled", of: entry)
    settings.renewalBillingIssuesEnabled = switchSetting("_renewalBillingIssuesEnabled", of: entry)
    settings.billingGracePeriodEnabled = switchSetting("_billingGracePeriodEnabled", of: entry)
    settings.disableDialogs = switchSetting("_disableDialogs", of: entry)
    settings.failTransactionsEnabled = switchSetting("_failTransactionsEnabled", of: entry)
    settings.storeKitError = integerSetting("_storeKitError", of: entry)
    settings.simulatedErrors = simulatedErrors(of: entry)
    warnOfSwitches(settings, at: entry)
    return settings
  }

  /// Warns of switches that are on. The store does not obey them: a customer or a fault of its control API does the same.
  private mutating func warnOfSwitches(_ settings: StoreKitConfiguration.Settings, at entry: ConfigurationEntry) {
    let count = warnings.count
    defer { switchWarnings = Set(warnings[count...]) }
    let switches = [
      ("_askToBuyEnabled", settings.askToBuyEnabled), ("_billingIssuesEnabled", settings.billingIssuesEnabled),
      ("_renewalBillingIssuesEnabled", settings.renewalBillingIssuesEnabled),
      ("_failTransactionsEnabled", settings.failTransactionsEnabled),
    ]
    for (key, isOn) in switches where isOn { warn("\(key) has no effect; use the control API", at: entry) }
    if settings.disableDialogs { warn("_disableDialogs has no effect; the device decides", at: entry) }
    for error in settings.simulatedErrors where error.isEnabled {
      warn("the error of \(error.name.quotedForReport) has no effect; use the control API", at: entry)
    }
  }

  private mutating func simulatedErrors(of settings: ConfigurationEntry) -> [StoreKitConfiguration.SimulatedError] {
    let key = "_storeKitErrors"
    guard case .array(let elements) = settings[key] else {
      if !settings[key].isNull { warnOfSetting(key, of: settings) }
      return []
    }
    return elements.enumerated().compactMap { index, element in
      let place = "\(key)[\(index)]"
      guard case .object(let values) = ConfigurationValue(element) else {
        warnOfSetting(place, of: settings)
        return nil
      }
      let entry = ConfigurationEntry(path: settings.path(of: place), values: values)
      guard let name = textSetting("name", of: entry) else {
        warn("an error without a name has no effect", at: entry)
        return nil
      }
      if !StoreKitConfiguration.SimulatedError.knownNames.contains(name) {
        warn("\(name.quotedForReport) is not a part of StoreKit that can be made to fail here", at: entry)
      }
      let current = entry.entry("current")
      if current == nil, !entry["current"].isNull { warnOfSetting("current", of: entry) }
      return StoreKitConfiguration.SimulatedError(
        name: name, isEnabled: switchSetting("enabled", of: entry),
        type: current.flatMap { textSetting("type", of: $0) },
        index: current.flatMap { integerSetting("index", of: $0) })
    }
  }

  /// The text of a setting. A number is read as its digits, because hand-made files omit the quotation marks of
  /// identifiers.
  private mutating func textSetting(_ key: String, of entry: ConfigurationEntry) -> String? {
    switch entry[key] {
    case .null: return nil
    case .string(let text): return text.isEmpty ? nil : text
    case .number(let digits): return digits
    default:
      warnOfSetting(key, of: entry)
      return nil
    }
  }

  private mutating func integerSetting(_ key: String, of entry: ConfigurationEntry) -> Int? {
    let value = entry[key].integer
    if value == nil, !entry[key].isNull { warnOfSetting(key, of: entry) }
    return value
  }

  private mutating func switchSetting(_ key: String, of entry: ConfigurationEntry) -> Bool {
    switch entry[key] {
    case .null: return false
    case .bool(let value): return value
    default:
      warnOfSetting(key, of: entry)
      return false
    }
  }

  /// The date of a setting. The file has the seconds since 2001-01-01.
  private mutating func dateSetting(_ key: String, of entry: ConfigurationEntry) -> StoreDate? {
    if case .number(let text) = entry[key], let seconds = TimeInterval(text) {
      return StoreDate(Date(timeIntervalSinceReferenceDate: seconds))
    }
    if !entry[key].isNull { warnOfSetting(key, of: entry) }
    return nil
  }

  private mutating func warnOfSetting(_ key: String, of entry: ConfigurationEntry) {
    warn("\(key) is not of the type it should be, and has no effect", at: entry)
  }
}
