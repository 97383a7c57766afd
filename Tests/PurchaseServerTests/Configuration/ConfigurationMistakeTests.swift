import Foundation
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Mistakes in the server's configuration", .timeLimit(.minutes(30)))
struct ConfigurationMistakeTests {
  private static let mistakes: [(String, [String])] = [
    ("", ["the configuration file is no JSON"]), ("[]", ["must be a JSON object"]), ("{", ["is no JSON"]),
    ("{}", ["trust.apple must be true", "apps must name at least one app"]),
    (#"{"trust":{"apple":true},"apps":{}}"#, ["apps must be a list of objects"]),
    (#"{"trust":{"apple":true},"apps":[{}]}"#, ["apps[0].bundleId is missing"]),
    (#"{"trust":{"apple":true},"apps":[{"bundleId":""}]}"#, ["apps[0].bundleId must be text"]),
    (
      #"{"trust":{"apple":true},"apps":[{"bundleId":"a\u001b[31m","verification":"offline"}]}"#,
      ["apps[0].bundleId must be visible ASCII"]
    ),
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
    (
      WrittenConfiguration.app(#""verification":"offline","environments":["production"],"sandboxCustomers":["a"]"#),
      ["sandboxCustomers needs sandbox among the environments"]
    ),
    (
      WrittenConfiguration.app(
        #""verification":"offline","sandboxCustomers":["https://id.example a"," b","c ","d\u202e","\u00a0e",""]"#),
      [
        "apps[0].sandboxCustomers[1] begins with a blank: write a customer's id",
        "apps[0].sandboxCustomers[2] ends with a blank",
        "apps[0].sandboxCustomers[3] has the invisible character U+202E",
        "apps[0].sandboxCustomers[4] has the invisible character U+00A0", "apps[0].sandboxCustomers[5] is empty",
      ]
    ),
    (
      WrittenConfiguration.app(#""verification":"offline","consumptionRequests":"automatic""#),
      ["consumptionRequests needs a key of the App Store Server API"]
    ),
    (
      WrittenConfiguration.app(#""verification":"offline","consumptionRequests":"ask","refundPreference":"grant""#),
      ["consumptionRequests needs a key", "refundPreference is about automatic answers"]
    ),
    (
      WrittenConfiguration.app(#""verification":"offline","consumptionRequests":"on","sampleContentProvided":true"#),
      ["consumptionRequests must be one of off, ask, automatic, not on", "sampleContentProvided is about answers"]
    ),
    (
      WrittenConfiguration.app(#""environments":["production"]"#),
      ["apps[0].verification is missing: set serverAPI, both or verifyReceipt"]
    ),
    (
      WrittenConfiguration.app(#""verification":"offline","sharedSecret":"a""#),
      ["apps[0].sharedSecret needs a store to ask"]
    ),
    (
      WrittenConfiguration.app(#""verification":"offline","sharedSecretFile":"none""#),
      ["apps[0].sharedSecret needs a store", "sharedSecretFile cannot be read"]
    ),
    (
      WrittenConfiguration.app(#""verification":"offline","reverificationDays":1"#),
      ["apps[0].reverificationDays needs a store to ask"]
    ),
    (
      WrittenConfiguration.app(#""verification":"both","proofKinds":[]"#),
      ["apps[0].proofKinds must be a list of appReceipt, "]
    ),
    (
      WrittenConfiguration.app(#""verification":"both","proofKinds":["jws"]"#),
      ["apps[0].proofKinds must be a list of appReceipt, "]
    ),
    (
      WrittenConfiguration.app(#""verification":"both","proofKinds":["appReceipt","appReceipt"]"#),
      ["signedTransaction, each once"]
    ),
    (
      WrittenConfiguration.app(#""verification":"both","proofKinds":"appReceipt""#),
      ["apps[0].proofKinds must be a list of texts"]
    ),
    (
      WrittenConfiguration.app(#""verification":"verifyReceipt","proofKinds":["appReceipt","signedTransaction"]"#),
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
    (WrittenConfiguration.with(#""listen":{"port":65536}"#), ["listen.port must be a whole number from 0 to 65535"]),
    (WrittenConfiguration.with(#""listen":{"port":"80"}"#), ["listen.port must be a whole number"]),
    (WrittenConfiguration.with(#""listen":{"port":true}"#), ["listen.port must be a whole number"]),
    (WrittenConfiguration.with(#""listen":{"host":7}"#), ["listen.host must be text"]),
    (
      WrittenConfiguration.with(#""listen":{"trustedProxies":["10.0.0.0/33"]}"#),
      ["listen.trustedProxies[0] must be an address"]
    ),
    (
      WrittenConfiguration.with(#""listen":{"trustedProxies":"10.0.0.1"}"#),
      ["listen.trustedProxies must be a list of texts"]
    ),
    (WrittenConfiguration.with(#""listen":[]"#), ["listen must be an object"]),
    (WrittenConfiguration.with(#""lisen":{}"#), ["lisen is not known"]),
    (
      WrittenConfiguration.with(#""database":{"sqlite":"a","postgresql":"b"}"#),
      ["are both there", "linkKeys is missing"]
    ),
    (WrittenConfiguration.with(#""database":{"connections":3}"#), ["connections is about PostgreSQL"]),
    (WrittenConfiguration.with(#""database":{"withoutFsync":true}"#), ["withoutFsync is about PostgreSQL"]),
    (WrittenConfiguration.with(#""database":{"postgresql":"dbname=x"}"#), ["content.linkKeys is missing"]),
    (
      WrittenConfiguration.with(#""database":{"postgresql":"dbname=x"},"content":{"linkKeys":[]}"#),
      ["content.linkKeys is missing"]
    ),
    (WrittenConfiguration.with(#""content":{"linkKeys":["c2hvcnQ="]}"#), ["content.linkKeys[0] cannot be used"]),
    (WrittenConfiguration.with(#""content":{"linkKeys":["!"]}"#), ["content.linkKeys[0] cannot be used"]),
    (WrittenConfiguration.with(#""content":{"linkKeysFile":"none"}"#), ["linkKeysFile cannot be read"]),
    (
      WrittenConfiguration.with(#""content":{"linkKeys":[],"linkKeysFile":"none"}"#),
      ["are both there", "linkKeysFile cannot be read"]
    ),
    (
      WrittenConfiguration.with(#""content":{"linkMinutes":0}"#),
      ["content.linkMinutes must be a whole number from 1 to 1440"]
    ),
    (WrittenConfiguration.with(#""content":{"inlineLimitBytes":-1}"#), ["content.inlineLimitBytes must be"]),
    (WrittenConfiguration.with(#""limits":{"burst":0}"#), ["limits.burst must be a number from 1.0"]),
    (WrittenConfiguration.with(#""limits":{"requestsPerSecond":0}"#), ["limits.requestsPerSecond must be"]),
    (WrittenConfiguration.with(#""limits":{"requestSeconds":601}"#), ["limits.requestSeconds must be"]),
    (WrittenConfiguration.with(#""limits":{"headerLimitBytes":10}"#), ["limits.headerLimitBytes must be"]),
    (WrittenConfiguration.with(#""limits":{"drainSeconds":1.5}"#), ["limits.drainSeconds must be"]),
    (
      WrittenConfiguration.with(#""identity":{}"#),
      ["identity.issuer is", "identity.audience is", "identity.keySet is"]
    ),
    (
      WrittenConfiguration.with(#""identity":{"issuer":"a","audience":"b","keySet":"none"}"#),
      ["identity.keySet cannot be read"]
    ),
    (
      WrittenConfiguration.with(#""identity":{"issuer":"a b","audience":"b","keySet":"none"}"#),
      ["identity.issuer must have no spaces", "identity.keySet cannot be read"]
    ),
    (
      WrittenConfiguration.with(#""identity":{"issuer":"a\u202e","audience":"b","keySet":"none"}"#),
      ["identity.issuer must have no spaces and invisible characters", "identity.keySet cannot be read"]
    ),
    (WrittenConfiguration.with(#""identity":{"audience":"b","keySet":"none"}"#), ["identity.issuer is missing"]),
    (WrittenConfiguration.with(#""database":{"sqlite":"/"}"#), ["database.sqlite must be a file; / is a folder"]),
    (WrittenConfiguration.with(#""limits":{"questionsPerMinute":0}"#), ["limits.questionsPerMinute must be"]),
    (WrittenConfiguration.with(#""reverification":{"pauseSeconds":0}"#), ["reverification.pauseSeconds must be"]),
    (WrittenConfiguration.with(#""notifications":{"catchUpMinutes":-1}"#), ["notifications.catchUpMinutes must be"]),
    (
      WrittenConfiguration.with(#""log":{"level":"loud","format":"xml"}"#),
      ["log.level must be one of", "log.format must be one of"]
    ),
  ]

  @Test("each mistake is reported with its path and a message, and nothing else is", arguments: mistakes)
  func everyMistake(text: String, parts: [String]) throws {
    let found = WrittenConfiguration.problems(text)
    #expect(found.count == parts.count, "\(found)")
    for part in parts { #expect(found.contains { $0.contains(part) }, "\(part) in \(found)") }
  }

  @Test("all mistakes are reported at once")
  func atOnce() {
    let found = WrittenConfiguration.problems(#"{"listen":{"port":-1},"trust":{},"log":{"level":"x"},"whatever":1}"#)
    #expect(found.count == 5, "\(found)")
  }

  @Test("an unknown variable, or one that is not a number, is reported")
  func variables() {
    #expect(
      WrittenConfiguration.problems(WrittenConfiguration.least, ["PROT": "1"]).first?.contains(
        "OPENSTOREKIT_SERVER_PROT is not known") == true)
    #expect(
      WrittenConfiguration.problems(WrittenConfiguration.least, ["PORT": "x"]) == [
        "the variable OPENSTOREKIT_SERVER_PORT must be a whole number"
      ])
    let both = WrittenConfiguration.problems(WrittenConfiguration.least, ["SQLITE": "a", "POSTGRESQL": "dbname=x"])
    #expect(both.contains { $0.contains("SQLITE and OPENSTOREKIT_SERVER_POSTGRESQL are both there") })
    #expect(
      WrittenConfiguration.problems(WrittenConfiguration.least, ["SHARED_SECRETS": "com.example.none=a"]).first?
        .contains("com.example.none") == true)
  }

  @Test("a shared secret in the environment for an app without verifyReceipt is a mistake, too")
  func needlessSecret() {
    let found = WrittenConfiguration.problems(WrittenConfiguration.least, ["SHARED_SECRETS": "com.example.reader=a"])
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("apps[0].sharedSecret needs a store to ask") == true)
  }

  @Test("no message contains a secret, wherever it was written")
  func silence() throws {
    let secret = "Tops3cretPassw0rd"
    let texts = [
      #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"both","sharedSecret":"\#(secret) !"}]}"#,
      #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"both","sharedSecret":["\#(secret)"]}]}"#,
      WrittenConfiguration.with(#""content":{"linkKeys":["\#(secret)"]}"#),
      WrittenConfiguration.with(#""content":{"linkKeys":"\#(secret)"}"#),
      WrittenConfiguration.with(#""database":{"postgresql":{"password":"\#(secret)"}}"#),
      #"{"apps":[{"sharedSecret":"\#(secret)"#,
    ]
    for text in texts {
      let found = WrittenConfiguration.problems(text)
      #expect(!found.isEmpty)
      #expect(!found.joined().contains(secret), "\(found)")
    }
    for variables in [["SHARED_SECRETS": secret], ["SHARED_SECRETS": "a=\(secret)!"], ["LINK_KEYS": secret]] {
      let found = WrittenConfiguration.problems(WrittenConfiguration.with(#""log":{}"#), variables)
      #expect(!found.isEmpty)
      #expect(!found.joined().contains(secret), "\(found)")
    }
  }
}
