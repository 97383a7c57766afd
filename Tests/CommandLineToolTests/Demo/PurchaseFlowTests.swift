import SampleApp
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite(.timeLimit(.minutes(10))) struct PurchaseFlowTests {
  private func flow(_ steps: [PurchaseStep], product: String = "p") -> PurchaseFlow {
    var flow = PurchaseFlow()
    for step in steps { flow.handle(StepReport(step, product: product)) }
    return flow
  }

  private let whole: [PurchaseStep] = [
    .button, .paymentAdded, .quoted, .confirmationShown, .confirmed, .charged, .journalled, .granted, .finished,
  ]

  @Test("B3 each step of a purchase lights its stop, the last one most")
  func lights() {
    for count in 1...whole.count {
      let flow = flow(Array(whole.prefix(count)))
      #expect(flow.passed == Set(whole.prefix(count).compactMap { FlowStop($0) }))
      #expect(flow.last == FlowStop(whole[count - 1]))
    }
    #expect(flow(whole).remark?.tone == .good)
  }

  @Test("The next purchase begins anew, and one that no button began does, too")
  func beginsAnew() {
    #expect(flow(whole + [.button]).passed == [.pressed])
    #expect(flow(whole + [.paymentAdded]).passed == [.queued])
    #expect(flow(whole + [.button, .paymentAdded]).passed == [.pressed, .queued])
    #expect(flow(whole + [.restored, .granted]).passed == [.granted])
  }

  @Test("B9 killed between charge and grant: what was charged stays lit, and the rest lights after the launch")
  func killed() {
    let cut = flow(Array(whole.prefix(7)) + [.holding])
    #expect(cut.remark?.tone == .wait)
    let killed = flow(Array(whole.prefix(7)) + [.holding, .forceQuit, .launched])
    #expect(killed.passed == cut.passed)
    #expect(flow(Array(whole.prefix(7)) + [.holding, .forceQuit, .launched, .granted, .finished]).last == .finished)
  }

  @Test(
    "What goes wrong is said, with the words there are",
    arguments: [
      (PurchaseStep.cancelled, "Cancelled. Nothing was charged."),
      (.boughtBefore, "Bought before: delivered again, and not charged."),
      (.failed, "Failed. Nothing was charged: the card"), (.kept, "Kept, and given as soon as it can be: the card"),
      (.verificationRefused, "The server refused the receipt: the card"), (.refused, "Refused, and finished: the card"),
    ])
  func remarks(_ step: PurchaseStep, _ text: String) {
    var flow = flow([.button, .paymentAdded])
    flow.handle(StepReport(step, product: "p", words: "the card"))
    #expect(flow.remark?.text == text)
  }

  @Test("Every stop can be lit by a step, and lies between two parties or at one")
  func everyStop() {
    #expect(Set(PurchaseStep.allCases.compactMap { FlowStop($0) }) == Set(FlowStop.allCases))
    #expect(Set(FlowStop.allCases.map(\.title)).count == FlowStop.allCases.count)
  }
}
