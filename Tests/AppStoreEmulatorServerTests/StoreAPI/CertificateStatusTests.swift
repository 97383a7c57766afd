import AppStoreEmulator
import Foundation
import HTTPTypes
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The OCSP responder over HTTP, as openssl and curl use it", .timeLimit(.minutes(30)))
struct CertificateStatusTests {
  /// A server whose machine has the current date, as openssl does.
  private func bakery(_ configuration: EmulatorServer.Configuration = .init(port: 0)) async throws -> BakeryServer {
    let bakery = try await BakeryServer(configuration)
    bakery.clock.set(StoreDate(Date()))
    return bakery
  }

  /// Writes the chain of a newly signed transaction to files, and returns its certificates.
  @discardableResult
  private func writeChain(_ bakery: BakeryServer, to folder: ScratchFolder) async throws -> [[UInt8]] {
    let id = try await bakery.order().record.transactionID
    let signed = try await bakery.store.proofs(of: id).signedTransaction
    let chain = try UnverifiedJWS(signed).contents.header.certificates
    for (name, der) in zip(["leaf", "intermediate", "root"], chain) {
      try folder.writeCertificates("\(name).pem", [der])
    }
    return chain
  }

  /// Asks about a certificate with openssl, at the address in it.
  private func ask(_ folder: ScratchFolder, about name: String, issuer: String) async throws -> String {
    let address = try await folder.run("openssl", "x509", "-in", "\(name).pem", "-noout", "-ocsp_uri").output
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return try await folder.run(
      "openssl", "ocsp", "-issuer", "\(issuer).pem", "-cert", "\(name).pem", "-url", address, "-no_proxy", "*",
      "-CAfile", "root.pem", "-verify_other", "intermediate.pem", "-nonce"
    ).output
  }

  @Test("POST: leaf and intermediate of a transaction are good at the address that they contain, which the root lacks")
  func post() async throws {
    let (bakery, folder) = (try await bakery(), try ScratchFolder())
    try await bakery.listening { port async throws in
      try await writeChain(bakery, to: folder)
      for (name, issuer) in [("leaf", "intermediate"), ("intermediate", "root")] {
        let text = try await ask(folder, about: name, issuer: issuer)
        #expect(text.contains("Response verify OK") && text.contains("\(name).pem: good"), "\(text)")
        #expect(!text.contains("WARNING"), "\(text)")
        let certificate = try await folder.run("openssl", "x509", "-in", "\(name).pem", "-noout", "-text").output
        #expect(certificate.contains("OCSP - URI:http://127.0.0.1:\(port)/ocsp"))
      }
      let root = try await folder.run("openssl", "x509", "-in", "root.pem", "-noout", "-text").output
      #expect(!root.contains("OCSP"))
    }
    let asked = bakery.store.requests(RequestFilter(.certificateStatus))
    #expect(asked.map(\.outcome) == [.answered, .answered])
  }

  @Test("GET, as Java asks: base64 in the path, percent-encoded or not", arguments: [false, true])
  func get(isEncoded: Bool) async throws {
    let (bakery, folder) = (try await bakery(), try ScratchFolder())
    try await bakery.listening { port async throws in
      try await writeChain(bakery, to: folder)
      // Nonces give requests with every character of base64.
      for _ in 0..<4 {
        try await folder.run(
          "openssl", "ocsp", "-issuer", "intermediate.pem", "-cert", "leaf.pem", "-nonce", "-reqout", "request.der")
        var path = try folder.data("request.der").base64EncodedString()
        if isEncoded {
          for (character, code) in [("+", "%2B"), ("/", "%2F"), ("=", "%3D")] {
            path = path.replacingOccurrences(of: character, with: code)
          }
        }
        let outcome = try await folder.run(
          "curl", "--silent", "--noproxy", "*", "--output", "answer.der", "--write-out", "%{http_code} %{content_type}",
          "http://127.0.0.1:\(port)/ocsp/\(path)")
        #expect(outcome.output == "200 application/ocsp-response")
        // openssl compares the nonce only without options for certificates.
        let text = try await folder.run(
          "openssl", "ocsp", "-respin", "answer.der", "-reqin", "request.der", "-no_nonce", "-CAfile", "root.pem",
          "-verify_other", "intermediate.pem", "-resp_text"
        ).output
        #expect(text.contains("Response verify OK") && text.contains("Cert Status: good"), "\(text)")
        #expect(!text.contains("WARNING"), "\(text)")
      }
    }
  }

  @Test("certificates contain the advertised address, never the host of a request; another port issues them again")
  func addresses() async throws {
    let folder = try ScratchFolder()
    let advertised = try #require(URL(string: "http://store.test:8080"))
    let bakery = try await bakery(.init(port: 0, advertisedURL: advertised))
    #expect(try UnverifiedJWS(try await signed(bakery)).contents.header.certificates.count == 3)
    let first = try await bakery.listening { port async throws in
      _ = try await send(.get, "/ocsp/x", host: "evil.example", toPort: port)
      return try await writeChain(bakery, to: folder)
    }
    for name in ["leaf", "intermediate"] {
      let address = try await folder.run("openssl", "x509", "-in", "\(name).pem", "-noout", "-ocsp_uri").output
      #expect(address == "http://store.test:8080/ocsp\n")
    }
    let other = try EmulatorServer(
      store: bakery.store, configuration: .init(host: "::1", port: 8099), logger: BakeryServer.logger)
    _ = other.application()
    let second = try await writeChain(bakery, to: folder)
    #expect(first[0] != second[0] && first[1] != second[1] && first[2] == second[2])
    let address = try await folder.run("openssl", "x509", "-in", "leaf.pem", "-noout", "-ocsp_uri").output
    #expect(address == "http://[::1]:8099/ocsp\n")
  }

