import Foundation
import HTTPTypes
import Hummingbird
import PurchaseKit
import SampleModel
import Testing

@testable import SampleApp

// The tests run one after the other, because StoreKit has one payment queue for each process.
@Suite("The app's pages", .serialized, .timeLimit(.minutes(30)))
struct AppPagesTests {
  private static let buyFive = ["screen": "credits", "product": SampleCatalog.fiveCredits, "quantity": "3"]

  @Test(
    "B2 B5 B6 a purchase from button to balance, with sheets that are answered on the page, and steps that are reported in order"
  )
  func purchase() async throws {
    let fixture = try await RunningAppFixture()
    try await fixture.fragment(of: .credits) { $0.screen.contains("Buy $0.99") }
    #expect(try await fixture.press("/app/buy", Self.buyFive).status == .seeOther)
    try await fixture.answer("sign-in", where: "Sign in", ["account": "nobody", "password": "x"])
    try await fixture.answer(
      "sign-in", where: "has no account “nobody” with that password", ["account": "customer", "password": ""])
    let sheet = try await fixture.fragment(of: .credits) { $0.sheet.contains("Confirm") }.sheet
    #expect(sheet.contains("$0.99") && sheet.contains("$2.97") && sheet.contains("A few"))
    try await fixture.answer("confirm", where: "Confirm")
    try await fixture.fragment(of: .credits) { $0.screen.contains("15 monkey credits") }
    await fixture.wait(for: .finished)
    let steps = fixture.steps
    // The queue reports the payment while the sheet is being shown.
    #expect(steps.filter { $0 == .paymentAdded }.count == 1 && steps.prefix(3).contains(.paymentAdded))
    #expect(
      steps.filter { $0 != .paymentAdded } == [
        .button, .signInShown, .signInRefused, .signInShown, .signedIn, .quoted, .confirmationShown, .confirmed,
        .charged, .journalled, .granted, .finished,
      ])
    try await fixture.app.close()
  }

  @Test("B5 a spend that is sent twice is made once; the next form is another spend")
  func spendingTwice() async throws {
    let fixture = try await RunningAppFixture()
    try await fixture.fragment(of: .credits) { $0.screen.contains("Buy $0.99") }
    try await fixture.press("/app/buy", Self.buyFive)
    try await fixture.answer("sign-in", where: "Sign in", ["account": "customer"])
    try await fixture.answer("confirm", where: "Confirm")
    func key() async throws -> String {
      let screen = try await fixture.fragment(of: .credits) { $0.screen.contains("monkey credits</p>") }.screen
      return String(try #require(screen.firstMatch(of: /name="key" value="([0-9A-F-]+)"/)).1)
    }
    try await fixture.fragment(of: .credits) { $0.screen.contains("15 monkey credits") }
    let first = try await key()
    for _ in 0..<2 { try await fixture.press("/app/spend", ["amount": "4", "key": first]) }
    try await fixture.fragment(of: .credits) { $0.screen.contains("11 monkey credits") }
    try await fixture.press("/app/spend", ["amount": "4", "key": try await key()])
    try await fixture.fragment(of: .credits) { $0.screen.contains("7 monkey credits") }
    try await fixture.app.close()
  }

  @Test("B7 sheets and alerts are reported when they are shown, and when they are closed")
  func prompts() async throws {
    let fixture = try await RunningAppFixture()
    try await fixture.fragment(of: .credits) { $0.screen.contains("Buy $0.99") }
    #expect(fixture.prompt == nil)
    try await fixture.press("/app/buy", Self.buyFive)
    await fixture.wait(forPrompt: AppPrompt(.sheet, "Sign in to the App Store"))
    try await fixture.answer("sign-in", where: "Sign in", ["account": "customer", "password": ""])
    await fixture.wait(forPrompt: AppPrompt(.sheet, "Confirm your purchase"))
    try await fixture.answer("cancel", where: "Confirm")
    await fixture.wait(forPrompt: nil)
    try await fixture.press("/app/filters/use", ["screen": "filters", "product": SampleCatalog.sepia])
    await fixture.wait(
      forPrompt: AppPrompt(.alert, "You do not own “Sepia”. Buy it, or restore your purchases."))
    try await fixture.read("You do not own")
    await fixture.wait(forPrompt: nil)
    try await fixture.app.close()
  }

  @Test("C1 a cancelled sheet ends the payment without an alert")
  func cancelling() async throws {
    let fixture = try await RunningAppFixture()
    try await fixture.fragment(of: .credits) { $0.screen.contains("Buy $0.99") }
    try await fixture.press("/app/buy", Self.buyFive)
    try await fixture.fragment(of: .credits) { $0.screen.contains("Purchasing…") }
    try await fixture.answer("cancel", where: "Sign in")
    let after = try await fixture.fragment(of: .credits) { $0.screen.contains("Buy $0.99") && $0.sheet.isEmpty }
    #expect(after.screen.contains("0 monkey credits"))
    await fixture.wait(for: .cancelled)
    #expect(!fixture.steps.contains(.failed))
    try await fixture.app.close()
  }

  @Test(
    "C5 C6 if purchases are restricted, the buttons show it, and a payment that is added anyway fails with a message")
  func restricted() async throws {
    let fixture = try await RunningAppFixture(isRestricted: true)
    // The price is shown nevertheless, and StoreKit's own alert comes before the app's.
    try await fixture.fragment(of: .credits) { $0.screen.contains("AppStore disabled") && $0.screen.contains("$0.99") }
    #expect(try await fixture.press("/app/buy", Self.buyFive).status == .conflict)
    try await fixture.press("/app/buy-anyway", Self.buyFive)
    try await fixture.answer("acknowledge", where: "Purchases are restricted on this device")
    // The app shows no alert of its own, so the customer reads it once.
    await fixture.wait(for: .failed)
    try await fixture.fragment(of: .filters) { $0.sheet.isEmpty }
    try await fixture.app.close()
  }

  @Test("D2 E4 a bought filter is applied, cleared, and restored with one message")
  func filters() async throws {
    let fixture = try await RunningAppFixture()
    let sepia = ["screen": "filters", "product": SampleCatalog.sepia]
    try await fixture.fragment(of: .filters) { $0.screen.contains("Buy $3.99") }
    try await fixture.press("/app/buy", sepia)
    try await fixture.answer("sign-in", where: "Sign in", ["account": "customer"])
    try await fixture.answer("confirm", where: "Confirm")
    try await fixture.fragment(of: .filters) { $0.screen.contains("Use sepia") }
    try await fixture.press("/app/filters/use", sepia)
    try await fixture.fragment(of: .filters) { $0.screen.contains("feColorMatrix") }
    try await fixture.press("/app/filters/clear", [:])
    try await fixture.fragment(of: .filters) { !$0.screen.contains("feColorMatrix") }
    // StoreKit does not restore a purchase that the app has not finished yet.
    await fixture.wait(for: .finished)
    try await fixture.press("/app/restore", ["screen": "filters"])
    let reading = try await fixture.read("1 purchase was restored.")
    try await fixture.fragment(of: .filters) { $0.sheet.isEmpty }
    // An old page that confirms a previous alert does not dismiss the current one.
    fixture.app.filters.report(CreditError.notFrozen)
    try await fixture.press("/app/alert", ["reading": reading, "screen": "filters"])
    try await fixture.fragment(of: .filters) { $0.sheet.contains("can be used") }
    try await fixture.read("can be used")
    try await fixture.fragment(of: .filters) { $0.sheet.isEmpty }
    try await fixture.app.close()
  }

  @Test("the customer's photograph is served with its own type only")
  func photograph() async throws {
    let fixture = try await RunningAppFixture()
    let body = { (file: Data) in
      ByteBuffer(
        bytes: Data("--b\r\nContent-Disposition: form-data; name=\"photograph\"\r\n\r\n".utf8) + file
          + Data("\r\n--b--\r\n".utf8))
    }
    let form: HTTPFields = [.contentType: "multipart/form-data; boundary=b"]
    let refused = try await fixture.send("/app/photograph", .post, form, body(Data("<svg onload=alert(1)>".utf8)))
    #expect(refused.status == .conflict)
    #expect(String(buffer: refused.body).contains("not a JPEG, PNG or WebP"))
    #expect(try await fixture.send("/app/photograph", .post, form, body(PhotographTests.png)).status == .seeOther)
    let served = try await fixture.send("/app/photograph", .get)
    #expect(Data(buffer: served.body) == PhotographTests.png)
    #expect(served.headers[.contentType] == "image/png")
    #expect(served.headers[.xContentTypeOptions] == "nosniff")
    try await fixture.app.close()
  }

  @Test("B5 a spend above the balance is refused with a message")
  func spending() async throws {
    let fixture = try await RunningAppFixture()
    try await fixture.press("/app/spend", ["amount": "4"])
    let fragment = try await fixture.fragment(of: .credits) { !$0.sheet.isEmpty }
    #expect(fragment.sheet.contains("alertdialog"))
    #expect(try await fixture.press("/app/spend", ["amount": "-4"]).status == .badRequest)
    #expect(try await fixture.press("/app/spend", ["amount": "many"]).status == .badRequest)
    try await fixture.app.close()
  }

  @Test("F1 frozen credits are given up only by an answer to a question with their number; Keep changes nothing")
  func question() async throws {
    let before = try await RunningAppFixture()
    try await before.fragment(of: .credits) { $0.screen.contains("Buy $0.99") }
    try await before.press("/app/buy", Self.buyFive)
    try await before.answer("sign-in", where: "Sign in", ["account": "customer"])
    try await before.answer("confirm", where: "Confirm")
    try await before.fragment(of: .credits) { $0.screen.contains("15 monkey credits") }
    await before.wait(for: .finished)
    let fixture = try await before.relaunched { folder in
      try FileManager.default.removeItem(at: folder.appending(path: SampleVault.fileName))
    }
    try await fixture.fragment(of: .credits) { $0.screen.contains("Your credits are frozen.") }
    for answer in ["refuse", "accept"] {
      try await fixture.press("/app/credits/discard", [:])
      let sheet = try await fixture.fragment(of: .settings) { $0.sheet.contains("Start with 0 credits?") }.sheet
      #expect(sheet.contains("15 monkey credits bought on"))
      let question = String(try #require(sheet.firstMatch(of: /name="question" value="([0-9a-z]+)"/)).1)
      // The answer to another question changes nothing.
      try await fixture.press("/app/question", ["question": "0", "answer": "accept", "screen": "credits"])
      try await fixture.fragment(of: .credits) { !$0.sheet.isEmpty }
      try await fixture.press("/app/question", ["question": question, "answer": answer, "screen": "credits"])
      try await fixture.fragment(of: .credits) {
        $0.sheet.isEmpty && $0.screen.contains(answer == "accept" ? ">0 monkey credits" : "Your credits are frozen.")
      }
    }
    try await fixture.app.close()
  }

  @Test("A5 a refusal on a page names no product identifier")
  func refusal() async throws {
    let fixture = try await RunningAppFixture(isRestricted: true)
    try await fixture.fragment(of: .credits) { $0.screen.contains("AppStore disabled") }
    let text = String(buffer: try await fixture.press("/app/buy", Self.buyFive).body)
    #expect(text.contains("5 monkey credits") && !text.contains("com.xamarin"))
    try await fixture.app.close()
  }
}
