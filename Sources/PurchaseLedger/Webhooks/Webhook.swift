import Foundation
import StoreModel

/// What an operator chooses for a webhook.
public struct WebhookSettings: Hashable, Codable, Sendable {
  /// A name for operators: 1 to 100 bytes of visible text.
  public var name: String
  /// Where messages are posted: an https URL of at most 2,000 bytes, or an http URL, which the server sends only to its own machine
  /// and only if it is configured for that.
  public var url: String
  /// Messages about these apps; nil for all apps, also those that are configured later.
  public var apps: [BundleID]?
  /// Messages of these types; nil for all types, also those of later versions.
  public var types: [WebhookMessageType]?
  /// Messages about purchases in these environments, at least one. Movements of credits and operators' grants have no environment, and
  /// are always sent.
  public var environments: [StoreEnvironment]

  public init(
    name: String, url: String, apps: [BundleID]? = nil, types: [WebhookMessageType]? = nil,
    environments: [StoreEnvironment] = [.production]
  ) {
    self.name = name
    self.url = url
    self.apps = apps
    self.types = types
    self.environments = environments
  }
}

/// A receiver of messages: a cursor over the events of the ledger, with a URL (Documentation/webhooks.md).
public struct Webhook: Hashable, Codable, Sendable {
  /// A UUID in lower case.
  public let id: String
  public let settings: WebhookSettings
  public let created: StoreDate
  /// When an operator last changed it.
  public let changed: StoreDate
  /// Since when nothing is sent; nil if it is enabled.
  public let disabled: StoreDate?
  /// Why the server has disabled it; nil if an operator has, or if it is enabled.
  public let problem: String?
  /// Until when messages are signed with the secret before the last rotation as well; nil if there is none, or it has ended.
  public let previousSecretUntil: StoreDate?

  /// The maximum number of webhooks of a ledger.
  public static let most = 50
  /// How long a secret signs after it was replaced, in seconds.
  public static let rotationSeconds: Int64 = 86_400
  /// The maximum number of attempts of a webhook that are under way, on all servers together.
  public static let mostUnderWay = 8
}

extension WebhookSettings {
  /// - Parameter old: the settings before a change. Its apps and types can stay, also if this server does not know them.
  /// - Throws: ``LedgerError``: `invalid`; `unknownApp`.
  func check(in ledger: Ledger, replacing old: WebhookSettings? = nil) throws(LedgerError) {
    guard (1...100).contains(name.utf8.count), name.unicodeScalars.allSatisfy(\.isPlainlyVisible), name.isStreamSafe,
      name.contains(where: { !$0.isWhitespace })
    else { throw .invalid("A webhook's name is 1 to 100 bytes of visible text, without line breaks.") }
    guard (1...2_000).contains(url.utf8.count), url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let parts = URLComponents(string: url), ["https", "http"].contains(parts.scheme?.lowercased() ?? ""),
      parts.host?.isEmpty == false, parts.user == nil, parts.password == nil, parts.fragment == nil
    else {
      throw .invalid("A webhook's URL is an https URL of at most 2,000 ASCII characters, without user and fragment.")
    }
    // The types of a webhook are empty if it has only some of a later version.
    let hasTypes = types?.isEmpty != true || types == old?.types
    guard apps?.isEmpty != true, hasTypes, !environments.isEmpty else {
      throw .invalid("A webhook has at least one app, type and environment; leave apps and types out for all.")
    }
    guard types?.contains(.test) != true else { throw .invalid("TEST is sent to each webhook, and is not chosen.") }
    for app in apps ?? [] where old?.apps?.contains(app) != true { try ledger.check(app) }
  }

  /// Whether both are stored as the same bytes. In contrast, `==` considers canonically equivalent texts equal.
  func isStored(as other: WebhookSettings) -> Bool {
    self == other && name.hasBytes(of: other.name) && url.hasBytes(of: other.url)
  }

  /// The scheme, host and port of the URL, for the audit log. The rest can have a secret.
  var origin: String {
    guard var parts = URLComponents(string: url) else { return "" }
    parts.path = ""
    parts.query = nil
    return parts.string ?? ""
  }

  /// Whether a message is sent to the webhook.
  func accept(_ message: WebhookMessage) -> Bool {
    if let app = message.data.app, let apps, !apps.contains(app) { return false }
    if let environment = message.data.environment, !environments.contains(environment) { return false }
    return types?.contains(message.type) ?? true
  }
}

extension Webhook {
  /// The columns of `webhook` without the secrets.
  static let columns = """
    id, name, url, apps, types, environments, created, changed, disabled, problem, previous_until
    """

  init(_ row: SQLRow, _ now: StoreDate) throws {
    func list<Value: RawRepresentable<String>>(_ name: String, _ type: Value.Type = Value.self) throws -> [Value] {
      try row.text(name).split(separator: " ").compactMap { Value(rawValue: String($0)) }
    }
    let apps: [BundleID] = try row.text("apps").split(separator: " ").map { BundleID(rawValue: String($0)) }
    // A later version may have chosen types that this one does not know. Then no message of this one is sent for them.
    let hasAllTypes = try row.text("types").isEmpty
    let types: [WebhookMessageType] = try list("types")
    let previous = try row.optionalDate("previous_until")
    self.init(
      id: try row.text("id"),
      settings: WebhookSettings(
        name: try row.text("name"), url: try row.text("url"), apps: apps.isEmpty ? nil : apps,
        types: hasAllTypes ? nil : types, environments: try list("environments")),
      created: try row.date("created"), changed: try row.date("changed"), disabled: try row.optionalDate("disabled"),
      problem: try row.optionalText("problem"), previousSecretUntil: previous.flatMap { $0 > now ? $0 : nil })
  }
}

extension WebhookSettings {
  /// The lists as they are stored: with spaces between the elements, empty for all.
  var storedApps: String { Set(apps ?? []).map(\.rawValue).sorted().joined(separator: " ") }
  var storedTypes: String { Set(types ?? []).map(\.rawValue).sorted().joined(separator: " ") }
  var storedEnvironments: String { Set(environments).map(\.rawValue).sorted().joined(separator: " ") }
}
