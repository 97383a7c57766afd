import DurableSQLite
import Foundation
import HTTPTransport
import SharedFixtures
import SignedData
import StoreModel
import Testing

@testable import PurchaseKit

/// Opens an app's files that the previous version wrote: vault, backup, the server's credits, downloads.
@Suite("An app's folder of the previous version", .timeLimit(.minutes(30)))
struct FolderOfVersionBeforeTests {
  private static let app: BundleID = "com.xamarin.storekit.testing"

  /// A copy of a phone's folder.
  private struct Phone {
    let folder: URL
    let facts: VersionBefore.Facts
    let device: DeviceIdentifier
    private let before: VersionBefore
    /// The store that signed the phone's data.
    private let store: String

    init(_ name: String) throws {
      store = "store" + name.drop { $0 != "-" }
      before = try VersionBefore(name)
      folder = before.folder
      facts = try VersionBefore.metadata(name)
      device = .vendorIdentifier(try #require(UUID(uuidString: facts.text("device"))))
    }

    func vault(report: (VaultFinding) -> Void = { _ in }) throws -> PurchaseVault {
      try PurchaseVault(
        at: folder.appending(path: "vault.sqlite"),
        keys: FileVaultKeyStore(directory: folder.appending(path: "keychain")),
        owner: VaultOwner(bundleID: FolderOfVersionBeforeTests.app, deviceIdentifier: device), report: report)
    }

    func remove() { before.remove() }

    /// Returns a reader of receipts of the store that signed the phone's data.
    func receipts() throws -> ReceiptReader {
      let root = try VersionBefore.metadata(store)["connection"].data("receiptRootCertificate")
      let receipt = folder.appending(path: "StoreKit/sandboxReceipt")
      return ReceiptReader(
        url: { receipt }, anchors: TrustAnchors(certificates: [Array(root)]), bundleID: FolderOfVersionBeforeTests.app,
        device: device, environments: [.sandbox])
    }

    /// Returns a client of a server that cannot be reached.
    func server() throws -> PurchaseServerClient {
      PurchaseServerClient(
        try #require(URL(string: facts.text("server"))), bundleID: FolderOfVersionBeforeTests.app,
        device: device, identity: .anonymous(FileVaultKeyStore(directory: folder.appending(path: "token"))),
        transport: NoServer())
    }
  }

  @Test(
    "keeps the vault's credits, grants and entitlements, and reports no damage",
    arguments: ["phone", "imported", "phone-25e4deb1"])
  func vault(_ name: String) throws {
    let phone = try Phone(name)
    defer { phone.remove() }
    let vault = try phone.vault()
    #expect(vault.findings.isEmpty)
    #expect(vault.creditFreeze == nil)
    #expect(try vault.credits.balance() == (try phone.facts.number("balance")))
    let granted = try phone.facts["granted"].read(as: [String].self)
    let grants = try vault.credits.grants()
    for id in granted {
      // Another delivery of the same transaction grants nothing. Those that were given up have no grant.
      let grant = grants.first { $0.transactionIdentifier == id }
      let again = try vault.credits.grant(
        5, for: id, productIdentifier: grant?.productIdentifier ?? "x", date: grant?.date ?? Date())
      #expect(!again.isNew)
    }
    #expect(try vault.credits.balance() == (try phone.facts.number("balance")))
    let entitled = try phone.facts["entitled"].read(as: [String: String].self)
    let manager = EntitlementManager(
      vault: vault, receipts: try phone.receipts(), productIdentifiers: Set(entitled.keys))
    for product in entitled.keys { #expect(try manager.isEntitled(to: product), "\(product)") }
    #expect(try !manager.isEntitled(to: "com.xamarin.storekit.testing.sepia"), "it was refunded, or never bought")
    try vault.close()
  }

  @Test(
    "keeps every sealed record, and the head while nothing is changed",
    arguments: ["phone", "imported", "frozen", "phone-25e4deb1"])
  func rows(_ name: String) throws {
    let phone = try Phone(name)
    defer { phone.remove() }
    try phone.vault().close()
    // The head is sealed again when time has passed.
    #expect(
      try VersionBefore.lostRows(
        of: "\(name)/vault.sqlite", in: phone.folder.appending(path: "vault.sqlite"),
        changing: ["head": ["box"]]) == [])
  }

