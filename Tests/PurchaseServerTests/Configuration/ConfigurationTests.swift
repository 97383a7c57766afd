import Crypto
import Foundation
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("The server's configuration", .timeLimit(.minutes(30)))
struct ConfigurationTests {
  @Test("the minimal configuration is an app and its trust; the rest has defaults")
  func least() throws {
    let configuration = try WrittenConfiguration.read(WrittenConfiguration.least)
    #expect((configuration.service.host, configuration.service.port) == ("127.0.0.1", 8090))
    #expect(configuration.service.limits == ServiceLimits())
    #expect(configuration.database == .sqlite(URL(filePath: "/srv/purchases/ledger.sqlite")))
    #expect(configuration.trust == .apple(legacyIntermediates: []))
    #expect(configuration.content.folder.path == "/srv/purchases/content")
    #expect(configuration.content.linkSeconds == 900)
    let app = try #require(configuration.apps.first)
    #expect((app.verification, app.environments) == (.offline, [.production, .sandbox]))
    #expect(app.ledger == LedgerSettings())
    #expect(configuration.identity == nil)
    #expect(!configuration.service.allowsLoopbackWebhooks)
  }

  @Test("every setting is read")
  func everything() throws {
    let folder = try ScratchFolder()
    let key = Data(repeating: 7, count: 32).base64EncodedString()
    try folder.write("secret", "5eCret\n")
    try folder.write("links", "\(key)\n\n\(key)\n")
    try folder.write("jwks.json", "{}")
    let configuration = try WrittenConfiguration.read(
      """
      {"listen": {"host": "0.0.0.0", "port": 0, "healthPort": 8091, "trustedProxies": ["10.0.0.0/8", "::1"]},
       "database": {"postgresql": "postgresql://purchases@db/purchases", "connections": 20, "withoutFsync": true},
       "trust": {"apple": true, "legacyIntermediates": ["wwdr.cer"]},
       "apps": [{"bundleId": "com.example.reader", "verification": "both", "environments": ["production"],
         "proofKinds": ["appReceipt"], "sharedSecretFile": "secret", "refunds": "block", "reverificationHours": 6, "reverificationDays": 90,
         "accountTokensNameCustomers": false}],
       "identity": {"issuer": "https://id.example", "audience": "purchases", "keySet": "jwks.json"},
       "content": {"folder": "/var/content", "linkKeysFile": "links", "linkMinutes": 5, "inlineLimitBytes": 0,
         "uploadLimitBytes": 1000},
       "limits": {"connectionsAtOnce": 9, "connectionsPerAddress": 4, "installationsPerHour": 60, "requestsAtOnce": 8,
         "bodyBytesAtOnce": 20000000, "requestsPerSecond": 0.5, "burst": 7, "questionsPerMinute": 1.5,
         "idleSeconds": 6,
         "requestSeconds": 5, "headerLimitBytes": 4096, "drainSeconds": 3},
       "reverification": {"pauseSeconds": 2}, "notifications": {"catchUpMinutes": 0},
       "webhooks": {"allowLoopback": true},
       "installations": {"unusedDays": 30}, "log": {"level": "debug", "format": "json"}}
      """, folder: folder.url)
    #expect(configuration.service.trustedProxies == [NetworkRange("10.0.0.0/8"), NetworkRange("::1")])
    #expect(
      configuration.database
        == .postgreSQL("postgresql://purchases@db/purchases", connections: 20, acceptsServerWithoutFsync: true))
    #expect(configuration.trust == .apple(legacyIntermediates: [folder.url.appending(path: "wwdr.cer")]))
    let app = try #require(configuration.apps.first)
    #expect(app.sharedSecret == SharedSecret("5eCret"))
    #expect(app.proofKinds == [.appReceipt])
    #expect(
      app.ledger
        == LedgerSettings(
          refundPolicy: .block, reverificationSeconds: 21_600, reverificationEndsAfterSeconds: 7_776_000,
          accountTokensNameCustomers: false))
    #expect(configuration.content.linkKeys.count == 2)
    #expect(configuration.service.limits.requestsPerSecond == 0.5)
    #expect(configuration.service.limits.questionsPerMinute == 1.5)
    #expect(configuration.service.limits.drainSeconds == 3)
    #expect(configuration.service.limits.connectionsPerAddress == 4)
    #expect(configuration.service.limits.installationsPerHour == 60)
    #expect(configuration.service.healthPort == 8091)
    #expect(configuration.unusedInstallationDays == 30)
    #expect((configuration.logLevel, configuration.logFormat) == ("debug", .json))
    #expect(configuration.reverificationPauseSeconds == 2)
    #expect(configuration.catchUpMinutes == 0)
    #expect(configuration.service.allowsLoopbackWebhooks)
  }

  @Test("the environment overrides the file, and the command line overrides both")
  func order() throws {
    let file =
      #"{"listen":{"host":"10.0.0.1","port":1},"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"offline"}]}"#
    #expect(try WrittenConfiguration.read(file).service.port == 1)
    let environment = ["PORT": "2", "HOST": "10.0.0.2", "TRUSTED_PROXIES": "10.0.0.0/8,::1"]
    let configuration = try WrittenConfiguration.read(file, environment)
    #expect((configuration.service.host, configuration.service.port) == ("10.0.0.2", 2))
    #expect(configuration.service.trustedProxies.count == 2)
    let read = try WrittenConfiguration.read(file, environment, host: "10.0.0.3", port: 3)
    #expect((read.service.host, read.service.port) == ("10.0.0.3", 3))
  }

  @Test("a variable replaces an alternative setting of the file")
  func replacing() throws {
    let key = Data(repeating: 1, count: 32).base64EncodedString()
    let postgreSQL = WrittenConfiguration.with(
      #""database":{"postgresql":"dbname=x","connections":3},"content":{"linkKeysFile":"none"}"#)
    let configuration = try WrittenConfiguration.read(postgreSQL, ["SQLITE": "/tmp/l", "LINK_KEYS": key])
    #expect(configuration.database == .sqlite(URL(filePath: "/tmp/l")))
    #expect(configuration.content.linkKeys.count == 1)
    let other = try WrittenConfiguration.read(
      WrittenConfiguration.with(#""database":{"sqlite":"x"}"#),
      ["POSTGRESQL": "dbname=y", "POSTGRESQL_CONNECTIONS": "4", "LINK_KEYS": "\(key),\(key)"])
    #expect(other.database == .postgreSQL("dbname=y", connections: 4, acceptsServerWithoutFsync: false))
    let emulator = try WrittenConfiguration.read(WrittenConfiguration.least, ["EMULATOR": "http://127.0.0.1:8080"])
    #expect(emulator.trust == .emulator(try #require(URL(string: "http://127.0.0.1:8080"))))
  }

  @Test("shared secrets come from the environment, for each app, and override those of the file")
  func secrets() throws {
    let configuration = try WrittenConfiguration.read(
      #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"both","sharedSecret":"x"},{"bundleId":"b","verification":"both"}]}"#,
      ["SHARED_SECRETS": "a=y,b=z"])
    #expect(configuration.apps.map(\.sharedSecret) == [SharedSecret("y"), SharedSecret("z")])
  }

  @Test("consumption requests are answered only if it is configured, with a key; an emulator has one")
  func consumptionRequests() throws {
    let folder = try ScratchFolder()
    func settings(_ more: String) throws -> ConsumptionSettings {
      let text = WrittenConfiguration.app(try serverAPI(folder) + more)
      return try #require(try WrittenConfiguration.read(text, folder: folder.url).apps.first).ledger.consumption
    }
    #expect(try settings("") == ConsumptionSettings(policy: .off))
    #expect(
      try settings(#","consumptionRequests":"automatic","refundPreference":"prorated","sampleContentProvided":true"#)
        == ConsumptionSettings(policy: .automatic, refundPreference: .prorated, sampleContentProvided: true))
    let emulated = try WrittenConfiguration.read(
      #"{"trust":{"emulator":"http://127.0.0.1:8080"},"apps":[{"bundleId":"a","consumptionRequests":"ask"}]}"#)
    #expect(emulated.apps[0].ledger.consumption.policy == .ask)
  }

  /// Returns the setting `apps[].serverAPI` with a key in a file of the folder.
  private func serverAPI(_ folder: ScratchFolder, _ more: String = "", key: String? = nil) throws -> String {
    try folder.write("key.p8", key ?? P256.Signing.PrivateKey().pemRepresentation)
    return
      #""verification":"serverAPI","serverAPI":{"keyId":"2X9R4HXF34","issuerId":"57246542-96fe","privateKeyFile":"key.p8"\#(more)}"#
  }

  @Test("the key of the App Store Server API is read from its file, which the environment can replace")
  func serverAPIKey() throws {
    let folder = try ScratchFolder()
    let text = WrittenConfiguration.app(
      try serverAPI(folder, #","appAppleId":1234567890"#) + #","certificateStatus":"hard""#)
    let app = try #require(try WrittenConfiguration.read(text, folder: folder.url).apps.first)
    #expect((app.verification, app.certificateStatus) == (.serverAPI, .hard))
    #expect((app.serverAPI?.key.keyID, app.serverAPI?.key.issuerID) == ("2X9R4HXF34", "57246542-96fe"))
    #expect(app.serverAPI?.appAppleID == 1_234_567_890)
    #expect(app.ledger.reverificationSeconds == 86_400)
    let other = P256.Signing.PrivateKey()
    try folder.write("other.p8", other.pemRepresentation)
    let replaced = try WrittenConfiguration.read(text, ["PRIVATE_KEY_FILES": "a=other.p8"], folder: folder.url)
    #expect(replaced.apps.first?.serverAPI?.key != app.serverAPI?.key)
    // Other methods may have a key, for notifications.
    let both = try WrittenConfiguration.read(text.replacing("serverAPI\",", with: "both\","), folder: folder.url)
    #expect(both.apps.first?.serverAPI?.key == app.serverAPI?.key && both.apps.first?.verification == .both)
    var dumped = ""
    dump(app, to: &dumped)
    #expect(!dumped.contains("PrivateKey"))
  }

  @Test("what is wrong with the key of the App Store Server API is reported: missing, unreadable, no key")
  func serverAPIMistakes() throws {
    let folder = try ScratchFolder()
    func problems(_ app: String, _ environment: [String: String] = [:]) -> [String] {
      WrittenConfiguration.problems(WrittenConfiguration.app(app), environment, folder: folder.url)
    }
    let good = try serverAPI(folder)
    #expect(problems(good) == [])
    #expect(problems(#""verification":"serverAPI""#).first?.hasPrefix("apps[0].serverAPI is missing") == true)
    #expect(
      problems(good.replacing("key.p8", with: "none.p8")) == [
        "apps[0].serverAPI.privateKeyFile cannot be read: there is no such file. The value is the name of a file, not its content"
      ])
    for key in ["keyId", "issuerId", "privateKeyFile"] {
      let missing = problems(good.replacing("\"\(key)\"", with: "\"appAppleId\""))
      #expect(missing.contains { $0.hasPrefix("apps[0].serverAPI.\(key) is missing") }, "\(missing)")
    }
    #expect(
      problems(good.replacing("2X9R4HXF34", with: "a b")).first?.hasPrefix("apps[0].serverAPI.keyId must be") == true)
    #expect(
      problems(try serverAPI(folder, #","keyID":"x""#)).first?.hasPrefix("apps[0].serverAPI.keyID is not known") == true
    )
    let noKey = problems(try serverAPI(folder, key: "-----BEGIN CERTIFICATE-----"))
    #expect(noKey.count == 1 && noKey[0].contains("key.p8") && noKey[0].contains("PKCS#8"), "\(noKey)")
    #expect(!problems(#""verification":"both""#, ["PRIVATE_KEY_FILES": "a=key.p8"]).isEmpty)
    #expect(!problems(#""verification":"both""#, ["PRIVATE_KEY_FILES": "b=key.p8"]).isEmpty)
    #expect(!problems(#""verification":"both""#, ["PRIVATE_KEY_FILES": "key.p8"]).isEmpty)
    #expect(!problems(#""verification":"verifyReceipt","certificateStatus":"soft""#).isEmpty)
    #expect(!problems(#""verification":"both","certificateStatus":"hard","proofKinds":["legacyReceipt"]"#).isEmpty)
    #expect(problems(#""verification":"both","certificateStatus":"off","proofKinds":["legacyReceipt"]"#) == [])
    #expect(!problems(#""verification":"both","proofKinds":["transactionID"]"#).isEmpty)
  }

  @Test("an emulator's purchases are verified offline unless configured otherwise")
  func emulator() throws {
    let configuration = try WrittenConfiguration.read(#"{"trust":{"emulator":"http://x"},"apps":[{"bundleId":"a"}]}"#)
    #expect(configuration.apps.map(\.verification) == [.offline])
    #expect(configuration.warnings.isEmpty)
  }

  @Test("the accepted kinds of proof of an app can be configured")
  func proofKinds() throws {
    let read = try WrittenConfiguration.read(
      WrittenConfiguration.app(#""verification":"both","proofKinds":["legacyReceipt","signedTransaction"]"#))
    #expect(read.apps.map(\.proofKinds) == [[.legacyReceipt, .signedTransaction]])
    #expect(try WrittenConfiguration.read(WrittenConfiguration.least).apps.map(\.proofKinds) == [nil])
  }

  @Test("testers are listed by id, in either case, and by issuer and subject")
  func sandboxCustomers() throws {
    let id = "6E1DA2B4-7B5C-4D8E-9A51-0123456789AB"
    let listed = try WrittenConfiguration.read(
      WrittenConfiguration.app(#""verification":"both","sandboxCustomers":["\#(id)","https://id.example Review"]"#))
    #expect(listed.apps[0].ledger.sandboxCustomers == [.init(id.lowercased()), "https://id.example Review"])
    // Canonically equivalent subjects are those of two customers.
    let two = try WrittenConfiguration.read(
      WrittenConfiguration.app(#""verification":"both","sandboxCustomers":["id Ren\u00e9","id Rene\u0301"]"#))
    #expect(two.apps[0].ledger.sandboxCustomers?.count == 2)
    #expect(try WrittenConfiguration.read(WrittenConfiguration.least).apps[0].ledger.sandboxCustomers == nil)
  }

  @Test("settings that can cost the operator goods are warnings for each app, not mistakes")
  func warnings() throws {
    func warnings(_ more: String) throws -> [String] {
      try WrittenConfiguration.read(WrittenConfiguration.app(more)).warnings
    }
    #expect(try warnings(#""verification":"both","environments":["production"]"#).isEmpty)
    let sandbox = try warnings(#""verification":"both""#)
    #expect(sandbox.count == 1)
    #expect(sandbox.first?.hasPrefix("a takes purchases of the sandbox, which cost nothing") == true)
    #expect(try warnings(#""verification":"both","sandboxCustomers":["review"]"#) == [])
    let signed = try warnings(
      #""verification":"both","environments":["production"],"proofKinds":["signedTransaction"]"#)
    #expect(signed.count == 1)
    #expect(signed.first?.hasPrefix("a takes signed transactions, which the store is never asked about") == true)
    let loopback = try WrittenConfiguration.read(
      WrittenConfiguration.with(#""webhooks":{"allowLoopback":true}"#)
    ).warnings
    #expect(loopback.contains { $0.hasPrefix("webhooks.allowLoopback lets every holder") })
  }

  @Test("the documentation lists every key, every variable and every metric, and no others")
  func documented() throws {
    let here = URL(filePath: #filePath)
    let root = (0..<4).reduce(here) { url, _ in url.deletingLastPathComponent() }
    let text = try String(contentsOf: root.appending(path: "Documentation/running-the-server.md"), encoding: .utf8)
    let rows = text.split(separator: "\n").compactMap { line in
      line.firstMatch(of: /^\| `([A-Za-z_.\[\]]+)` \|/).map { String($0.1) }
    }
    let known = ConfigurationKeys.paths
    let names = ConfigurationSources.variables.map(\.name) + ConfigurationSources.appVariables
    let variables = names.map { ConfigurationSources.prefix + $0 }
    let figures = ServiceMetrics().text(underWay: 0).matches(of: #/# TYPE ([a-z_]+) /#).map { String($0.1) }
    #expect(rows.sorted() == (known + variables + figures).sorted())
  }
}
