import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The listener with TLS", .timeLimit(.minutes(30)))
struct TLSListenerTests {
  private static let authorization = "Authorization: Bearer secret"

  private func bakery(controlToken: String? = "secret") async throws -> (BakeryServer, ScratchFolder) {
    let bakery = try await BakeryServer(.init(port: 0, tlsPort: 0, controlToken: controlToken))
    let folder = try ScratchFolder()
    try folder.writeCertificates("root.pem", [Data(try bakery.store.authority.tlsRootCertificate)])
    return (bakery, folder)
  }

  @Test(
    "G1 G2 curl that trusts the TLS root reaches Apple's receipt hosts here, and gets their answer to both generations",
    arguments: [false, true])
  func receiptHosts(isLegacy: Bool) async throws {
    let (bakery, folder) = try await bakery()
    let receipt = isLegacy ? try await bakery.legacyReceipt() : try await bakery.receipt()
    try folder.write("body.json", Data(try json(["receipt-data": receipt.base64EncodedString()]).utf8))
    try await bakery.listeningWithTLS { port async throws in
      for (host, status) in [("buy.itunes.apple.com", 21007), ("sandbox.itunes.apple.com", 0)] {
        let outcome = try await folder.run(
          "curl", "--silent", "--show-error", "--cacert", "root.pem", "--connect-to", "\(host):443:127.0.0.1:\(port)",
          "--header", "Content-Type: application/json", "--data", "@body.json", "https://\(host)/verifyReceipt")
        #expect(outcome.status == 0, "\(outcome.output)")
        let answer = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        #expect(answer?["status"] as? Int == status, "\(outcome.output)")
        #expect((answer?["receipt"] as? [String: Any])?.keys.contains("bvrs") == (status == 0 ? isLegacy : nil))
      }
    }
  }