  @Test("keeps frozen credits frozen, for the same reason")
  func frozen() throws {
    let phone = try Phone("frozen")
    defer { phone.remove() }
    let vault = try phone.vault()
    #expect(vault.creditFreeze?.reason.rawValue == (try phone.facts.text("reason")))
    #expect(throws: CreditError.self) { try vault.credits.balance() }
    try vault.close()
  }

  @Test(
    "F2 reads a backup of the previous version: its content is recognised as present",
    arguments: ["phone", "phone-25e4deb1"])
  func backup(_ name: String) async throws {
    let phone = try Phone(name)
    defer { phone.remove() }
    let vault = try phone.vault()
    let key = try BackupKey(text: phone.facts.text("backup key"))
    let backup = try Data(contentsOf: VersionBefore.file("\(name).backup"))
    let imported = try await vault.importBackup(backup, under: key, receipts: try phone.receipts())
    #expect(imported.credits == .currentAreNewer)
    #expect(try vault.credits.balance() == (try phone.facts.number("balance")))
    try vault.close()

    // On another phone, the import restores the backup's entitlements but not its credits.
    let other = try Phone("finishing")
    defer { other.remove() }
    let another = try other.vault()
    let there = try await another.importBackup(backup, under: key, receipts: try phone.receipts())
    #expect(there.credits == .ofAnotherVault)
    guard case .broughtBack(let entitlements) = there.entitlements else {
      Issue.record("the backup's receipt was accepted: \(there.entitlements)")
      return
    }
    #expect(entitlements.map(\.productIdentifier).contains("com.xamarin.storekit.testing.greyscale"))
    try another.close()
  }

  @Test("keeps the server's customer, the stored balance, and the spend without an answer")
  func pages() throws {
    let phone = try Phone("phone")
    defer { phone.remove() }
    let server = try phone.server()
    #expect(server.customer != nil)
    let file = phone.folder.appending(path: "pages.sqlite")
    let receipts = try phone.receipts()
    let store = try LedgerCreditStore(at: file, server: server, unit: "pages") { try receipts.proof() }
    #expect(try store.balance() == (try phone.facts.number("pages")))
    let open = try phone.facts["open spend"]
    let pending = try store.pendingSpends
    #expect(pending.map(\.key.uuidString) == [try open.text("key")])
    #expect(pending.map(\.credits) == [try open.number("amount")])
    try store.close()
    #expect(try VersionBefore.lostRows(of: "phone/pages.sqlite", in: file) == [])
  }

  @Test("keeps the downloaded book, and the part of the other one")
  func books() throws {
    let phone = try Phone("phone")
    defer { phone.remove() }
    let library = try ContentLibrary(at: phone.folder.appending(path: "books"))
    let opened = try phone.facts["opened"]
    let product = try opened.text("product")
    #expect(try library.current(of: product)?.version == 2)
    let name = try #require(try library.current(of: product)?.files.first?.name)
    #expect(FileDigest(of: try library.data(named: name, in: product)).description == (try opened.text("digest")))
    let encyclopedia = "com.xamarin.storekit.testing.book.encyclopedia"
    let wanted = try #require(try library.records.product(encyclopedia).wanted)
    let file = try #require(wanted.files.first)
    let part = try PartFile(at: library.partURL(of: encyclopedia, file.digest), disk: library.disk)
    #expect(part.size > 8_000 && part.size < file.size)
    #expect(try library.records.part(of: encyclopedia, file.digest) != nil)
    try library.close()
    let records = phone.folder.appending(path: "books/content.sqlite")
    #expect(try VersionBefore.lostRows(of: "phone/books/content.sqlite", in: records) == [])
  }

  private struct NoServer: HTTPSender {
    func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
      throw HTTPFailure.unreachable(reason: "there is no network")
    }
  }
}
