import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("Completions in a shell", .timeLimit(.minutes(30)))
struct CompletionTests {
  @Test("each shell has a script, and bash can run its own", arguments: ["bash", "zsh", "fish"])
  func scripts(shell: String) async throws {
    let program = try Program("--generate-completion-script", shell)
    let (output, status) = try await program.finish()
    #expect(status == 0)
    for word in ["transactions", "reverse-refund", "slowAnswer", "app-issue"] { #expect(output.contains(word)) }
    guard shell == "bash" else { return }
    let folder = try ScratchFolder()
    let check = try await folder.run("bash", "-n", try folder.write("completions", output))
    #expect(check.status == 0, "\(check.output)")
  }

  /// The completions that the shell receives for the last of `words`.
  private func completions(
    _ command: [String], _ argument: String, _ words: [String], store: String
  ) async throws -> [String] {
    let typed = ["openstorekit"] + command + words
    let cursor = typed.last?.count ?? 0
    let program = try Program(
      arguments: ["---completion"] + command + ["--", argument, "\(typed.count - 1)", "\(cursor)"] + typed,
      environment: [
        "OPENSTOREKIT_CONTROL_URL": store, "OPENSTOREKIT_URL": "",
        // A long timeout, because the machine may be busy.
        "OPENSTOREKIT_COMPLETION_SECONDS": "200",
      ])
    let (output, status) = try await program.finish()
    #expect(status == 0)
    #expect(program.standardError.isEmpty, "\(program.standardError)")
    return output.split(separator: "\n").map(String.init)
  }

  @Test(
    "completions are the running store's transactions, products, customers and faults with the typed prefix")
  func storeNames() async throws {
    try await RunningStore.open(selling: ["evil\n--option", "\u{1B}[31m"]) { store in
      let ids = [try await store.buy(), try await store.buy()]
      try store.store.set(Fault(OutageFault(), id: "maintenance"))
      func completed(_ command: [String], _ argument: String, _ words: [String]) async throws -> [String] {
        try await completions(command, argument, words, store: store.address)
      }
      #expect(try await completed(["transactions", "show"], "positional@0", [""]) == ids)
      #expect(try await completed(["transactions", "refund"], "positional@0", [ids[1]]) == [ids[1]])
      #expect(try await completed(["transactions", "show"], "positional@0", ["0"]).isEmpty)
      #expect(
        try await completed(["transactions", "buy"], "positional@0", [""]) == [
          "org.example.florist.rose", "org.example.florist.vase",
        ])
      #expect(try await completed(["transactions", "list"], "--customer", ["--customer", "cu"]) == ["customer"])
      #expect(try await completed(["faults", "remove"], "positional@0", ["m"]) == ["maintenance"])
    }
  }

  @Test("without a store there are no completions and no messages")
  func silent() async throws {
    for store in ["http://127.0.0.1:1", "nonsense"] {
      #expect(try await completions(["transactions", "show"], "positional@0", [""], store: store).isEmpty)
    }
  }

  @Test("names with spaces or control characters are not completed")
  func plain() {
    let words = ["rose", "rose", "ro\nse", "ro\u{202E}se", "", "vase", String(repeating: "r", count: 1_000)]
    #expect(StoreCompletion.usable(words, "ro") == ["rose"])
    #expect(StoreCompletion.usable(words, "") == ["rose", "vase"])
  }
}
