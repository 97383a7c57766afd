import Foundation
import Testing

@Suite("openstorekit emulator and demo", .serialized, .timeLimit(.minutes(30)))
struct EmulatorCommandTests {
  private let folder: URL
  private let catalog: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "emulator-command-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "shop.storekit")
    try Data(#"{"products": [{"productID": "a", "type": "Consumable", "displayPrice": "1"}]}"#.utf8).write(to: file)
    catalog = file.path
  }

  @Test(
    "A3 B1 B2 B3 B4 B5 B6 B7 B8 B9 C1 C2 C3 C4 C5 C6 A5 A6 A7 D1 D2 D3 D4 E1 E4 E5 F1 F2 F3 G1 G2 G3 G4 G5 G6 the demo runs its script over real HTTP, kills included, and every check passes"
  )
  func demo() async throws {
    let program = try Program("demo", "--headless", "--seed", "7")
    let (output, status) = try await program.finish()
    #expect(status == 0, "\(output)\(program.standardError)")
    #expect(output.contains("checks passed: nothing was lost, granted twice or charged twice."))
    #expect(!output.contains("✗"))
    #expect(output.components(separatedBy: "SIGKILL").count == 9)
  }

  @Test("prints one line with its address when it is ready, and ends cleanly on SIGTERM")
  func readiness() async throws {
    let program = try Program("emulator", "--config", catalog, "--port", "0", "--tls-port", "0", "--in-memory")
    let line = program.nextOutput()
    #expect(line.wholeMatch(of: /ready http:\/\/127\.0\.0\.1:\d+\n/) != nil, "\(line)")
    program.terminate()
    let (output, status) = try await program.finish()
    #expect(output.isEmpty)
    #expect(status == 0)
    #expect(program.standardError.contains("TLS on https://127.0.0.1:"))
  }

  @Test("ends on SIGTERM although a client has not sent its whole body")
  func unfinishedRequest() async throws {
    let program = try Program("emulator", "--config", catalog, "--port", "0", "--in-memory")
    let port = try #require(UInt16(program.nextOutput().split(separator: ":").last?.dropLast() ?? ""))
    let client = try PlainClient(port: port)
    // Sent as one with a whole request: when that is answered, the emulator has read the other's beginning.
    let part = #"{"environment":"#
    try client.send(
      "GET /control/v1/clock HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        + "POST /control/v1/customers HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        + "Content-Length: 1000\r\n\r\n\(part)")
    #expect(client.received(until: "}").hasPrefix("HTTP/1.1 200"))
    program.terminate()
    #expect(try await program.finish().status == 0, "\(program.standardError)")
    withExtendedLifetime(client) {}
  }

  @Test("a port or data folder that is in use is a clear message and exit status 1")
  func taken() async throws {
    let data = folder.appending(path: "store").path
    let first = try Program("emulator", "--config", catalog, "--port", "0", "--data", data)
    let port = try #require(first.nextOutput().split(separator: ":").last).trimmingCharacters(in: .newlines)

    let samePort = try Program("emulator", "--config", catalog, "--port", port)
    #expect(try await samePort.finish().status == 1)
    #expect(samePort.standardError.contains("Port \(port) is in use"))

    let sameFolder = try Program("emulator", "--config", catalog, "--port", "0", "--data", data)
    #expect(try await sameFolder.finish().status == 1)
    #expect(sameFolder.standardError.contains("in use by another process ("))
    first.terminate()
    #expect(try await first.finish().status == 0)
  }

  @Test(
    "wrong usage and unreadable input are exit status 2, with a message that says what to do",
    arguments: [
      (["emulator", "--port", "0"], "--config"),
      (["emulator", "--port", "0", "--config", "/nowhere.storekit"], "/nowhere.storekit"),
      (["emulator", "--port", "70000"], "not a port"),
      (["emulator", "--in-memory", "--data", "/tmp/x"], "not both"),
      (["emulator", "--time-rate", "-1"], "--time-rate"),
      (["emulator", "--advertise", "http://h:0"], "--advertise is"),
      (["emulator", "--advertise", "http://\(String(repeating: "h", count: 5_000))"], "--advertise is"),
      (["emulator", "--unknown"], "--unknown"),
      (["nothing"], "nothing"),
    ])
  func wrongUsage(_ arguments: [String], _ message: String) async throws {
    let program = try Program(arguments: arguments)
    let (output, status) = try await program.finish()
    #expect(status == 2)
    #expect(output.isEmpty)
    #expect(program.standardError.contains(message), "\(program.standardError)")
  }

  @Test("bound to another address than loopback, it requires a control token")
  func foreignHost() async throws {
    let program = try Program("emulator", "--config", catalog, "--port", "0", "--host", "0.0.0.0")
    #expect(try await program.finish().status == 2)
    #expect(program.standardError.contains("--control-token"))
  }

  @Test("--help is no error")
  func help() async throws {
    let (output, status) = try await Program("--help").finish()
    #expect(status == 0)
    #expect(output.contains("emulator"))
  }
}
