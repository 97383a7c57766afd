/// All keys of a configuration, by part. Documentation/running-the-server.md describes them.
enum ConfigurationKeys {
  static let listen: Set = ["host", "port", "healthPort", "trustedProxies"]
  static let database: Set = ["sqlite", "postgresql", "connections", "withoutFsync"]
  static let trust: Set = ["apple", "legacyIntermediates", "emulator"]
  static let apps: Set = [
    "bundleId", "verification", "environments", "proofKinds", "sharedSecret", "sharedSecretFile", "refunds",
    "reverificationHours", "reverificationDays", "accountTokensNameCustomers", "sandboxCustomers", "serverAPI",
    "certificateStatus", "consumptionRequests", "refundPreference", "sampleContentProvided",
  ]
  /// The keys of `apps[].serverAPI`.
  static let serverAPI: Set = ["keyId", "issuerId", "privateKeyFile", "appAppleId"]
  static let identity: Set = ["issuer", "audience", "keySet"]
  static let content: Set = [
    "folder", "linkKeys", "linkKeysFile", "linkMinutes", "inlineLimitBytes", "uploadLimitBytes",
  ]
  static let limits: Set = [
    "connectionsAtOnce", "connectionsPerAddress", "requestsAtOnce", "bodyBytesAtOnce",
    "requestsPerSecond", "burst", "installationsPerHour", "questionsPerMinute",
    "idleSeconds", "requestSeconds", "headerLimitBytes", "drainSeconds",
  ]
  static let reverification: Set = ["pauseSeconds"]
  static let notifications: Set = ["catchUpMinutes"]
  static let webhooks: Set = ["allowLoopback"]
  static let installations: Set = ["unusedDays"]
  static let log: Set = ["level", "format"]

  /// The keys of each part, by the part's name. `apps` is a list; each of its elements has these keys.
  static let parts: [String: Set<String>] = [
    "listen": listen, "database": database, "trust": trust, "apps": apps, "identity": identity, "content": content,
    "limits": limits, "reverification": reverification, "notifications": notifications, "webhooks": webhooks,
    "installations": installations, "log": log,
  ]

  /// The paths of all keys that have a value.
  static var paths: [String] {
    parts.flatMap { part, keys in
      keys.subtracting(["serverAPI"]).map { part == "apps" ? "apps[].\($0)" : "\(part).\($0)" }
    } + serverAPI.map { "apps[].serverAPI.\($0)" }
  }
}
