import OpenStoreKit
import StoreModel
import Testing

@testable import SampleApp

@Suite("StoreKit's sheets, one at a time", .timeLimit(.minutes(10)))
struct SheetDeskTests {
  private var desk = SheetDesk()

  @Test("they are shown in the order in which they were asked for, each until it is answered")
  mutating func order() throws {
    let first = desk.ask(.confirmation(.sample(name: "a")))
    let second = desk.ask(.confirmation(.sample(name: "b")))
    #expect(desk.shown?.number == first)
    #expect(throws: SheetRefusal.notShown) { try desk.answer(second, .confirm) }
    #expect(try desk.answer(first, .confirm) == .confirmation(.confirm))
    #expect(desk.shown?.number == second)
    #expect(try desk.answer(second, .cancel) == .confirmation(.cancel))
    #expect(desk.shown == nil)
  }

  @Test("an answer that was given is not given again to the sheet behind it")
  mutating func twice() throws {
    let first = desk.ask(.confirmation(.sample()))
    _ = desk.ask(.confirmation(.sample()))
    _ = try desk.answer(first, .confirm)
    #expect(throws: SheetRefusal.notShown) { try desk.answer(first, .confirm) }
  }

  @Test("B2 an answer to a sheet of the launch before is not taken for one to the sheet that is shown now")
  func launches() throws {
    let steps = StepTeller(say: EventTeller { _ in }, isOn: false)
    var numbers: Set<Int> = []
    for _ in 0..<100 {
      let customer = SheetCustomer(account: "", steps: steps, changed: {})
      numbers.insert(customer.nextNumber)
    }
    #expect(numbers.count == 100)
    var (before, now) = (SheetDesk(firstNumber: 4_000), SheetDesk(firstNumber: 90_000))
    let old = before.ask(.confirmation(.sample(name: "cheap")))
    _ = now.ask(.confirmation(.sample(name: "dear")))
    #expect(throws: SheetRefusal.notShown) { try now.answer(old, .confirm) }
  }

  @Test("a sign-in needs an account; no password is none, not an empty one")
  mutating func signIn() throws {
    let number = desk.ask(.signIn(account: "", refusal: nil))
    #expect(throws: SheetRefusal.noAccount) { try desk.answer(number, .signIn(account: "", password: "x")) }
    #expect(desk.shown?.number == number)
    let outcome = try desk.answer(number, .signIn(account: "ann", password: ""))
    #expect(outcome == .signIn(.credentials(SignInCredentials(account: "ann", password: nil))))
  }

  @Test(
    "an answer to another kind of question changes nothing",
    arguments: [
      (StoreQuestion.signIn(account: "", refusal: nil), SheetAnswer.confirm),
      (.signIn(account: "", refusal: nil), .acknowledge), (.confirmation(.sample()), .acknowledge),
      (.confirmation(.sample()), .signIn(account: "a", password: "")), (.boughtBefore(.sample()), .confirm),
    ])
  mutating func notFitting(_ question: StoreQuestion, _ answer: SheetAnswer) {
    let number = desk.ask(question)
    #expect(throws: SheetRefusal.notFitting) { try desk.answer(number, answer) }
    #expect(desk.shown?.number == number)
  }

  @Test("Escape is Cancel on every sheet")
  mutating func escape() throws {
    let numbers = [
      desk.ask(.signIn(account: "", refusal: nil)), desk.ask(.confirmation(.sample())),
      desk.ask(.boughtBefore(.sample())),
    ]
    let outcomes = try numbers.map { try desk.answer($0, .cancel) }
    #expect(outcomes == [.signIn(.cancel), .confirmation(.cancel), .read])
  }
}
