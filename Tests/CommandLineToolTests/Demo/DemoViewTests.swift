import SampleApp
import SharedFixtures
import Testing
import WebSupport

@testable import CommandLineTool
@testable import Demo

@Suite(.timeLimit(.minutes(10))) struct DemoViewTests {
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
