import Foundation
import Logging
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("The server's log as JSON", .timeLimit(.minutes(30)))
struct JSONLogTests {
  @Test("numbers and booleans stay what they are, texts are escaped, and each message is one line")
  func types() throws {
    var handler = JSONLogHandler()
    handler[metadataKey: "request"] = "r-1"
    let event = LogEvent(
      level: .info, message: "two\nlines",
      metadata: [
        "status": .stringConvertible(200), "large": .stringConvertible(Int64.max), "share": .stringConvertible(0.5),
        "isNew": .stringConvertible(true), "text": "200", "id": .stringConvertible(TransactionID(rawValue: "77")!),
        "list": [.stringConvertible(1), "a"], "members": ["inner": .stringConvertible(false)],
        "endless": .stringConvertible(Double.infinity),
      ], source: "test", file: "f", function: "g", line: 1)
    let line = handler.line(event, at: StoreDate(millisecondsSince1970: 0))
    let text = String(decoding: line, as: UTF8.self)
    #expect(text.last == "\n" && text.dropLast().contains("\n") == false)
    for member in [
      #""status":200"#, #""large":9223372036854775807"#, #""share":0.5"#, #""isNew":true"#, #""text":"200""#,
      #""id":"77""#, #""list":[1,"a"]"#, #""members":{"inner":false}"#, #""endless":"inf""#, #""request":"r-1""#,
      #""level":"info""#, #""message":"two\nlines""#, #""time":"1970-01-01T00:00:00"#,
    ] { #expect(text.contains(member), "\(member): \(text)") }
  }

  @Test("a request has one line and one id; the last line has the reason, the uptime and the number of requests")
  func server() async throws {
    let folder = try ScratchFolder()
    let configuration = try folder.write(
      "server.json",
      """
      {"trust": {"apple": true}, "apps": [{"bundleId": "com.example.reader", "verification": "offline"}],
       "log": {"format": "json"}}
      """)
    let program = try Program("server", "--config", configuration, "--port", "0")
    let ready = await program.output(until: "\n")
    let address = try #require(ready.split(separator: " ").last).trimmingCharacters(in: .whitespacesAndNewlines)
    for id in ["order-7", "not a plain id"] {
      let outcome = try await Program.run(
        "curl",
        ["-sSi", "--noproxy", "*", "-H", "X-Request-Id: \(id)", "\(address)/v1/apps/com.example.reader/products"])
      #expect(outcome.standardOutput.contains("200 OK"), "\(outcome.output)")
      #expect(outcome.standardOutput.lowercased().contains("x-request-id: order-7") == (id == "order-7"))
    }
    program.terminate()
    #expect(try await program.finish().status == 0)
    let lines = try program.standardError.split(separator: "\n").map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }
    let requests = lines.filter { $0["route"] != nil }
    #expect(requests.count == 2)
    #expect(requests.allSatisfy { $0["status"] as? Int == 200 && $0["milliseconds"] is Int })
    #expect(requests.first?["request"] as? String == "order-7")
    #expect(requests.last.flatMap { $0["request"] as? String }.flatMap { UUID(uuidString: $0) } != nil)
    #expect(lines.allSatisfy { line in !line.keys.contains { $0.hasPrefix("hb.") } })
    let last = try #require(lines.last)
    #expect(last["message"] as? String == "The server has stopped")
    #expect((last["reason"] as? String, last["requests"] as? Int) == ("SIGTERM", 2))
    #expect(last["uptimeSeconds"] is Int)
  }
}
