import Foundation
import Testing

@testable import CommandLineTool

@Suite("receipt verify --store", .timeLimit(.minutes(30)))
struct VerifyWithStoreTests {
  @Test("G6 each proof of a running emulator is verified with its certificates, and refused without them")
  func proofs() async throws {
    try await RunningStore.open(controlToken: "s3cret") { store in
      let id = try await store.buy()
      for kind in ["--receipt", "--legacy", "--jws"] {
        let proof = try await store.run("transactions", "proof", id, kind, "--control-token", "s3cret")
        let input = Data(proof.output.utf8)
        let verified = try await CommandRun.verify(
          "-", "--store", store.address, "--control-token", "s3cret", input: input)
        #expect(verified.status == 0, "\(kind): \(verified.output)")
        #expect(try await CommandRun.verify("-", input: input).status == 1)
      }
    }
  }

  @Test("a store that does not answer, refuses the token, or has no address is reported with status 2")
  func unusable() async throws {
    let input = Data("x".utf8)
    try await RunningStore.open(controlToken: "s3cret") { store in
      let refused = try await CommandRun.verify("-", "--store", store.address, "--control-token", "other", input: input)
      #expect(refused.status == 2 && refused.message.contains("control-token"), "\(refused.message)")
    }
    for address in ["http://127.0.0.1:1", "nowhere"] {
      let run = try await CommandRun.verify("-", "--store", address, input: input)
      #expect(run.status == 2 && run.message.contains(address), "\(run.message)")
    }
  }
}
