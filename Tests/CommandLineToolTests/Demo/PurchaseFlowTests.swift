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

  @Test("B3 each step of a purchase highlights its stage, the last one most")
  func lights() {
    for count in 1...whole.count {
      let flow = flow(Array(whole.prefix(count)))
      #expect(flow.passed == Set(whole.prefix(count).compactMap { FlowStop($0) }))
      #expect(flow.last == FlowStop(whole[count - 1]))
    }
    #expect(flow(whole).remark?.tone == .good)
  }

  @Test("The next purchase resets the flow, also one that starts without the button")
  func nextPurchase() {
    #expect(flow(whole + [.button]).passed == [.pressed])
    #expect(flow(whole + [.paymentAdded]).passed == [.queued])
    #expect(flow(whole + [.button, .paymentAdded]).passed == [.pressed, .queued])
    #expect(flow(whole + [.restored, .granted]).passed == [.granted])
  }

  @Test("B9 killed between charge and grant: the charge stays highlighted, and the rest follows after the launch")
  func killed() {
    let cut = flow(Array(whole.prefix(7)) + [.holding])
    #expect(cut.remark?.tone == .wait)
    let killed = flow(Array(whole.prefix(7)) + [.holding, .forceQuit, .launched])
    #expect(killed.passed == cut.passed)
    #expect(flow(Array(whole.prefix(7)) + [.holding, .forceQuit, .launched, .granted, .finished]).last == .finished)
  }

  @Test(
    "Failures are shown as remarks, with their details",
    arguments: [
      (PurchaseStep.cancelled, "Cancelled. Nothing was charged."),
      (.boughtBefore, "Bought before: delivered again, and not charged."),
      (.failed, "Failed. Nothing was charged: the card"), (.kept, "Not granted yet; it is tried again later: the card"),
      (.verificationRefused, "The server refused the receipt: the card"),
      (.refused, "Not granted; the transaction is finished: the card"),
    ])
  func remarks(_ step: PurchaseStep, _ text: String) {
    var flow = flow([.button, .paymentAdded])
    flow.handle(StepReport(step, product: "p", detail: "the card"))
    #expect(flow.remark?.text == text)
  }

  @Test("Every stage belongs to a step, and lies between two participants or at one")
  func everyStop() {
    #expect(Set(PurchaseStep.allCases.compactMap { FlowStop($0) }) == Set(FlowStop.allCases))
    #expect(Set(FlowStop.allCases.map(\.title)).count == FlowStop.allCases.count)
  }
}
