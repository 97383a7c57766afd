import Foundation
import SampleModel
import Testing

@testable import SampleApp

extension AppPagesTests {
  @Test("a refund is requested on the page of purchases with a reason, and is not requested if the sheet is cancelled")
  func refundRequest() async throws {
    let fixture = try await RunningAppFixture()
    try await fixture.fragment(of: .filters) { $0.screen.contains("Buy $3.99") }
    try await fixture.press("/app/buy", ["screen": "filters", "product": SampleCatalog.sepia])
    try await fixture.answer("sign-in", where: "Sign in", ["account": "customer"])
    try await fixture.answer("confirm", where: "Confirm")
    await fixture.wait(for: .finished)
    let page = try await fixture.fragment(of: .purchases) { $0.screen.contains("Request a refund") }.screen
    let id = String(try #require(page.firstMatch(of: /id="refund-(\d+)"/)).1)

    try await fixture.press("/app/refund", ["transaction": id])
    try await fixture.answer("cancel", where: "Request a refund")
    try await fixture.fragment(of: .purchases) { $0.sheet.isEmpty }
    #expect(!fixture.steps.contains(.refundRequested))

    try await fixture.press("/app/refund", ["transaction": id])
    try await fixture.answer("refund", where: "Request a refund", ["reason": "fulfillmentIssue"])
    try await fixture.read("The refund is requested.")
    #expect(fixture.steps.contains(.refundRequested))
    // Nothing is refunded until an operator of the store decides.
    let after = try await fixture.fragment(of: .purchases) { $0.sheet.isEmpty }
    #expect(after.screen.contains("Request a refund") && !after.screen.contains("Refunded."))
    try await fixture.app.close()
  }

  @Test("the App Store on the phone sells the products of the app")
  func appStore() async throws {
    let fixture = try await RunningAppFixture()
    let page = try await fixture.fragment(of: .appStore) { $0.screen.contains("Get for $0.99") }.screen
    #expect(page.contains("Get for $3.99") && page.contains(SampleCatalog.sepia))
    #expect(page.contains("name=\"installation\" value=\"\(fixture.app.device.installationID.rawValue)\""))
    try await fixture.app.close()
  }
}
