import ArgumentParser
import Foundation
import ProgramSupport
import Testing

@testable import CommandLineTool

@Suite("receipt inspect, and reading of input", .timeLimit(.minutes(30)))
struct InspectTests {
  let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test("each kind is shown with status 0, and marked as not verified")
  func kinds() async throws {
    let inputs: [(Data, ReceiptKind, String)] = [
      (try SampleStore.receipt(), .appReceipt, "credits.5"),
      (try SampleStore.legacyReceipt(), .legacyReceipt, "credits.5"),
      (Data(try SampleStore.transaction().utf8), .transaction, "\"productId\": \"credits.5\""),
      (Data(try SampleStore.payload("not JSON").utf8), .jws, "The payload is not JSON: 8 bytes."),
    ]
    for (input, kind, content) in inputs {
      let file = try folder.write("input", input)
      let run = try await CommandRun.inspect(file)
      #expect(run.status == 0)
      #expect(run.row("kind") == kind.title)
      #expect(run.row("verdict")?.hasPrefix("not verified") == true)
      #expect(run.output.contains(content))
      let json = try #require(try await CommandRun.inspect(file, "--json").json)
      #expect(json["kind"] as? String == kind.rawValue)
      #expect(json["verified"] as? Bool == false)
      #expect((json["detail"] as? String)?.hasPrefix("not verified") == true)
      #expect(json["fault"] == nil)
    }
  }

  @Test("a payload that is not JSON is in the document as base64")
  func bytes() async throws {
    let run = try await CommandRun.inspect(
      try folder.write("jws", try SampleStore.payload("\u{1}\u{2}")), "--json")
    #expect(run.json?["payloadBase64"] as? String == "AQI=")
  }

  @Test("a damaged receipt is unreadable: status 2, with the reason")
  func damaged() async throws {
    let file = try folder.write("damaged", try SampleStore.receipt().dropLast(1))
    let run = try await CommandRun.inspect(file)
    #expect(run.status == 2)
    #expect(run.output.isEmpty)
    #expect(run.message.contains("its end was cut off") && !run.message.contains("decode it first"))
    let document = try await CommandRun.inspect(file, "--json")
    #expect(document.status == 2)
    #expect(document.json?.keys.sorted() == ["error"])
  }

  @Test("- is standard input")
  func standardInput() async throws {
    let run = try await CommandRun.inspect("-", input: try SampleStore.receipt())
    #expect(run.status == 0)
    #expect(run.row("bundle id") == "com.example.monkeys")
    let unusable = try await CommandRun.verify("-", "--json", input: Data("rubbish!".utf8))
    #expect(unusable.status == 2)
    #expect((unusable.json?["error"] as? String)?.hasPrefix("standard input cannot be read") == true)
  }

  @Test("a pipe that delivers in pieces is read to its end, or up to the limit")
  func pieces() async throws {
    // More than a pipe's buffer, and more than one read.
    let pipe = Pipe()
    let writer = Thread {
      pipe.fileHandleForWriting.write(Data(repeating: 7, count: 3_000_000))
      try? pipe.fileHandleForWriting.close()
    }
    writer.start()
    #expect(try pipe.fileHandleForReading.readAll(limitBytes: 2_500_000).count == 2_500_000)
    #expect(try pipe.fileHandleForReading.readAll(limitBytes: 9_000_000).count == 500_000)
  }

  @Test("more than 64 MiB is not read, and the message says so")
  func tooLarge() async throws {
    // A sparse file, which takes no space on disk.
    let file = try folder.write("large", [])
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
    try handle.truncate(atOffset: UInt64(ReceiptCommand.maximumBytes + 1))
    try handle.close()
    let run = try await CommandRun.verify(file)
    #expect(run.status == 2)
    #expect(run.message == "\(file) is larger than 64 MiB, the most that is read")
  }

  @Test("standard input has the same limit: one byte more is refused, not truncated")
  func standardInputLimit() throws {
    func read(_ bytes: Int) throws -> Data {
      let console = CommandConsole(readInput: { Data(repeating: 1, count: bytes).prefix($0) }, write: { _ in })
      return try InputFile(path: "-").read(limitBytes: 1 << 20, on: console)
    }
    #expect(try read(1 << 20).count == 1 << 20)
    let failure = #expect(throws: CommandFailure.self) { try read(1 << 20 + 1) }
    #expect(failure?.message == "standard input is larger than 1 MiB, the most that is read")
    #expect(failure?.status == 2)
  }

  @Test("a folder, and a file that is not there, cannot be read")
  func unreadable() async throws {
    let missing = try await CommandRun.verify(folder.path("none"), "--json")
    #expect(missing.status == 2)
    #expect(missing.json?["error"] as? String == "\(folder.path("none")) cannot be read: there is no such file")
    #expect(try await CommandRun.inspect(folder.url.path).status == 2)
  }

  @Test("an invalid device id is wrong usage, also in JSON")
  func wrongDevice() async throws {
    let file = try folder.write("receipt", try SampleStore.receipt())
    let run = try await CommandRun.verify(file, "--device", "my phone")
    #expect(run.status == 2)
    #expect(run.message.contains("\"my phone\" is no device"))
    #expect(try await CommandRun.verify(file, "--device", "my phone", "--json").json?["error"] != nil)
    #expect(try await CommandRun.verify(file, "--bundle-id", "").status == 2)
  }

  @Test("the parser knows both subcommands and refuses wrong usage")
  func usage() throws {
    #expect(try ReceiptCommand.parseAsRoot(["inspect", "-"]) is ReceiptCommand.Inspect)
    #expect(try ReceiptCommand.parseAsRoot(["verify", "-", "--trust-xcode"]) is ReceiptCommand.Verify)
    for arguments in [["verify"], ["inspect", "a", "b"], ["verify", "-", "--no-such-option"]] {
      let error = #expect(throws: (any Error).self) { try ReceiptCommand.parseAsRoot(arguments) }
      #expect(error.map(ReceiptCommand.exitCode(for:)) == .validationFailure)
    }
  }
}
