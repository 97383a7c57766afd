import ControlAPI
import Foundation
import SampleApp
import SampleModel
import SignedData
import StoreModel

/// The part of the script about photo filters, which are non-consumables: requirements D, E and F, step by step.
final class OwnershipScript: ScriptPart {
  let storeAddress: URL
  let greyscale = SampleCatalog.greyscale
  let sepia = SampleCatalog.sepia

  init(environment: ScriptEnvironment, store: ControlAPIClient, reporter: ScriptReporter, storeAddress: URL) {
    self.storeAddress = storeAddress
    super.init(environment: environment, store: store, reporter: reporter)
  }

  func run() async throws {
    let root = SHA256Fingerprint(of: try await store.connection().receiptRootCertificate)
    func phone(_ name: String) -> SampleAppPhone {
      environment.phone(name, storeAddress: storeAddress, receiptRoot: root)
    }
    let first = phone("first phone")
    try await buyFilters(on: first)
    try await restore(on: phone("second phone"))
    try await buyAgain(on: phone("third phone"))
    try await reinstallWithoutBackup(on: first)
    try await reinstallWithBackup(on: first)
    try await editVault(on: first)
    try await refund(on: first)
  }

  // MARK: Steps

  /// Returns the titles of the filters' buttons, the matrix of the applied filter, and the screen's message.
  func filters(
    on phone: SampleAppPhone, after command: AppCommand = .showFilters
  ) async throws -> (titles: [String: String], colorMatrix: [Double]?, alert: String?) {
    try phone.send(command)
    let event = try await phone.nextEvent()
    guard case .filters(let titles, let matrix, let alert) = event else {
      throw DemoFailure("The filters were not shown: \(event)")
    }
    return (titles, matrix, alert)
  }

  /// Starts to buy a filter, and checks the sheet's price. The app confirms the sheet.
  func confirm(_ product: String, on phone: SampleAppPhone, price: String) async throws {
    try phone.send(.showPrices)
    guard case .buttons = try await phone.nextEvent() else { throw DemoFailure("The app did not report its prices.") }
    try await phone.waitForPrice(of: product)
    try phone.send(.buy(product: product, quantity: 1, confirms: true))
    let sheet = try await nextEvent(on: phone)
    guard case .sheet(let title, _, _, let total) = sheet else {
      throw DemoFailure("No confirmation sheet was shown, but: \(sheet)")
    }
    explain("Sheet: \(title), \(total)")
    check("the sheet shows the price \(price)", total == price)
  }

  /// Returns the next event of the app. If a sign-in sheet comes first, checks its account and skips it.
  func nextEvent(on phone: SampleAppPhone) async throws -> AppEvent {
    let event = try await phone.nextEvent()
    guard case .signInSheet(let account) = event else { return event }
    check("the customer signs in as \(account)", account == phone.account)
    return try await phone.nextEvent()
  }

  func takeDelivery(of product: String, on phone: SampleAppPhone) async throws {
    let event = try await phone.nextEvent()
    guard case .succeeded(product, let transaction, _) = event else {
      throw DemoFailure("\(product) was not granted: \(event)")
    }
    try await phone.waitUntilFinished(transaction)
  }

  /// Checks the amounts that the store has charged for the filters, oldest first.
  func checkCharges(_ amounts: [Int64]) async throws {
    let filters = Set(
      try await store.transactions().filter { [greyscale, sepia].contains($0.productId.rawValue) }.map(
        \.transactionId.rawValue))
    let charges = try await store.charges().filter { filters.contains($0.transactionId.rawValue) }
    check(
      "the store has charged \(amounts.map(money).joined(separator: ", ")) for filters",
      charges.map(\.amount.rawValue) == amounts)
  }
}