  @Test(
    "curl that trusts the TLS root reaches the Server API at its four hosts, each in its environment, and nothing else there"
  )
  func serverAPIHosts() async throws {
    let (bakery, folder) = try await bakery()
    let ids = [
      "production": try await bakery.order(in: .production).record.transactionID.rawValue,
      "sandbox": try await bakery.order().record.transactionID.rawValue,
    ]
    let token = try #require(try await bakery.serverAPIAuthorization()["Authorization"])
    try await bakery.listeningWithTLS { port async throws in
      func ask(_ host: String, _ path: String, _ version: String = "--http1.1") async throws -> String {
        let outcome = try await folder.run(
          "curl", "--silent", "--show-error", "--cacert", "root.pem", "--connect-to", "\(host):443:127.0.0.1:\(port)",
          version,
          "--header", "Authorization: \(token)", "--path-as-is", "--write-out", " %{http_code} %{http_version}",
          "https://\(host)\(path)")
        #expect(outcome.status == 0, "\(host)\(path) \(outcome.output)")
        return outcome.output
      }
      for (host, endpoint) in AppleHosts.endpoints {
        guard case .serverAPI(let environment) = endpoint else {
          #expect(
            try await ask(host, "/inApps/v1/transactions/\(ids["sandbox"] ?? "")").hasSuffix(" 404 1.1"), "\(host)")
          continue
        }
        // A client that offers HTTP/2 is answered with the version that the listener has.
        for version in ["--http1.1", "--http2"] {
          for (asked, id) in ids {
            let answer = try await ask(host, "/inApps/v1/transactions/\(id)", version)
            #expect(
              answer.contains(asked == environment ? "signedTransactionInfo" : "4040010")
                && answer.hasSuffix(asked == environment ? " 200 1.1" : " 404 1.1"), "\(host) \(asked) \(answer)")
          }
        }
        for path in [
          "/verifyReceipt", "/\(environment)/inApps/v1/transactions/\(ids[environment] ?? "")", "/ocsp",
          "/device/v1/unfinished",
          "/inapps/v1/transactions/\(ids[environment] ?? "")", "/console/store", "/inApps/../control/v1/apps",
        ] {
          #expect(try await ask(host, path).hasSuffix(" 404 1.1"), "\(host)\(path)")
        }
      }
    }
  }

  @Test("G1 curl sends a body of 2 MiB only after the status 100, which it asks for")
  func largeBody() async throws {
    let (bakery, folder) = try await bakery()
    try folder.write("body.json", Data(try json(["receipt-data": String(repeating: "A", count: 2 << 20)]).utf8))
    try await bakery.listeningWithTLS { port async throws in
      // Without the status 100, curl would wait for the longer time, and fail after the shorter one.
      let outcome = try await folder.run(
        "curl", "--silent", "--show-error", "--cacert", "root.pem", "--connect-to",
        "sandbox.itunes.apple.com:443:127.0.0.1:\(port)", "--expect100-timeout", "600", "--max-time", "60",
        "--data", "@body.json", "https://sandbox.itunes.apple.com/verifyReceipt")
      #expect(outcome.status == 0, "\(outcome.output)")
      #expect(outcome.output == #"{"status":21002}"#)
    }
  }

  @Test("its certificate names every one of Apple's hosts and this machine, and none else")
  func names() async throws {
    let (bakery, folder) = try await bakery()
    try await bakery.listeningWithTLS { port async throws in
      for host in AppleHosts.names + ["localhost", "127.0.0.1"] {
        let outcome = try await folder.run(
          "curl", "--silent", "--output", "answer", "--write-out", "%{http_code}", "--cacert", "root.pem",
          "--header", Self.authorization, "--connect-to", "\(host):443:127.0.0.1:\(port)",
          "https://\(host)/control/v1/apps")
        #expect(outcome.status == 0, "\(host)")
        #expect(outcome.output == (host.hasSuffix("apple.com") ? "404" : "200"), "\(host)")
      }
      // 60: the certificate is not for that name.
      let other = try await folder.run(
        "curl", "--silent", "--cacert", "root.pem", "--connect-to", "www.apple.com:443:127.0.0.1:\(port)",
        "https://www.apple.com/")
      #expect(other.status == 60)
    }
  }

  @Test(
    "without a control token there is no control API and no console with TLS, whatever Host says",
    arguments: ["control/v1/connection", "control/openapi.json", "", "console/transactions", "assets/console.css"])
  func noControl(path: String) async throws {
    let (bakery, folder) = try await bakery(controlToken: nil)
    try await bakery.listeningWithTLS { port async throws in
      for host in ["localhost", "127.0.0.1:8080", "[::1]"] {
        let outcome = try await folder.run(
          "curl", "--silent", "--output", "answer", "--write-out", "%{http_code}", "--cacert", "root.pem",
          "--connect-to",
          "buy.itunes.apple.com:443:127.0.0.1:\(port)", "--header", "Host: \(host)",
          "https://buy.itunes.apple.com/\(path)")
        #expect(outcome.output == "404", "\(host)")
      }
    }
  }

  @Test("a client that does not trust the TLS root gets nothing")
  func untrusted() async throws {
    let (bakery, folder) = try await bakery()
    try folder.writeCertificates("other.pem", [Data(try bakery.store.authority.jwsRootCertificate)])
    try await bakery.listeningWithTLS { port async throws in
      let outcome = try await folder.run(
        "curl", "--silent", "--cacert", "other.pem", "https://127.0.0.1:\(port)/control/v1/apps")
      #expect(outcome.status == 60)
      #expect(outcome.output.isEmpty)
    }
  }

  @Test("openssl judges its certificate good under the TLS root, to the letter of the standard")
  func judgement() async throws {
    let (bakery, folder) = try await bakery()
    try await bakery.listeningWithTLS { port async throws in
      let outcome = try await folder.run(
        "openssl", "s_client", "-connect", "127.0.0.1:\(port)", "-CAfile", "root.pem", "-x509_strict",
        "-verify_return_error", "-verify_hostname", "api.storekit.apple.com", "-brief")
      #expect(outcome.output.contains("Verification: OK"), "\(outcome.output)")
    }
  }

  @Test("the connection document asked for with TLS gives addresses with TLS")
  func addresses() async throws {
    let (bakery, folder) = try await bakery()
    try await bakery.listeningWithTLS { port async throws in
      let outcome = try await folder.run(
        "curl", "--silent", "--cacert", "root.pem", "--header", Self.authorization,
        "https://localhost:\(port)/control/v1/connection", "--connect-to", "localhost:\(port):127.0.0.1:\(port)")
      let document = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
      let addresses = document?["baseURLs"] as? [String: String]
      #expect(addresses?["production"] == "https://localhost:\(port)/production")
    }
  }

  @Test("without a TLS port there is no such listener")
  func none() async throws {
    let application = try await BakeryServer().server.tlsApplication()
    #expect(application == nil)
  }
}
