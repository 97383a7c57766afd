import Testing

@testable import CommandLineTool
@testable import Demo

@Suite("The forms of a device's page", .timeLimit(.minutes(30)))
struct PageFormTests {
  private static let page = """
    <p>5 < 6</p>
    <form method="post" action="/app/buy" class="line-form" data-quiet>
    <input type="hidden" name="screen" value="credits">
    <input type="hidden" name="product" value="a">
    <input type="text" name="typed" value="x">
    <button class="pill" disabled id="a-button">Buy</button></form>
    <form method="post" action="/app/sheet">
    <button name="answer" value="confirm" id="sheet-confirm">Buy</button><button name="answer" value="cancel">Cancel</button></form>
    """

  @Test("each form has its hidden fields and its buttons")
  func forms() {
    let forms = PageForm.all(in: Self.page)
    #expect(forms.map(\.action) == ["/app/buy", "/app/sheet"])
    #expect(forms.first?.hidden == ["screen": "credits", "product": "a"])
    #expect(forms.first?.buttons.map(\.isEnabled) == [false])
    #expect(forms.last?.buttons.map(\.value) == ["confirm", "cancel"])
    #expect(forms.last?.buttons.map(\.isEnabled) == [true, true])
  }

  @Test("a button is found by its form, product and value")
  func buttons() {
    let forms = PageForm.all(in: Self.page)
    func isThere(_ button: DeviceButton) -> Bool { forms.contains { $0.button(button) != nil } }
    #expect(isThere(.buy("a")))
    #expect(!isThere(.buy("b")))
    #expect(isThere(.sheet("cancel")))
    #expect(!isThere(.sheet("sign-in")))
    #expect(!isThere(.launch))
  }
}
