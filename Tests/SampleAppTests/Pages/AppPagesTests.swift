import Foundation
import HTTPTypes
import Hummingbird
import PurchaseKit
import SampleModel
import Testing

@testable import SampleApp

// One after the other: StoreKit's queue is one for a process.
@Suite("The app's pages", .serialized, .timeLimit(.minutes(10)))
struct AppPagesTests {
  private static let buyFive = ["screen": "credits", "product": SampleCatalog.fiveCredits, "quantity": "3"]

  @Test("B2 B5 B6 a purchase from button to balance, its sheets answered on the page, its steps told in order")
  func purchase() async throws {
    let stage = try await AppStage()
    try await stage.fragment(of: .credits) { $0.screen.contains("Buy $0.99") }
    #expect(try await stage.press("/app/buy", Self.buyFive).status == .seeOther)
    try await stage.answer("sign-in", where: "Sign in", ["account": "nobody", "password": "x"])
    try await stage.answer("sign-in", where: "There is no customer nobody", ["account": "customer", "password": ""])
    let sheet = try await stage.fragment(of: .credits) { $0.sheet.contains("Confirm") }.sheet
    #expect(sheet.contains("$0.99") && sheet.contains("$2.97") && sheet.contains("A few"))
    try await stage.answer("confirm", where: "Confirm")
    try await stage.fragment(of: .credits) { $0.screen.contains("15 monkey credits") }
    await stage.wait(for: .finished)
    let steps = stage.steps
    // The queue tells of the payment while the sheet is already on its way.
    #expect(steps.filter { $0 == .paymentAdded }.count == 1 && steps.prefix(3).contains(.paymentAdded))
    #expect(
      steps.filter { $0 != .paymentAdded } == [
        .button, .signInShown, .signInShown, .signedIn, .quoted, .confirmationShown, .confirmed, .charged,
        .journalled, .granted, .finished,
      ])
    try await stage.app.close()
  }

  @Test("B5 a spend that is sent twice is made once; the next form is another spend")
  func spendingTwice() async throws {
    let stage = try await AppStage()
    try await stage.fragment(of: .credits) { $0.screen.contains("Buy $0.99") }
    try await stage.press("/app/buy", Self.buyFive)
    try await stage.answer("sign-in", where: "Sign in", ["account": "customer"])
    try await stage.answer("confirm", where: "Confirm")
    func key() async throws -> String {
      let screen = try await stage.fragment(of: .credits) { $0.screen.contains("monkey credits</p>") }.screen
      return String(try #require(screen.firstMatch(of: /name="key" value="([0-9A-F-]+)"/)).1)
    }
    try await stage.fragment(of: .credits) { $0.screen.contains("15 monkey credits") }
    let first = try await key()
    for _ in 0..<2 { try await stage.press("/app/spend", ["amount": "4", "key": first]) }
    try await stage.fragment(of: .credits) { $0.screen.contains("11 monkey credits") }
    try await stage.press("/app/spend", ["amount": "4", "key": try await key()])
    try await stage.fragment(of: .credits) { $0.screen.contains("7 monkey credits") }
    try await stage.app.close()
  }

  @Test("C1 a sheet that is cancelled ends the payment, without an alert")
  func cancelling() async throws {
    let stage = try await AppStage()
    try await stage.fragment(of: .credits) { $0.screen.contains("Buy $0.99") }
    try await stage.press("/app/buy", Self.buyFive)
    try await stage.fragment(of: .credits) { $0.screen.contains("purchasing…") }
    try await stage.answer("cancel", where: "Sign in")
    let after = try await stage.fragment(of: .credits) { $0.screen.contains("Buy $0.99") && $0.sheet.isEmpty }
    #expect(after.screen.contains("0 monkey credits"))
    await stage.wait(for: .cancelled)
    #expect(!stage.steps.contains(.failed))
    try await stage.app.close()
  }

  @Test("C5 C6 where purchases are restricted buttons say so, and a payment added anyway fails in words")
  func restricted() async throws {
    let stage = try await AppStage(isRestricted: true)
    // The price is shown all the same, and StoreKit's own alert comes before the app's.
    try await stage.fragment(of: .credits) { $0.screen.contains("AppStore disabled") && $0.screen.contains("$0.99") }
    #expect(try await stage.press("/app/buy", Self.buyFive).status == .conflict)
    try await stage.press("/app/buy-anyway", Self.buyFive)
    try await stage.answer("acknowledge", where: "Purchases are restricted on this phone")
    try await stage.read("In-App Purchases are not allowed")
    // All screens heard of it; it is said once.
    try await stage.fragment(of: .filters) { $0.sheet.isEmpty }
    try await stage.app.close()
  }

  @Test("D2 E4 a filter that was bought is used, cleared, and restored with one message")
  func filters() async throws {
    let stage = try await AppStage()
    let sepia = ["screen": "filters", "product": SampleCatalog.sepia]
    try await stage.fragment(of: .filters) { $0.screen.contains("Buy $3.99") }
    try await stage.press("/app/buy", sepia)
    try await stage.answer("sign-in", where: "Sign in", ["account": "customer"])
    try await stage.answer("confirm", where: "Confirm")
    try await stage.fragment(of: .filters) { $0.screen.contains("Use sepia") }
    try await stage.press("/app/filters/use", sepia)
    try await stage.fragment(of: .filters) { $0.screen.contains("feColorMatrix") }
    try await stage.press("/app/filters/clear", [:])
    try await stage.fragment(of: .filters) { !$0.screen.contains("feColorMatrix") }
    try await stage.press("/app/restore", ["screen": "filters"])
    let reading = try await stage.read("1 purchase was restored.")
    try await stage.fragment(of: .filters) { $0.sheet.isEmpty }
    // A page that still shows it says nothing of what is told now.
    stage.app.filters.report(CreditError.notFrozen)
    try await stage.press("/app/alert", ["reading": reading, "screen": "filters"])
    try await stage.fragment(of: .filters) { $0.sheet.contains("can be used") }
    try await stage.read("can be used")
    try await stage.fragment(of: .filters) { $0.sheet.isEmpty }
    try await stage.app.close()
  }

  @Test("the customer's photograph is served as what it is and nothing else")
  func photograph() async throws {
    let stage = try await AppStage()
    let body = { (file: Data) in
      ByteBuffer(
        bytes: Data("--b\r\nContent-Disposition: form-data; name=\"photograph\"\r\n\r\n".utf8) + file
          + Data("\r\n--b--\r\n".utf8))
    }
    let form: HTTPFields = [.contentType: "multipart/form-data; boundary=b"]
    let refused = try await stage.send("/app/photograph", .post, form, body(Data("<svg onload=alert(1)>".utf8)))
    #expect(refused.status == .conflict)
    #expect(String(buffer: refused.body).contains("no JPEG, PNG or WebP"))
    #expect(try await stage.send("/app/photograph", .post, form, body(PhotographTests.png)).status == .seeOther)
    let served = try await stage.send("/app/photograph", .get)
    #expect(Data(buffer: served.body) == PhotographTests.png)
    #expect(served.headers[.contentType] == "image/png")
    #expect(served.headers[.xContentTypeOptions] == "nosniff")
    try await stage.app.close()
  }

  @Test("B5 a spend that the balance does not cover is refused in words")
  func spending() async throws {
    let stage = try await AppStage()
    try await stage.press("/app/spend", ["amount": "4"])
    let fragment = try await stage.fragment(of: .credits) { !$0.sheet.isEmpty }
    #expect(fragment.sheet.contains("alertdialog"))
    #expect(try await stage.press("/app/spend", ["amount": "-4"]).status == .badRequest)
    #expect(try await stage.press("/app/spend", ["amount": "many"]).status == .badRequest)
    try await stage.app.close()
  }
}
