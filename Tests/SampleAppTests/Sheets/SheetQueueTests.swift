import OpenStoreKit
import StoreModel
import Testing

@testable import SampleApp

@Suite("StoreKit's sheets", .timeLimit(.minutes(30)))
struct SheetQueueTests {
  private var sheets = SheetQueue()

  @Test("they are shown one at a time, in the order in which they were added, each until it is answered")
  mutating func order() throws {
    let first = sheets.add(.confirmation(.sample(name: "a")))
    let second = sheets.add(.confirmation(.sample(name: "b")))
    #expect(sheets.shown?.number == first)
    #expect(throws: SheetRefusal.notShown) { try sheets.answer(second, .confirm) }
    #expect(try sheets.answer(first, .confirm) == .confirmation(.confirm))
    #expect(sheets.shown?.number == second)
    #expect(try sheets.answer(second, .cancel) == .confirmation(.cancel))
    #expect(sheets.shown == nil)
  }

  @Test("an answer is not applied to the next sheet, too")
  mutating func twice() throws {
    let first = sheets.add(.confirmation(.sample()))
    _ = sheets.add(.confirmation(.sample()))
    _ = try sheets.answer(first, .confirm)
    #expect(throws: SheetRefusal.notShown) { try sheets.answer(first, .confirm) }
  }

  @Test("B2 an answer to a sheet of the previous launch is not applied to the current sheet")
  func launches() throws {
    let steps = StepReporter(send: EventSender { _ in }, isOn: false)
    var numbers: Set<Int> = []
    for _ in 0..<100 {
      let customer = SheetCustomer(account: "", steps: steps, changed: {})
      numbers.insert(customer.nextNumber)
    }
    #expect(numbers.count == 100)
    var (before, now) = (SheetQueue(firstNumber: 4_000), SheetQueue(firstNumber: 90_000))
    let old = before.add(.confirmation(.sample(name: "cheap")))
    _ = now.add(.confirmation(.sample(name: "dear")))
    #expect(throws: SheetRefusal.notShown) { try now.answer(old, .confirm) }
  }

  @Test("a sign-in needs an account; an empty password field means no password")
  mutating func signIn() throws {
    let number = sheets.add(.signIn(account: "", refusal: nil))
    #expect(throws: SheetRefusal.noAccount) { try sheets.answer(number, .signIn(account: "", password: "x")) }
    #expect(sheets.shown?.number == number)
    let outcome = try sheets.answer(number, .signIn(account: "ann", password: ""))
    #expect(outcome == .signIn(.credentials(SignInCredentials(account: "ann", password: nil))))
  }

  @Test(
    "an answer of another kind changes nothing",
    arguments: [
      (StorePrompt.signIn(account: "", refusal: nil), SheetAnswer.confirm),
      (.signIn(account: "", refusal: nil), .acknowledge), (.confirmation(.sample()), .acknowledge),
      (.confirmation(.sample()), .signIn(account: "a", password: "")), (.boughtBefore(.sample()), .confirm),
      (.waitingForStore, .acknowledge),
    ])
  mutating func notFitting(_ prompt: StorePrompt, _ answer: SheetAnswer) {
    let number = sheets.add(prompt)
    #expect(throws: SheetRefusal.notFitting) { try sheets.answer(number, answer) }
    #expect(sheets.shown?.number == number)
  }

  @Test("C4 the wait for the store is shown until the customer cancels it, or until it is over")
  func waiting() async throws {
    let steps = StepReporter(send: EventSender { _ in }, isOn: false)
    let (changes, changed) = AsyncStream.makeStream(of: Void.self)
    var shown = changes.makeAsyncIterator()
    let customer = SheetCustomer(account: "", steps: steps) { changed.yield() }
    let payment = PaymentRequest(paymentID: "1", productID: "a")
    let first = Task { await customer.waitForStore(payment) }
    await shown.next()
    let sheet = try #require(customer.shown)
    #expect(sheet.prompt == .waitingForStore)
    try customer.answer(sheet.number, .cancel)
    #expect(await first.value == .cancelled)
    await shown.next()
    #expect(customer.shown == nil)
    // The store has answered.
    let second = Task { await customer.waitForStore(payment) }
    await shown.next()
    #expect(customer.shown?.prompt == .waitingForStore)
    second.cancel()
    #expect(await second.value == .over)
    #expect(customer.shown == nil)
  }

  @Test("Escape is Cancel on every sheet")
  mutating func escape() throws {
    let numbers = [
      sheets.add(.signIn(account: "", refusal: nil)), sheets.add(.confirmation(.sample())),
      sheets.add(.boughtBefore(.sample())),
    ]
    let outcomes = try numbers.map { try sheets.answer($0, .cancel) }
    #expect(outcomes == [.signIn(.cancel), .confirmation(.cancel), .read])
  }
}
