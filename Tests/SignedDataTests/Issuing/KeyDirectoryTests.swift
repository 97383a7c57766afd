import Foundation
import StoreModel
import Testing

@testable import SignedData

@Suite("A key directory", .timeLimit(.minutes(30)))
struct KeyDirectoryTests {
  private func withDirectory(_ body: (URL) async throws -> Void) async throws {
    let parent = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: parent) }
    try await body(parent.appendingPathComponent("deep/keys"))
  }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? NSNumber).intValue
  }

  @Test("loaded again, it gives the same certificates and key, and accepts what was signed before")
  func reload() async throws {
    try await withDirectory { directory in
      let first = try IssuingAuthority(keyDirectory: directory)
      let transaction = SignedTransaction(record: SampleRecords.credits(), signedDate: SampleRecords.date)
      let jws = try first.signTransaction(transaction)
      let second = try IssuingAuthority(keyDirectory: directory)
      #expect(try second.anchors == first.anchors)
      #expect(try second.jwsSigner(at: SampleRecords.date).leaf.der == first.jwsSigner(at: SampleRecords.date).leaf.der)
      #expect(try second.apiKey() == first.apiKey())
      #expect(try second.tlsRootCertificate == first.tlsRootCertificate)
      let verified = try await SignedDataVerifier(anchors: try second.anchors).verifyTransaction(jws)
      #expect(verified.value == transaction)
    }
  }

  @Test("files are of mode 0600, the directory of mode 0700, and nothing else is left behind")
  func modes() async throws {
    try await withDirectory { directory in
      let authority = try IssuingAuthority(keyDirectory: directory)
      _ = try authority.signJWS(payload: [], at: SampleRecords.date)
      _ = try authority.apiKey()
      #expect(try mode(directory.path) == 0o700)
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
      #expect(names == ["api-key.pem", "jws-intermediate.pem", "jws-leaf-2024.pem", "jws-root.pem"])
      for name in names { #expect(try mode(directory.appendingPathComponent(name).path) == 0o600) }
    }
  }

  @Test("a file has mode 0600 from the instant it is made")
  func modeAtCreation() async throws {
    try await withDirectory { directory in
      let store = try DirectoryKeyStore(directory)
      let path = store.location(of: "new")
      try store.write("key", to: path)
      #expect(try mode(path) == 0o600)
      #expect(throws: IssuingError.self) { try store.write("another", to: path) }
    }
  }

  @Test("a key that another process kept first is used in place of one's own")
  func overtaken() async throws {
    try await withDirectory { directory in
      let stores: [any KeyStore] = [MemoryKeyStore(), try DirectoryKeyStore(directory)]
      for store in stores {
        let text = try store.text(named: "key") {
          _ = try store.text(named: "key") { "theirs" }
          return "ours"
        }
        #expect(text == "theirs")
        #expect(try store.text(named: "key") { "late" } == "theirs")
      }
    }
  }

  @Test("a directory and files that were opened to others are closed again")
  func tightened() async throws {
    try await withDirectory { directory in
      let root = try IssuingAuthority(keyDirectory: directory).jwsRootCertificate
      let file = directory.appendingPathComponent("jws-root.pem").path
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
      #expect(try IssuingAuthority(keyDirectory: directory).jwsRootCertificate == root)
      #expect(try mode(directory.path) == 0o700)
      #expect(try mode(file) == 0o600)
    }
  }

  @Test("many that begin on one directory at once end up with the same keys and certificates")
  func race() async throws {
    try await withDirectory { directory in
      let all = try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
        for _ in 0..<12 {
          group.addTask {
            let authority = try IssuingAuthority(keyDirectory: directory)
            let leaf = try authority.jwsSigner(at: SampleRecords.date).leaf
            return [try authority.jwsRootCertificate, try authority.jwsIntermediateCertificate, leaf.der]
          }
        }
        return try await group.reduce(into: [[[UInt8]]]()) { $0.append($1) }
      }
      #expect(Set(all).count == 1)
      let leftovers = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasPrefix(".") }
      #expect(leftovers.isEmpty)
    }
  }

  @Test("a damaged file, one of another authority, and a file in the directory's place are typed errors")
  func damage() async throws {
    try await withDirectory { directory in
      let authority = try IssuingAuthority(keyDirectory: directory)
      _ = try authority.signJWS(payload: [], at: SampleRecords.date)
      let root = directory.appendingPathComponent("jws-root.pem")
      let leaf = directory.appendingPathComponent("jws-leaf-2024.pem")
      let (rootText, leafText) = (try Data(contentsOf: root), try Data(contentsOf: leaf))
      for damaged in [Data(), Data("x".utf8), rootText.prefix(300), leafText, rootText + rootText] {
        try damaged.write(to: root)
        let reloaded = try IssuingAuthority(keyDirectory: directory)
        #expect { try reloaded.jwsRootCertificate } throws: { ($0 as? IssuingError)?.isDamagedKeyFile == true }
      }
      try FileManager.default.removeItem(at: root)
      let replaced = try IssuingAuthority(keyDirectory: directory)
      #expect { try replaced.signJWS(payload: [], at: SampleRecords.date) } throws: {
        ($0 as? IssuingError)?.isDamagedKeyFile == true
      }
      #expect(throws: IssuingError.self) { try IssuingAuthority(keyDirectory: root) }
    }
  }
}

extension IssuingError {
  fileprivate var isDamagedKeyFile: Bool {
    if case .damagedKeyFile = self { true } else { false }
  }
}
