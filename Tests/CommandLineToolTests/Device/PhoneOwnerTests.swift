import Foundation
import PurchaseKit
import SampleApp
import SharedFixtures
import StoreModel
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite("The controls of a phone's owner", .timeLimit(.minutes(30)))
struct PhoneOwnerTests {
  private let scratch: ScratchFolder
  private let folder: PhoneFolder

  init() throws {
    scratch = try ScratchFolder()
    folder = try PhoneFolder(scratch.url.appending(path: "p"), documents: nil)
  }

  private func phone(server: URL? = nil) throws -> Phone {
    try Phone(network: PhoneNetwork(name: "p", store: URL(filePath: "/"), server: server), folder: folder)
  }

  /// Returns the credits of an app that has bought 55.
  private func credits() throws -> CreditLoss {
    let vault = try PurchaseVault(
      at: nil, keys: MemoryVaultKeyStore(),
      owner: VaultOwner(bundleID: "com.example", deviceIdentifier: .vendorIdentifier(UUID())))
    _ = try VaultCreditStore(vault).grant(
      55, for: "1", productIdentifier: "five", date: Date(timeIntervalSince1970: 1_790_000_000))
    return vault.creditsAtRisk
  }

  private func settings(of phone: Phone) async throws -> String {
    let client = AppConnection.client()
    let pages = DevicePages(phone: phone, app: AppConnection(client: client, socket: folder.socket), framedBy: [])
    let html = await pages.view(.settings, nil, nil).html.text
    try await client.shutdown()
    return html
  }

  @Test("F1 credits that only this device stores are not deleted with the app before their number was accepted")
  func deletion() async throws {
    defer { folder.release() }
    let phone = try phone()
    try FileManager.default.createDirectory(at: folder.app, withIntermediateDirectories: true)
    await phone.handle(.creditsAtRisk(try credits()))
    try await phone.removeApp()
    #expect(FileManager.default.fileExists(atPath: folder.app.path))
    let question = try await settings(of: phone)
    #expect(question.contains("Only this device stores your 55 monkey credits bought on 2026-09-21."))
    #expect(question.contains("There is no backup of them"))
    // An answer to another number asks again.
    try await phone.removeApp(accepting: 5)
    #expect(await phone.state != .notInstalled)
    #expect(try await settings(of: phone).contains("Delete the app and 55 monkey credits"))
    await phone.keepApp()
    #expect(!(try await settings(of: phone).contains("deletion-question")))
    try await phone.removeApp(accepting: 55)
    #expect(await phone.state == .notInstalled)
    #expect(!FileManager.default.fileExists(atPath: folder.app.path))
    // The number is forgotten with the app: the next installation has none.
    try await phone.installApp()
    try await phone.removeApp()
    #expect(await phone.state == .notInstalled)
  }

  @Test("F1 the number is known after a restart of the phone, and the last backup is said")
  func restarted() async throws {
    defer { folder.release() }
    let before = try phone()
    await before.handle(.creditsAtRisk(try credits()))
    try await before.change { $0.lastBackup = .init(file: "b.backup", key: "K", credits: 50) }
    let after = try phone()
    try await after.removeApp()
    let question = try await settings(of: after)
    #expect(question.contains("55 monkey credits"))
    #expect(question.contains("had 50 monkey credits"))
  }

  @Test("credits on the server, or none at all, are no reason to ask", arguments: [true, false])
  func nothingToLose(isOnServer: Bool) async throws {
    defer { folder.release() }
    let phone = try phone()
    await phone.handle(.creditsAtRisk(isOnServer ? nil : try credits()))
    if !isOnServer { await phone.handle(.creditsAtRisk(nil)) }
    try await phone.removeApp()
    #expect(await phone.state == .notInstalled)
  }

  @Test("a message ends with the next command, and the owner can remove it; a sign-in needs none")
  func messages() async throws {
    defer { folder.release() }
    let phone = try phone()
    await phone.handle(.account("ann"))
    #expect(await phone.message == nil)
    #expect(try await settings(of: phone).contains("Signed in as"))
    await phone.show(.good("The backup is made."))
    #expect(try await settings(of: phone).contains("Dismiss"))
    try await phone.removeApp()
    #expect(await phone.message == nil)
    let page = try await settings(of: phone)
    #expect(page.contains("No account is signed in") && !page.contains("Signed in as"))
    try await phone.installApp()
    for act in [
      { try await $0.setAirplaneMode(true) }, { try await $0.setRestricted(true) }, { try await $0.setHold(true) },
    ] as [@Sendable (Phone) async throws -> Void] {
      await phone.show(.bad("Old."))
      try await act(phone)
      #expect(await phone.message == nil)
    }
  }

  @Test("what only the app can do is disabled while it does not run")
  func needsApp() async throws {
    defer { folder.release() }
    let phone = try phone()
    let page = try await settings(of: phone)
    for id in ["back-up", "sign-in"] { #expect(page.contains("id=\"\(id)\" disabled"), "\(id)") }
    #expect(page.contains("Open the app to do this."))
    await phone.become(.running)
    let running = try await settings(of: phone)
    for id in ["back-up", "sign-in"] { #expect(!running.contains("id=\"\(id)\" disabled"), "\(id)") }
    #expect(!running.contains("to do this."))
  }

  @Test("a refused password does not stay typed: the field is another one after each refusal")
  func password() async throws {
    defer { folder.release() }
    let phone = try phone()
    func field() async throws -> Substring? {
      try await settings(of: phone).firstMatch(of: /id="(account-password[^"]*)"/)?.1
    }
    let first = try await field()
    await phone.handle(.accountUnchanged(reason: "No."))
    #expect(try await field() != first)
    #expect(await phone.message == .bad("No."))
  }

  @Test("F2 a phone with a server offers the place of the credits when the app is installed")
  func installation() async throws {
    defer { folder.release() }
    let phone = try phone(server: URL(string: "http://127.0.0.1:2"))
    #expect(await phone.settings.credits == .server)
    try await phone.removeApp()
    #expect(try await settings(of: phone).contains("id=\"credits-place-choice\""))
    try await phone.installApp(credits: .device)
    #expect(await phone.settings.credits == .device)
    let offline = try PhoneFolder(scratch.url.appending(path: "q"), documents: nil)
    defer { offline.release() }
    let other = try Phone(network: PhoneNetwork(name: "q", store: URL(filePath: "/"), server: nil), folder: offline)
    try await other.removeApp()
    await #expect(throws: PhoneRefusal.noServer) { try await other.installApp(credits: .server) }
  }
}
