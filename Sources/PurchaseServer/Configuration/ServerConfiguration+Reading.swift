import Foundation
import PurchaseLedger
import StoreModel

extension ServerConfiguration {
  /// Reads a configuration.
  ///
  /// - Parameters:
  ///   - file: the JSON document; nil if there is no file.
  ///   - path: the file of the document, whose permissions are checked; nil if there is no file.
  ///   - folder: the folder that relative paths in the configuration start from.
  ///   - environment: the environment of the process. Its variables `OPENSTOREKIT_SERVER_…` override the file.
  ///   - host: the host from the command line, which overrides file and environment; nil if it is not given.
  ///   - port: the port from the command line, which overrides file and environment; nil if it is not given.
  /// - Throws: ``ServerConfigurationError`` with all errors.
  public init(
    file: Data?, at path: URL? = nil, folder: URL, environment: [String: String], host: String? = nil, port: Int? = nil
  ) throws(ServerConfigurationError) {
    let problems = ConfigurationReader.Problems()
    var flags: [[String]: ConfigurationValue] = [:]
    if let host { flags[["listen", "host"]] = .text(host) }
    if let port { flags[["listen", "port"]] = .whole(Int64(port)) }
    guard
      let tree = ConfigurationSources.combined(file: file, environment: environment, flags: flags, problems)
    else { throw ServerConfigurationError(problems: problems.all) }
    let given = AppVariables(environment, problems)
    let reader = ConfigurationReader(
      tree,
      keys: Set(ConfigurationKeys.parts.keys), problems: problems)

    let content = reader.part("content", keys: ConfigurationKeys.content)
    let trust = reader.part("trust", keys: ConfigurationKeys.trust)
    service = Self.service(reader, content, isEmulated: trust.has("emulator"))
    database = Self.database(reader.part("database", keys: ConfigurationKeys.database), folder)
    self.trust = Self.trust(trust, folder)
    apps = Self.apps(reader, isEmulated: trust.has("emulator"), given, folder)
    identity = Self.identity(reader, folder)
    self.content = Self.content(content, folder, database)
    if let path { problems.check(path, ConfigurationSources.hasSecret(tree) ? .secret : .trusted) }
    let reverification = reader.part("reverification", keys: ConfigurationKeys.reverification)
    reverificationPauseSeconds = reverification.number("pauseSeconds", 1...86_400) ?? 60
    let notifications = reader.part("notifications", keys: ConfigurationKeys.notifications)
    catchUpMinutes = notifications.number("catchUpMinutes", 0...1_440) ?? 15
    let webhooks = reader.part("webhooks", keys: ConfigurationKeys.webhooks)
    service.allowsLoopbackWebhooks = webhooks.flag("allowLoopback") ?? false
    let installations = reader.part("installations", keys: ConfigurationKeys.installations)
    unusedInstallationDays = installations.number("unusedDays", 0...36_500) ?? 180
    let log = reader.part("log", keys: ConfigurationKeys.log)
    logLevel = log.word("level", LogLevel.self)?.rawValue ?? "info"
    logFormat = log.word("format", LogFormat.self) ?? .text
    fileWarnings = problems.warnings
    guard problems.all.isEmpty else { throw ServerConfigurationError(problems: problems.all) }
  }

