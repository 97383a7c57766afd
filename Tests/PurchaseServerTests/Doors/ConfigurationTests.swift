import Foundation
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("The server's configuration")
struct ConfigurationTests {
  private static let least =
    #"{"trust":{"apple":true},"apps":[{"bundleId":"com.example.reader","verification":"offline"}]}"#

  private func read(
    _ text: String?, _ environment: [String: String] = [:], folder: URL = URL(filePath: "/srv/purchases/"),
    host: String? = nil, port: Int? = nil
  ) throws(ServerConfigurationError) -> ServerConfiguration {
    try ServerConfiguration(
      file: text.map { Data($0.utf8) }, folder: folder,
      environment: Dictionary(uniqueKeysWithValues: environment.map { ("OPENSTOREKIT_SERVER_\($0)", $1) }), host: host,
      port: port)
  }

  private func problems(
    _ text: String?, _ environment: [String: String] = [:], folder: URL = URL(filePath: "/srv/")
  )
    -> [String]
  {
    do {
      _ = try read(text, environment, folder: folder)
      return []
    } catch {
      return error.problems
    }
  }

  @Test("the least there can be: an app, and whose purchases count; the rest has its defaults")
  func least() throws {
    let configuration = try read(Self.least)
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
  }

  @Test("everything that can be said is taken")
  func everything() throws {
    let folder = try ScratchFolder()
    let key = Data(repeating: 7, count: 32).base64EncodedString()
    try folder.write(Data("5eCret\n".utf8), to: "secret")
    try folder.write(Data("\(key)\n\n\(key)\n".utf8), to: "links")
    try folder.write(Data("{}".utf8), to: "jwks.json")
    let configuration = try read(
      """
      {"listen": {"host": "0.0.0.0", "port": 0, "trustedProxies": ["10.0.0.0/8", "::1"]},
       "database": {"postgresql": "postgresql://purchases@db/purchases", "connections": 20, "withoutFsync": true},
       "trust": {"apple": true, "legacyIntermediates": ["wwdr.cer"]},
       "apps": [{"bundleId": "com.example.reader", "verification": "both", "environments": ["production"],
         "proofKinds": ["appReceipt"], "sharedSecretFile": "secret", "refunds": "block", "reverificationHours": 6, "reverificationDays": 90,
         "accountTokensNameCustomers": false}],
       "identity": {"issuer": "https://id.example", "audience": "purchases", "keySet": "jwks.json"},
       "content": {"folder": "/var/content", "linkKeysFile": "links", "linkMinutes": 5, "inlineLimitBytes": 0,
         "uploadLimitBytes": 1000},
       "limits": {"connectionsAtOnce": 9, "requestsAtOnce": 8, "requestsPerSecond": 0.5, "burst": 7, "questionsPerMinute": 1.5,
         "idleSeconds": 6,
         "requestSeconds": 5, "headerLimitBytes": 4096, "drainSeconds": 3},
       "reverification": {"pauseSeconds": 2}, "log": {"level": "debug", "format": "json"}}
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
    #expect((configuration.logLevel, configuration.logFormat) == ("debug", .json))
    #expect(configuration.reverificationPauseSeconds == 2)
  }

  private static let mistakes: [(String, [String])] = [
    ("", ["the configuration file is no JSON"]), ("[]", ["must be a JSON object"]), ("{", ["is no JSON"]),
    ("{}", ["trust.apple must be true", "apps must name at least one app"]),
    (#"{"trust":{"apple":true},"apps":{}}"#, ["apps must be a list of objects"]),
    (#"{"trust":{"apple":true},"apps":[{}]}"#, ["apps[0].bundleId is missing"]),
    (#"{"trust":{"apple":true},"apps":[{"bundleId":""}]}"#, ["apps[0].bundleId must be text"]),
    (
      #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"offline"},{"bundleId":"a","verification":"offline"}]}"#,
      ["apps[1].bundleId is there twice"]
    ),
    (
      #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verfication":"both"}]}"#,
      ["verfication is not known", "verification is missing"]
    ),
    (#"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"none"}]}"#, ["must be one of offline"]),
    (
      #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"offline","environments":[]}]}"#,
      ["must be a list of production and"]
    ),
    (
      #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"offline","environments":["xcode"]}]}"#,
      ["must be a list of production"]
    ),
    (
      #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"offline","refunds":"keep"}]}"#,
      ["refunds must be one of debt"]
    ),
    (
      #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"offline","reverificationHours":1}]}"#,
      ["needs a store to ask"]
    ),
    (
      #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"both","reverificationHours":0}]}"#,
      ["must be a whole number from 1 to 8760"]
    ),
    (
      #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"both","sharedSecretFile":"none"}]}"#,
      ["sharedSecretFile cannot be"]
    ),
    (
      #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"both","sharedSecret":"h e"}]}"#,
      ["must be letters and digits"]
    ),
    (
      #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"both","sharedSecret":"a","sharedSecretFile":"b"}]}"#,
      ["sharedSecret and sharedSecretFile are both there", "cannot be read"]
    ),
    (app(#""environments":["production"]"#), ["apps[0].verification is missing: say verifyReceipt or both"]),
    (app(#""verification":"offline","sharedSecret":"a""#), ["apps[0].sharedSecret needs a store to ask"]),
    (
      app(#""verification":"offline","sharedSecretFile":"none""#),
      ["apps[0].sharedSecret needs a store", "sharedSecretFile cannot be read"]
    ),
    (app(#""verification":"offline","reverificationDays":1"#), ["apps[0].reverificationDays needs a store to ask"]),
    (app(#""verification":"both","proofKinds":[]"#), ["apps[0].proofKinds must be a list of appReceipt, "]),
    (app(#""verification":"both","proofKinds":["jws"]"#), ["apps[0].proofKinds must be a list of appReceipt, "]),
    (app(#""verification":"both","proofKinds":["appReceipt","appReceipt"]"#), ["signedTransaction, each once"]),
    (app(#""verification":"both","proofKinds":"appReceipt""#), ["apps[0].proofKinds must be a list of texts"]),
    (
      app(#""verification":"verifyReceipt","proofKinds":["appReceipt","signedTransaction"]"#),
      ["proofKinds has signedTransaction, which verifyReceipt cannot be asked about"]
    ),
    (
      #"{"trust":{"emulator":"http://x"},"apps":[{"bundleId":"a","sharedSecret":"a"}]}"#,
      ["apps[0].sharedSecret needs a store"]
    ),
    (
      #"{"trust":{"apple":1},"apps":[{"bundleId":"a","verification":"offline"}]}"#,
      ["trust.apple must be true or false", "trust.apple must be true"]
    ),
    (#"{"trust":{"emulator":"ftp://x"},"apps":[{"bundleId":"a"}]}"#, ["must be an address that begins with http"]),
    (#"{"trust":{"emulator":"http://x","apple":true},"apps":[{"bundleId":"a"}]}"#, ["never go together"]),
    (
      #"{"trust":{"emulator":"http://x","legacyIntermediates":[]},"apps":[{"bundleId":"a"}]}"#,
      ["legacyIntermediates is about Apple's"]
    ),
    (with(#""listen":{"port":65536}"#), ["listen.port must be a whole number from 0 to 65535"]),
    (with(#""listen":{"port":"80"}"#), ["listen.port must be a whole number"]),
    (with(#""listen":{"port":true}"#), ["listen.port must be a whole number"]),
    (with(#""listen":{"host":7}"#), ["listen.host must be text"]),
    (with(#""listen":{"trustedProxies":["10.0.0.0/33"]}"#), ["listen.trustedProxies[0] must be an address"]),
    (with(#""listen":{"trustedProxies":"10.0.0.1"}"#), ["listen.trustedProxies must be a list of texts"]),
    (with(#""listen":[]"#), ["listen must be an object"]),
    (with(#""lisen":{}"#), ["lisen is not known"]),
    (with(#""database":{"sqlite":"a","postgresql":"b"}"#), ["are both there", "linkKeys is missing"]),
    (with(#""database":{"connections":3}"#), ["connections is about PostgreSQL"]),
    (with(#""database":{"withoutFsync":true}"#), ["withoutFsync is about PostgreSQL"]),
    (with(#""database":{"postgresql":"dbname=x"}"#), ["content.linkKeys is missing"]),
    (with(#""database":{"postgresql":"dbname=x"},"content":{"linkKeys":[]}"#), ["content.linkKeys is missing"]),
    (with(#""content":{"linkKeys":["c2hvcnQ="]}"#), ["content.linkKeys[0] cannot be used"]),
    (with(#""content":{"linkKeys":["!"]}"#), ["content.linkKeys[0] cannot be used"]),
    (with(#""content":{"linkKeysFile":"none"}"#), ["linkKeysFile cannot be read"]),
    (with(#""content":{"linkKeys":[],"linkKeysFile":"none"}"#), ["are both there", "linkKeysFile cannot be read"]),
    (with(#""content":{"linkMinutes":0}"#), ["content.linkMinutes must be a whole number from 1 to 1440"]),
    (with(#""content":{"inlineLimitBytes":-1}"#), ["content.inlineLimitBytes must be"]),
    (with(#""limits":{"burst":0}"#), ["limits.burst must be a number from 1.0"]),
    (with(#""limits":{"requestsPerSecond":0}"#), ["limits.requestsPerSecond must be"]),
    (with(#""limits":{"requestSeconds":601}"#), ["limits.requestSeconds must be"]),
    (with(#""limits":{"headerLimitBytes":10}"#), ["limits.headerLimitBytes must be"]),
    (with(#""limits":{"drainSeconds":1.5}"#), ["limits.drainSeconds must be"]),
    (with(#""identity":{}"#), ["identity.issuer is", "identity.audience is", "identity.keySet is"]),
    (with(#""identity":{"issuer":"a","audience":"b","keySet":"none"}"#), ["identity.keySet cannot be read"]),
    (
      with(#""identity":{"issuer":"a b","audience":"b","keySet":"none"}"#),
      ["identity.issuer must have no spaces", "identity.keySet cannot be read"]
    ),
    (with(#""identity":{"audience":"b","keySet":"none"}"#), ["identity.issuer is missing"]),
    (with(#""limits":{"questionsPerMinute":0}"#), ["limits.questionsPerMinute must be"]),
    (with(#""reverification":{"pauseSeconds":0}"#), ["reverification.pauseSeconds must be"]),
    (with(#""log":{"level":"loud","format":"xml"}"#), ["log.level must be one of", "log.format must be one of"]),
  ]

  private static func app(_ more: String) -> String {
    #"{"trust":{"apple":true},"apps":[{"bundleId":"a",\#(more)}]}"#
  }

  private static func with(_ part: String) -> String {
    #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"offline"}],\#(part)}"#
  }

  @Test("each mistake is told, by its place and in words, and no other", arguments: mistakes)
  func everyMistake(text: String, words: [String]) throws {
    let found = problems(text)
    #expect(found.count == words.count, "\(found)")
    for word in words { #expect(found.contains { $0.contains(word) }, "\(word) in \(found)") }
  }

  @Test("all mistakes are told at once")
  func atOnce() {
    let found = problems(#"{"listen":{"port":-1},"trust":{},"log":{"level":"x"},"whatever":1}"#)
    #expect(found.count == 5, "\(found)")
  }

  @Test("the environment counts more than the file, and what is said at the command line most")
  func order() throws {
    let file =
      #"{"listen":{"host":"10.0.0.1","port":1},"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"offline"}]}"#
    #expect(try read(file).service.port == 1)
    let environment = ["PORT": "2", "HOST": "10.0.0.2", "TRUSTED_PROXIES": "10.0.0.0/8,::1"]
    let configuration = try read(file, environment)
    #expect((configuration.service.host, configuration.service.port) == ("10.0.0.2", 2))
    #expect(configuration.service.trustedProxies.count == 2)
    let said = try read(file, environment, host: "10.0.0.3", port: 3)
    #expect((said.service.host, said.service.port) == ("10.0.0.3", 3))
  }

  @Test("what the environment says takes the place of what the file says in another way")
  func replacing() throws {
    let key = Data(repeating: 1, count: 32).base64EncodedString()
    let postgreSQL = Self.with(
      #""database":{"postgresql":"dbname=x","connections":3},"content":{"linkKeysFile":"none"}"#)
    let configuration = try read(postgreSQL, ["SQLITE": "/tmp/l", "LINK_KEYS": key])
    #expect(configuration.database == .sqlite(URL(filePath: "/tmp/l")))
    #expect(configuration.content.linkKeys.count == 1)
    let other = try read(
      Self.with(#""database":{"sqlite":"x"}"#),
      ["POSTGRESQL": "dbname=y", "POSTGRESQL_CONNECTIONS": "4", "LINK_KEYS": "\(key),\(key)"])
    #expect(other.database == .postgreSQL("dbname=y", connections: 4, acceptsServerWithoutFsync: false))
    let emulator = try read(Self.least, ["EMULATOR": "http://127.0.0.1:8080"])
    #expect(emulator.trust == .emulator(try #require(URL(string: "http://127.0.0.1:8080"))))
  }

  @Test("a variable that is not known, or is no number, is told")
  func variables() {
    #expect(problems(Self.least, ["PROT": "1"]).first?.contains("OPENSTOREKIT_SERVER_PROT is not known") == true)
    #expect(problems(Self.least, ["PORT": "x"]) == ["the variable OPENSTOREKIT_SERVER_PORT must be a whole number"])
    let both = problems(Self.least, ["SQLITE": "a", "POSTGRESQL": "dbname=x"])
    #expect(both.contains { $0.contains("SQLITE and OPENSTOREKIT_SERVER_POSTGRESQL are both there") })
    #expect(problems(Self.least, ["SHARED_SECRETS": "com.example.none=a"]).first?.contains("com.example.none") == true)
  }

  @Test("shared secrets come from the environment, app by app, and count more than those of the file")
  func secrets() throws {
    let configuration = try read(
      #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"both","sharedSecret":"x"},{"bundleId":"b","verification":"both"}]}"#,
      ["SHARED_SECRETS": "a=y,b=z"])
    #expect(configuration.apps.map(\.sharedSecret) == [SharedSecret("y"), SharedSecret("z")])
  }

  @Test("a shared secret of the environment, for an app that asks nobody, is a mistake, too")
  func needlessSecret() {
    let found = problems(Self.least, ["SHARED_SECRETS": "com.example.reader=a"])
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("apps[0].sharedSecret needs a store to ask") == true)
  }

  @Test("an emulator's purchases are verified offline unless something is said")
  func emulator() throws {
    let configuration = try read(#"{"trust":{"emulator":"http://x"},"apps":[{"bundleId":"a"}]}"#)
    #expect(configuration.apps.map(\.verification) == [.offline])
    #expect(configuration.warnings.isEmpty)
  }

  @Test("the kinds of proof that an app takes, if it says so")
  func proofKinds() throws {
    let said = try read(Self.app(#""verification":"both","proofKinds":["legacyReceipt","signedTransaction"]"#))
    #expect(said.apps.map(\.proofKinds) == [[.legacyReceipt, .signedTransaction]])
    #expect(try read(Self.least).apps.map(\.proofKinds) == [nil])
  }

  @Test("what may cost an operator goods is told of each app, and is no mistake")
  func warnings() throws {
    func warnings(_ more: String) throws -> [String] { try read(Self.app(more)).warnings }
    #expect(try warnings(#""verification":"both","environments":["production"]"#).isEmpty)
    let sandbox = try warnings(#""verification":"both""#)
    #expect(sandbox.count == 1)
    #expect(sandbox.first?.hasPrefix("a takes purchases of the sandbox, which cost nothing") == true)
    let signed = try warnings(
      #""verification":"both","environments":["production"],"proofKinds":["signedTransaction"]"#)
    #expect(signed.count == 1)
    #expect(signed.first?.hasPrefix("a takes signed transactions, which the store is never asked about") == true)
  }

  @Test("of several PostgreSQL hosts it is told what a failover may lose, and not of one, nor of SQLite")
  func failover() throws {
    let key = Data(repeating: 1, count: 32).base64EncodedString()
    func advice(_ connection: String) throws -> String? {
      try read(Self.least, ["POSTGRESQL": connection, "LINK_KEYS": key]).failoverAdvice
    }
    #expect(try advice("postgresql://purchases@one,two/purchases")?.contains("names 2 hosts") == true)
    #expect(try advice("postgresql://purchases@one/purchases") == nil)
    #expect(try read(Self.least).failoverAdvice == nil)
  }

  @Test("no message shows a secret, wherever it was put")
  func silence() throws {
    let secret = "Tops3cretPassw0rd"
    let texts = [
      #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"both","sharedSecret":"\#(secret) !"}]}"#,
      #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"both","sharedSecret":["\#(secret)"]}]}"#,
      Self.with(#""content":{"linkKeys":["\#(secret)"]}"#), Self.with(#""content":{"linkKeys":"\#(secret)"}"#),
      Self.with(#""database":{"postgresql":{"password":"\#(secret)"}}"#),
      #"{"apps":[{"sharedSecret":"\#(secret)"#,
    ]
    for text in texts {
      let found = problems(text)
      #expect(!found.isEmpty)
      #expect(!found.joined().contains(secret), "\(found)")
    }
    for variables in [["SHARED_SECRETS": secret], ["SHARED_SECRETS": "a=\(secret)!"], ["LINK_KEYS": secret]] {
      let found = problems(Self.with(#""log":{}"#), variables)
      #expect(!found.isEmpty)
      #expect(!found.joined().contains(secret), "\(found)")
    }
  }

  @Test("the documentation lists every key, every variable and every figure, and no other")
  func documented() throws {
    let here = URL(filePath: #filePath)
    let root = (0..<4).reduce(here) { url, _ in url.deletingLastPathComponent() }
    let text = try String(contentsOf: root.appending(path: "Documentation/running-the-server.md"), encoding: .utf8)
    let rows = text.split(separator: "\n").compactMap { line in
      line.firstMatch(of: /^\| `([A-Za-z_.\[\]]+)` \|/).map { String($0.1) }
    }
    let known = ConfigurationKeys.parts.flatMap { part, keys in
      keys.map { part == "apps" ? "apps[].\($0)" : "\(part).\($0)" }
    }
    let prefix = ConfigurationSources.prefix
    let variables =
      ConfigurationSources.variables.map { prefix + $0.name } + [prefix + ConfigurationSources.secretsVariable]
    let figures = ServiceMetrics().text(underWay: 0).matches(of: #/# TYPE ([a-z_]+) /#).map { String($0.1) }
    #expect(rows.sorted() == (known + variables + figures).sorted())
  }
}
