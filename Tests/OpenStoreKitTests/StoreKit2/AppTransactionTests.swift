import AppStoreEmulator
import Foundation
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("StoreKit 2: the app transaction", .timeLimit(.minutes(30)))
struct AppTransactionTests {
  @Test("each property has the value of its member of the signed payload")
  func allMembers() throws {
    let text = """
      {"receiptType":"Production","bundleId":"com.example.app","appAppleId":42,"applicationVersion":"3",\
      "versionExternalIdentifier":77,"originalApplicationVersion":"1","originalPurchaseDate":1000,"preorderDate":500,\
      "receiptCreationDate":2000,"deviceVerification":"AQID",\
      "deviceVerificationNonce":"48c8b92d-ce0d-4229-bedf-e61b4f9cfc92","appTransactionId":"704",\
      "originalPlatform":"macOS"}
      """
    let app = try AppTransaction.of(text)
    #expect(app.appID == 42 && app.appVersion == "3" && app.appVersionID == 77)
    #expect(app.bundleID == "com.example.app" && app.environment == .production && app.originalAppVersion == "1")
    #expect(app.originalPurchaseDate == Date(timeIntervalSince1970: 1))
    #expect(app.preorderDate == Date(timeIntervalSince1970: 0.5) && app.signedDate == Date(timeIntervalSince1970: 2))
    #expect(app.appTransactionID == "704" && app.originalPlatform == .macOS)
    #expect(app.originalPlatformStringRepresentation == "macOS")
    #expect(app.deviceVerification == Data([1, 2, 3]) && app.deviceVerificationNonce.uuidString.hasPrefix("48C8"))
    #expect(app.debugDescription == text && String(decoding: app.jsonRepresentation, as: UTF8.self) == text)
    #expect(try app == AppTransaction.of(text))
    let sandbox = try AppTransaction.of(text.replacing("Production", with: "Sandbox"))
    #expect(sandbox.appID == nil && sandbox.appVersionID == nil && sandbox != app)
  }

  @Test("the store signs it for the device; it is requested once, and again only by a refresh")
  func shared() async throws {
    let test = try await TestStore.club()
    let (connection, customer) = (ScriptedConnection(test.store), ScriptedCustomer())
    let device = try test.clubDevice(through: connection, customer: customer)
    try await device.signIn(SignInCredentials(account: "customer"))
    let first = try await AppTransaction.shared(on: device)
    let app = try first.payloadValue
    #expect(app.bundleID == TestStore.bundleID.rawValue && app.environment == .sandbox && app.appVersion == "1.0")
    #expect(app.originalAppVersion == "1.0" && app.appID == nil)
    #expect(app.deviceVerification == DeviceProof(of: device.deviceID, nonce: app.deviceVerificationNonce).digest)
    #expect(try await AppTransaction.shared(on: device) == first)
    #expect(connection.sent.filter { $0 == .appTransaction }.count == 1)
    _ = try await AppTransaction.refresh(on: device)
    #expect(connection.sent.filter { $0 == .appTransaction }.count == 2)
    #expect(!customer.askedToSignIn.isEmpty)
    // Purchases of the same customer have the same id.
    #expect(try await device.purchase(TestStore.sepia).appTransactionID == app.appTransactionID)
  }

  @Test("offline, the stored one is used; without one it throws, and so does a refresh")
  func offline() async throws {
    let test = try await TestStore.club()
    let connection = ScriptedConnection(test.store)
    let device = try test.clubDevice(through: connection)
    try await device.signIn(SignInCredentials(account: "customer"))
    device.switches.isOffline = true
    await #expect(throws: StoreKitError.self) { try await AppTransaction.shared(on: device) }
    device.switches.isOffline = false
    let stored = try await AppTransaction.shared(on: device)
    device.switches.isOffline = true
    #expect(try await AppTransaction.shared(on: device) == stored)
    do {
      _ = try await AppTransaction.refresh(on: device)
      Issue.record("a refresh without a network has not failed")
    } catch StoreKitError.networkError {}
  }

  @Test("a customer who does not sign in cancels a refresh")
  func cancelled() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice(customer: ScriptedCustomer(signIns: [.cancel]))
    do {
      _ = try await AppTransaction.refresh(on: device)
      Issue.record("the refresh was not cancelled")
    } catch StoreKitError.userCancelled {}
  }

  @Test("a wrong signature gives an unverified one, which is not stored")
  func unverified() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice()
    try await device.signIn(SignInCredentials(account: "customer"))
    _ = try test.store.set(Fault(WrongSignatureFault(), id: "forger"))
    guard case .unverified(let app, .invalidSignature) = try await AppTransaction.shared(on: device) else {
      Issue.record("it is verified")
      return
    }
    #expect(app.bundleID == TestStore.bundleID.rawValue)
    try test.store.removeFault("forger")
    guard case .verified = try await AppTransaction.shared(on: device) else {
      Issue.record("the unverified one was stored")
      return
    }
  }
}