  private enum LogLevel: String, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
  }

  private static func service(
    _ reader: ConfigurationReader, _ content: ConfigurationReader, isEmulated: Bool
  ) -> PurchaseServiceConfiguration {
    let listen = reader.part("listen", keys: ConfigurationKeys.listen)
    let part = reader.part("limits", keys: ConfigurationKeys.limits)
    var limits = ServiceLimits()
    // The limits protect Apple's servers and a real ledger. With an emulator they would only obstruct tests.
    if isEmulated { (limits.questionsPerMinute, limits.installationsPerHour) = (100_000, 1_000_000) }
    limits.connectionsAtOnce =
      part.number("connectionsAtOnce", 1...1_000_000).map(Int.init) ?? limits.connectionsAtOnce
    limits.connectionsPerAddress =
      part.number("connectionsPerAddress", 1...1_000_000).map(Int.init) ?? limits.connectionsPerAddress
    limits.requestsAtOnce = part.number("requestsAtOnce", 1...100_000).map(Int.init) ?? limits.requestsAtOnce
    limits.bodyBytesAtOnce =
      part.number("bodyBytesAtOnce", (16 << 20)...(64 << 30)).map(Int.init) ?? limits.bodyBytesAtOnce
    limits.requestsPerSecond = part.decimal("requestsPerSecond", 0.001...1_000_000) ?? limits.requestsPerSecond
    limits.burst = part.decimal("burst", 1...1_000_000) ?? limits.burst
    limits.installationsPerHour =
      part.decimal("installationsPerHour", 1...1_000_000) ?? limits.installationsPerHour
    limits.questionsPerMinute = part.decimal("questionsPerMinute", 0.1...1_000_000) ?? limits.questionsPerMinute
    limits.idleSeconds = part.number("idleSeconds", 1...3_600).map(Int.init) ?? limits.idleSeconds
    limits.requestSeconds = part.number("requestSeconds", 1...600).map(Int.init) ?? limits.requestSeconds
    limits.headerLimitBytes =
      part.number("headerLimitBytes", 1_024...65_536).map(Int.init) ?? limits.headerLimitBytes
    limits.drainSeconds = part.number("drainSeconds", 0...300).map(Int.init) ?? limits.drainSeconds
    limits.uploadLimitBytes = content.number("uploadLimitBytes", 1...(1 << 50)) ?? limits.uploadLimitBytes
    var service = PurchaseServiceConfiguration(
      host: listen.text("host") ?? "127.0.0.1", port: listen.number("port", 0...65_535).map(Int.init) ?? 8090,
      limits: limits, inlineLimitBytes: content.number("inlineLimitBytes", 0...4_194_304) ?? 65_536)
    service.healthPort = listen.number("healthPort", 0...65_535).map(Int.init)
    if let port = service.healthPort, port != 0, port == service.port {
      listen.problem("healthPort", "must be another port than listen.port")
    }
    for (place, text) in (listen.texts("trustedProxies") ?? []).enumerated() {
      guard let range = NetworkRange(text) else {
        listen.problem("trustedProxies[\(place)]", "must be an address, or a range such as 10.0.0.0/8")
        continue
      }
      service.trustedProxies.append(range)
    }
    return service
  }

  private static func database(_ reader: ConfigurationReader, _ folder: URL) -> Database {
    if reader.has("sqlite"), reader.has("postgresql") {
      reader.problem("sqlite", "and postgresql are both there; the ledger is in one of them")
    }
    if let connection = reader.text("postgresql") {
      return .postgreSQL(
        connection, connections: reader.number("connections", 1...1_000).map(Int.init) ?? 10,
        acceptsServerWithoutFsync: reader.flag("withoutFsync") ?? false)
    }
    for key in ["connections", "withoutFsync"] where reader.has(key) {
      reader.problem(key, "is about PostgreSQL, and this ledger is in SQLite")
    }
    let ledger = folder.file(reader.text("sqlite") ?? "ledger.sqlite")
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: ledger.path, isDirectory: &isFolder), isFolder.boolValue {
      reader.problem("sqlite", "must be a file; \(ledger.path) is a folder")
    }
    reader.problems.check(LinkKeyFile.location(beside: ledger), .secret)
    return .sqlite(ledger)
  }

  private static func trust(_ reader: ConfigurationReader, _ folder: URL) -> Trust {
    let apple = reader.flag("apple")
    if let emulator = reader.url("emulator") {
      if reader.has("legacyIntermediates") {
        reader.problem("legacyIntermediates", "is about Apple's receipts; an emulator says itself what it signs with")
      }
      if apple == true { reader.problem("apple", "and emulator never go together; trust one of them") }
      return .emulator(emulator)
    }
    if apple != true, !reader.has("emulator") {
      reader.problem("apple", "must be true, or emulator the address of an emulator: choose whose purchases count")
    }
    return .apple(legacyIntermediates: (reader.texts("legacyIntermediates") ?? []).map(folder.file))
  }

  private static func identity(_ reader: ConfigurationReader, _ folder: URL) -> Identity? {
    let part = reader.part("identity", keys: ConfigurationKeys.identity)
    guard reader.has("identity") else { return nil }
    for key in ["issuer", "audience", "keySet"] where !part.has(key) { part.problem(key, "is missing") }
    guard let issuer = part.text("issuer"), let audience = part.text("audience"), let keySet = part.text("keySet")
    else { return nil }
    if !CustomerIdentity.isUsable(issuer: issuer) {
      part.problem("issuer", "must have no spaces and invisible characters: it is a name, or an address")
    }
    let file = folder.file(keySet)
    if !FileManager.default.isReadableFile(atPath: file.path) { part.problem("keySet", "cannot be read: \(keySet)") }
    part.problems.check(file, .trusted)
    return Identity(issuer: issuer, audience: audience, keySet: file)
  }

  private static func content(_ reader: ConfigurationReader, _ folder: URL, _ database: Database) -> Content {
    var keys: [DownloadLinkKey] = []
    let (texts, key) = linkKeys(reader, folder)
    for (place, text) in texts.enumerated() {
      do {
        keys.append(try DownloadLinkKey(base64: text))
      } catch {
        reader.problem("\(key)[\(place)]", "cannot be used. \(error)")
      }
    }
    if case .postgreSQL = database, texts.isEmpty {
      reader.problem(
        "linkKeys", "is missing: all servers of a ledger need the same. Make one with: openssl rand -base64 32")
    }
    return Content(
      folder: folder.file(reader.text("folder") ?? "content"), linkKeys: keys,
      linkSeconds: (reader.number("linkMinutes", 1...1_440) ?? 15) * 60)
  }
}

extension ServerConfiguration {
  /// Returns the keys for download links as texts, and the name of the setting that contains them.
  private static func linkKeys(_ reader: ConfigurationReader, _ folder: URL) -> ([String], String) {
    let listed = reader.texts("linkKeys") ?? []
    guard let path = reader.text("linkKeysFile") else { return (listed, "linkKeys") }
    if reader.has("linkKeys") {
      reader.problem("linkKeys", "and linkKeysFile are both there; the keys are in one of them")
    }
    reader.problems.check(folder.file(path), .secret)
    do {
      let lines = try String(contentsOf: folder.file(path), encoding: .utf8).split(whereSeparator: \.isNewline)
      let keys = lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
      if keys.isEmpty { reader.problem("linkKeysFile", "has no key in it: \(path)") }
      return (keys, "linkKeysFile")
    } catch {
      reader.unreadable("linkKeysFile", path, in: folder)
      return ([], "linkKeysFile")
    }
  }
}

extension URL {
  /// Resolves a path of the configuration: absolute paths stay, others are relative to this folder.
  func file(_ path: String) -> URL {
    path.hasPrefix("/") ? URL(filePath: path) : appending(path: path)
  }
}
