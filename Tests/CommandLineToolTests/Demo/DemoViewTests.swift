import ControlAPI
import Foundation
import SampleApp
import SampleModel
import SharedFixtures
import Testing
import WebSupport

@testable import CommandLineTool
@testable import Demo

@Suite(.timeLimit(.minutes(30))) struct DemoViewTests {
  private let frames = DemoView.Frames(
    devices: [("phone", "http://127.0.0.1:1"), ("tablet", "http://127.0.0.1:2")], store: "http://127.0.0.1:3")

  @Test("The page frames both devices and the store, and highlights the stages of the last purchase")
  func page() throws {
    let state = DemoState(tour: TourStation.all(first: "phone", second: "tablet"))
    state.handle(.step(device: "phone", StepReport(.button, product: "com.example.a")))
    state.handle(.step(device: "tablet", StepReport(.button, product: "com.example.b")))
    state.handle(.step(device: "tablet", StepReport(.paymentAdded, product: "com.example.b")))
    let text = DemoView(scene: state.scene, frames: frames).page.text
    for address in 1...3 { #expect(text.contains("<iframe src=\"http://127.0.0.1:\(address)\"")) }
    #expect(text.contains("data-state=\"passed\" data-stop=\"pressed\""))
    #expect(text.contains("data-state=\"last\" data-stop=\"queued\""))
    #expect(text.contains("Tablet") && text.contains("<bdi>b</bdi>"))
    #expect(text.contains("<div id=\"stage\" data-live hidden></div>"))
    state.note(isPlaying: true, message: nil)
    state.show(.console("/console/faults"))
    state.show(.screen(.credits, of: "tablet"))
    state.show(.screen(.filters, of: "tablet", element: "photograph"))
    #expect(
      DemoView(scene: state.scene, frames: frames).page.text.contains(
        """
        hidden data-playing><i data-number="1" data-window="store" data-address="/console/faults"></i>\
        <i data-number="3" data-window="tablet" data-address="/?screen=filters#photograph"></i></div>
        """))
  }

  @Test("The page about the operator's pages has their address and the key, which no other page shows")
  func operators() throws {
    let access = OperatorsView.Access(server: try #require(URL(string: "http://127.0.0.1:4")), key: "operator_<b>")
    let text = OperatorsView(access: access).page.text
    #expect(text.contains("href=\"http://127.0.0.1:4/operator/\"") && text.contains("operator_&lt;b&gt;"))
    #expect(!OperatorsView(access: nil).page.text.contains("operator_"))
    let page = DemoView(scene: DemoState(tour: []).scene, frames: frames).page.text
    #expect(page.contains("href=\"/operators\"") && !page.contains("operator_"))
  }

  @Test("B7 a device that shows an alert has a mark at its button, and a line below the drawing's title")
  func prompts() {
    let state = DemoState(tour: [])
    let before = DemoView(scene: state.scene, frames: frames).page.text
    #expect(before.contains("<span class=\"mark\" id=\"mark-tablet\" data-live></span>"))
    #expect(!before.contains("is open"))
    state.note("tablet", AppPrompt(.alert, "Not <b>enough</b> credits."))
    let text = DemoView(scene: state.scene, frames: frames).page.text
    #expect(text.contains("<span class=\"sr-only\">, an alert is open</span>"))
    #expect(
      text.contains("prompt-tablet\" role=\"status\"") && text.contains("<strong>Tablet</strong>: an alert is open."))
    #expect(text.contains("Not &lt;b&gt;enough&lt;/b&gt; credits."))
    #expect(text.contains("<span class=\"mark\" id=\"mark-phone\" data-live></span>"))
    state.note("tablet", nil)
    #expect(DemoView(scene: state.scene, frames: frames).page.text == before)
  }

  @Test("No step of the tour shows a requirement's id, and the last one does not ask for Next")
  func texts() {
    let state = DemoState(tour: TourStation.all(first: "phone", second: "tablet"))
    for number in state.scene.tour.stations.indices {
      state.turn(.to(number))
      let text = DemoView(scene: state.scene, frames: frames).page.text
      #expect(text.matches(of: /\b[A-I][1-9]\b/).map { String($0.0) } == [])
    }
    let last = TourStation(
      title: "Last", requirements: ["A1"], instructions: ["Do it."], lesson: "", goals: [.step(.launched)])
    let ended = DemoState(tour: [last])
    ended.handle(.step(device: "phone", StepReport(.launched)))
    let text = DemoView(scene: ended.scene, frames: frames).page.text
    #expect(text.contains("This was the last step.") && text.contains(">Result</button>"))
    #expect(!text.contains("Next"))
  }

  @Test("The drawing and the tour's end show the products' names")
  func names() throws {
    let state = DemoState(tour: [])
    state.handle(.step(device: "phone", StepReport(.button, product: SampleCatalog.fiveCredits)))
    #expect(DemoView(scene: state.scene, frames: frames).page.text.contains("<bdi>5 monkey credits</bdi>"))
    #expect(ProductNames.name(of: RunningApp.creditsOfVersionTwo.product) == "20 monkey credits")
    #expect(ProductNames.name(of: "com.example.unknown") == "unknown")
    #expect(ProductNames.ownerName(of: RunningApp.creditsOfVersionTwo.product) == "20 monkey credits")
    #expect(ProductNames.ownerName(of: "com.example.unknown") == "a new product")
  }

  @Test("B9 the end of the tour shows the store's charges and refunds beside the grants, and what is not granted yet")
  func end() throws {
    let state = DemoState(tour: TourStation.all(first: "phone", second: "tablet"))
    state.turn(.to(.max))
    func text() -> String { DemoView(scene: state.scene, frames: frames).page.text }
    #expect(text().contains("Nothing was bought."))
    func view<View: Decodable>(_ id: Int, _ product: String, _ amount: Int, as type: View.Type) throws -> View {
      let text = """
        {"transactionId": "\(id)", "bundleId": "b", "environment": "Sandbox", "customer": "c", "productId": "a.\(product)",
         "amount": \(amount), "currency": "USD", "orderId": "M0", "date": 0}
        """
      return try JSONDecoder().decode(View.self, from: Data(text.utf8))
    }
    let sold = [(1, "sepia", 1_990), (2, "five", 990), (3, "five", 990)]
    state.note(
      try sold.map { try view($0.0, $0.1, $0.2, as: ChargeView.self) },
      [try view(1, "sepia", 1_990, as: RefundView.self)])
    #expect(text().contains("Charged and not granted yet: <bdi>five, sepia</bdi>."))
    for (id, product, _) in sold {
      state.handle(.step(device: "phone", StepReport(.granted, product: "a.\(product)", transaction: "\(id)")))
    }
    #expect(text().contains("Each charge was granted."))
    let row = text().split(separator: "<tr ").last { $0.contains("sepia") }
    let cells = row?.matches(of: /<td class="number">([^<]*)</)
    #expect(cells?.map { String($0.1) } == ["1", "$1.99", "1", "1", "0"])
  }

  @Test("Hostile product ids and texts are escaped on the page", arguments: HostileText.all.indices)
  func hostile(_ number: Int) {
    let text = page(failing: HostileText.all[number])
    #expect(ForbiddenMarkup.found(in: text) == [])
  }

  @Test("Long product ids and texts are shortened on the page")
  func long() {
    let text = page(failing: "\"\u{301}>\u{202E}" + String(repeating: "x", count: 10_000))
    #expect(Array(text.utf8).count < 40_000)
  }

  /// The page after a step with this product id and detail.
  private func page(failing name: String) -> String {
    let state = DemoState(tour: [])
    state.handle(.step(device: "phone", StepReport(.failed, product: name, detail: name)))
    return DemoView(scene: state.scene, frames: frames).page.text
  }
}