  private func signed(_ bakery: BakeryServer) async throws -> String {
    try await bakery.store.proofs(of: try await bakery.order().record.transactionID).signedTransaction
  }

  @Test("without a server, certificates contain no address")
  func noServer() async throws {
    let (bakery, folder) = (try await bakery(), try ScratchFolder())
    try await writeChain(bakery, to: folder)
    for name in ["leaf", "intermediate", "root"] {
      let address = try await folder.run("openssl", "x509", "-in", "\(name).pem", "-noout", "-ocsp_uri").output
      #expect(address.isEmpty)
    }
  }

  @Test("it is public: no token, any host, any origin; nothing else becomes so")
  func isPublic() async throws {
    let bakery = try await bakery(.init(port: 0, controlToken: "secret"))
    try await bakery.listening { port async throws in
      for host in ["evil.example", "store.test:8080", "127.0.0.1"] {
        let reply = try await send(
          .post, "/ocsp", "x", host: host, headers: ["Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"],
          toPort: port)
        // An answer with the status malformedRequest.
        #expect((reply.status, Array(reply.body)) == (200, [0x30, 0x03, 0x0A, 0x01, 0x01]), "\(host)")
        #expect(reply.headers[.contentType] == "application/ocsp-response")
        let get = try await send(.get, "/ocsp/%00", host: host, toPort: port)
        #expect((get.status, Array(get.body)) == (200, [0x30, 0x03, 0x0A, 0x01, 0x01]), "\(host)")
      }
      for path in ["/ocsp/../control/v1/apps", "/control/v1/apps", "/ocsps"] {
        let reply = try await send(.get, path, host: "evil.example", toPort: port)
        #expect(reply.status != 200 || Array(reply.body) == [0x30, 0x03, 0x0A, 0x01, 0x01], "\(path)")
      }
      #expect(
        try await send(.post, "/ocsp", String(repeating: "x", count: 20_000), host: nil, toPort: port).status == 413)
      #expect(try await send(.put, "/ocsp", "x", host: nil, toPort: port).status == 404)
    }
    let refused = bakery.store.requests(RequestFilter(.certificateStatus)).filter { $0.outcome == .status(1) }
    #expect(refused.count >= 6)
    #expect(refused.allSatisfy { $0.reason?.hasPrefix("malformedRequest: ") == true })
  }

  @Test("the faults of the responder: down, revoked, out of date; they end with the fault, and leave the store alone")
  func faults() async throws {
    let (bakery, folder) = (try await bakery(), try ScratchFolder())
    try await bakery.listening { _ async throws in
      try await writeChain(bakery, to: folder)
      let cases: [(any FaultKind, leaf: String, intermediate: String)] = [
        (OCSPRevokedFault(), "leaf.pem: revoked", "intermediate.pem: good"),
        (OCSPRevokedFault(.intermediate), "leaf.pem: good", "intermediate.pem: revoked"),
        (OCSPStaleFault(), "Status times invalid", "Status times invalid"),
        (ClocksApartFault(aheadMilliseconds: 3_600_000), "Status times invalid", "Status times invalid"),
        (OCSPDownFault(.tryLater), "trylater (3)", "trylater (3)"),
        (OCSPDownFault(.internalError), "internalerror (2)", "internalerror (2)"),
        (OCSPDownFault(), "rror querying OCSP responder", "rror querying OCSP responder"),
        (OCSPDownFault(.unreachable), "rror querying OCSP responder", "rror querying OCSP responder"),
      ]
      for (fault, leaf, intermediate) in cases {
        let report = try bakery.store.set(Fault(fault))
        let answers = [
          try await ask(folder, about: "leaf", issuer: "intermediate"),
          try await ask(folder, about: "intermediate", issuer: "root"),
        ]
        #expect(answers[0].contains(leaf), "\(fault): \(answers[0])")
        #expect(answers[1].contains(intermediate), "\(fault): \(answers[1])")
        #expect(try bakery.store.fault(report.id).hits == 2)
        try await bakery.order()
        try bakery.store.removeFault(report.id)
        #expect(try await ask(folder, about: "leaf", issuer: "intermediate").contains("leaf.pem: good"))
      }
      // An outage of the store is none of its responder, unless it names the responder.
      try bakery.store.set(Fault(OutageFault()))
      #expect(try await ask(folder, about: "leaf", issuer: "intermediate").contains("leaf.pem: good"))
      bakery.store.removeFaults()
      try bakery.store.set(Fault(OutageFault(), scope: FaultScope(calls: [.certificateStatus])))
      #expect(try await ask(folder, about: "leaf", issuer: "intermediate").contains("rror querying OCSP responder"))
    }
    #expect(throws: AppStoreEmulatorError.self) {
      try bakery.store.set(Fault(OCSPDownFault(), scope: FaultScope(environment: .sandbox)))
    }
  }
}
