import PurchaseKit
import StoreModel
import Testing

@Suite("Backup keys as text", .timeLimit(.minutes(30)))
struct BackupKeyTests {
  @Test("F2 a key is read as written, in either case, with spaces, and with letters that look like digits")
  func roundTrip() throws {
    for _ in 0..<50 {
      let key = BackupKey()
      let text = key.text
      #expect(text.count == 14 * 4 + 13)
      #expect(try BackupKey(text: text) == key)
      let typed = text.lowercased().replacing("-", with: " ").replacing("0", with: "o").replacing("1", with: "l")
      #expect(try BackupKey(text: typed) == key)
    }
  }

  @Test("F2 a typing error is distinguished from a wrong length and from foreign characters")
  func errors() throws {
    let text = BackupKey().text
    #expect(throws: BackupKeyError.length(55)) { try BackupKey(text: String(text.dropLast())) }
    #expect(throws: BackupKeyError.notInAlphabet("U")) { try BackupKey(text: "u" + text.dropFirst()) }
    for place in text.indices where text[place] != "-" {
      var typed = text
      typed.replaceSubrange(place...place, with: text[place] == "7" ? "8" : "7")
      #expect(throws: BackupKeyError.mistyped) { try BackupKey(text: typed) }
    }
  }
}
