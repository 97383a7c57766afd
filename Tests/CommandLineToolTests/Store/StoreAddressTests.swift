import Foundation
import ProgramSupport
import Testing

@testable import CommandLineTool

@Suite("The store of the command line", .timeLimit(.minutes(30)))
struct StoreAddressTests {
  private func address(_ arguments: [String], _ environment: [String: String]) async throws -> String {
    try ControlAPIOptions.parse(arguments).client(environment: environment).address.absoluteString
  }

  @Test("--store, else OPENSTOREKIT_CONTROL_URL, else OPENSTOREKIT_URL, else port 8080 of this machine")
  func precedence() async throws {
    let control = ["OPENSTOREKIT_CONTROL_URL": "http://127.0.0.1:2/control/v1"]
    let both = control.merging(["OPENSTOREKIT_URL": "http://127.0.0.1:3"]) { $1 }
    #expect(try await address(["--store", "http://127.0.0.1:1/"], both) == "http://127.0.0.1:1")
    #expect(try await address(["--store", "http://[::1]:1/control/v1/"], both) == "http://[::1]:1")
    #expect(try await address([], both) == "http://127.0.0.1:2")
    #expect(try await address([], both.merging(["OPENSTOREKIT_CONTROL_URL": ""]) { $1 }) == "http://127.0.0.1:3")
    #expect(try await address([], [:]) == "http://127.0.0.1:8080")
  }

  @Test("an invalid address in a variable is an error that names the variable")
  func variable() async throws {
    do {
      _ = try await address([], ["OPENSTOREKIT_URL": "not\u{1B} an address"])
      Issue.record("it was taken")
    } catch let failure as CommandFailure {
      #expect(failure.status == 2)
      #expect(failure.message.hasPrefix("OPENSTOREKIT_URL is no address: not\\u{1B} an address."))
    }
  }

  @Test("an unreachable store is one sentence with the address and the remedy; with --json, a document")
  func unreachable() async throws {
    // No program listens on port 1 on a machine that runs tests.
    let run = try await RunningStore.run(["clock", "--store", "http://127.0.0.1:1"])
    #expect(run.status == 1)
    #expect(
      run.messages.hasPrefix(
        "There is no store at http://127.0.0.1:1 (Connection refused). Start one with openstorekit emulator"))
    let document = try await RunningStore.run(["transactions", "list", "--json", "--store", "http://127.0.0.1:1"])
    #expect(document.status == 1)
    #expect((document.json?["error"] as? String)?.hasPrefix("There is no store at") == true)
  }

  @Test("a server that is not a store is reported as such")
  func another() async throws {
    try await RunningStore.open { store in
      let run = try await RunningStore.run(["clock", "--store", store.address + "/elsewhere"])
      #expect(run.status == 1 && run.messages.contains("There is no GET /elsewhere/control/v1/clock here"))
    }
  }

  @Test(
    "a store that requires a control token accepts --control-token or OPENSTOREKIT_CONTROL_TOKEN, and otherwise the message says so"
  )
  func token() async throws {
    try await RunningStore.open(controlToken: "s3cret") { store in
      let without = try await store.run("clock")
      #expect(without.status == 1)
      #expect(without.messages.contains("asks for its control token") && without.messages.contains("--control-token"))
      #expect(try await store.run("clock", "--control-token", "wrong").status == 1)
      #expect(try await store.run("clock", "--control-token", "s3cret").status == 0)
      let program = try Program(
        arguments: ["clock", "--json"],
        environment: [
          "OPENSTOREKIT_CONTROL_URL": store.address + "/control/v1", "OPENSTOREKIT_CONTROL_TOKEN": "s3cret",
        ])
      let (output, status) = try await program.finish()
      #expect(status == 0, "\(program.standardError)")
      #expect(JSONValue(parsing: output.utf8)?["rate"] != nil)
    }
  }
}
