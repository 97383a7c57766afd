import AppStoreEmulator
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("openstorekit customers and approvals", .timeLimit(.minutes(30)))
struct CustomersCommandTests {
  @Test("adds, changes, lists and removes a customer")
  func customers() async throws {
    try await RunningStore.open { store in
      let added = try await store.run(
        "customers", "add", "ada", "--password", "secret", "--storefront", "DEU", "--ask-to-buy", "on", "--family",
        "byron")
      #expect(added.status == 0)
      let list = try await store.run("customers")
      #expect(
        list.lines.first { $0.hasPrefix("ada") }?.split(separator: " ").map(String.init)
          == ["ada", "Sandbox", "DEU", "valid", "yes", "byron", "yes"])
      let changed = try await store.run(
        "customers", "change", "ada", "--password", "", "--payment-method", "needs-attention", "--ask-to-buy", "off")
      #expect(changed.status == 0)
      let ada = try #require(try await store.store.customers().first { $0.name == "ada" })
      #expect(
        (ada.password, ada.paymentMethod, ada.needsApproval, ada.family) == (nil, .needsAttention, false, "byron"))
      #expect(try await store.run("customers", "remove", "ada").lines == ["ada was removed"])
      #expect(try await !store.store.customers().contains { $0.name == "ada" })
    }
  }

  @Test("I3 lists the installations, restricts purchases on one, and takes it offline")
  func installations() async throws {
    try await RunningStore.open { store in
      #expect(try await store.run("installations").messages.contains("No installations."))
      _ = try await store.store.register(
        InstallationRegistration(
          installationID: "phone-1", bundleID: RunningStore.app, environment: .sandbox, deviceID: .init(),
          applicationVersion: "7"))
      let changed = try await store.run("installations", "change", "phone-1", "--restricted", "on", "--offline", "off")
      #expect(changed.status == 0)
      let line = try await store.run("installations").lines.first { $0.hasPrefix("phone-1") }
      #expect(
        line?.split(separator: " ").map(String.init)
          == ["phone-1", RunningStore.app.rawValue, "Sandbox", "7", "on", "off"])
      #expect(try await store.run("installations", "change", "phone-1", "--restricted", "device").status == 0)
      let settings = try await store.store.installations().map(\.settings)
      #expect(settings == [InstallationSettings(isOffline: false)])
      #expect(try await store.run("installations", "change", "none", "--offline", "on").status == 1)
    }
  }

  @Test("an unknown customer is refused, also in a list of subscriptions")
  func unknown() async throws {
    try await RunningStore.open { store in
      for arguments in [
        ["customers", "change", "eve", "--payment-method", "declined"], ["customers", "remove", "eve"],
        ["subscriptions", "list", "--customer", "eve"],
      ] {
        let outcome = try await RunningStore.run(arguments + ["--store", store.address])
        #expect(outcome.status == 1 && outcome.messages.contains("There is no customer “eve”"), "\(arguments)")
      }
    }
  }

  @Test(
    "wrong usage is exit status 2",
    arguments: [
      ["customers", "change", "ada"], ["installations", "change", "phone"], ["customers", "add", ""],
      ["customers", "add"],
      ["customers", "add", "ada", "--payment-method", "gold"], ["approvals", "approve"], ["approvals", "approve", ""],
      ["subscriptions", "list", "--customer", ""], ["snapshot", "save"], ["snapshot", "restore", ""],
    ])
  func usage(arguments: [String]) async throws {
    #expect(try await RunningStore.run(arguments).status == 2)
  }

  private func register(_ phone: InstallationID, _ store: RunningStore) async throws {
    _ = try await store.store.register(
      InstallationRegistration(
        installationID: phone, bundleID: RunningStore.app, environment: .sandbox, deviceID: .init(),
        applicationVersion: "1"))
    _ = try await store.store.signIn(SignInCredentials(account: "child"), on: phone)
  }

  /// Makes a payment that waits for approval.
  private func wait(_ store: RunningStore, _ payment: PaymentID, on phone: InstallationID) async throws {
    let quote = try await store.store.quote(
      PaymentRequest(paymentID: payment, productID: RunningStore.rose), for: phone)
    #expect(try await store.store.confirm(quote, for: phone) == .deferred)
  }

  @Test("B3 payments that wait are listed, approved and declined")
  func approvals() async throws {
    try await RunningStore.open { store in
      #expect(try await store.run("approvals").messages == "No payment waits for approval.\n")
      try await store.store.addCustomer(Customer(environment: .sandbox, name: "child", needsApproval: true))
      for phone in ["phone", "tablet"] as [InstallationID] { try await register(phone, store) }
      try await wait(store, "first", on: "phone")
      try await wait(store, "second", on: "phone")
      try await wait(store, "second", on: "tablet")
      let list = try await store.run("approvals").lines
      #expect(list.count == 4 && list[1].hasPrefix("first ") && list[1].contains("3.50 USD"))

      let approved = try await store.run("approvals", "approve", "first")
      let charges = try await store.store.charges()
      #expect(charges.map(\.account) == ["child"])
      #expect(approved.lines == ["\(charges[0].transactionID): 3.50 USD was charged"])
      // Two installations have a payment with this id.
      let ambiguous = try await store.run("approvals", "decline", "second")
      #expect(ambiguous.status == 1 && ambiguous.messages.contains("--installation"))
      let declined = try await store.run("approvals", "decline", "second", "--installation", "tablet")
      #expect(declined.lines == ["nothing was charged"])
      #expect(try await store.run("approvals", "decline", "second").lines == ["nothing was charged"])
      let gone = try await store.run("approvals", "approve", "second")
      #expect(gone.status == 1 && gone.messages.contains("openstorekit approvals"))
      #expect(try await store.store.charges().count == 1)
    }
  }
}
