import Testing

@testable import CommandLineTool
@testable import Demo

@Suite(.timeLimit(.minutes(30))) struct EventStreamReaderTests {
  private let text =
    ": hello\nretry: 500\n\nid: 1\nevent: step\ndata: {\"a\":1}\ndata: more\r\n\r\nevent: changed\ndata:\n\nevent: step\ndata: cut off"

  @Test("Events are parsed however their bytes are split")
  func anyCut() throws {
    let bytes = Array(text.utf8)
    for size in 1...bytes.count {
      var reader = EventStreamReader()
      var events: [EventStreamReader.Event] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        events += try reader.add(bytes[start..<min(start + size, bytes.count)])
      }
      #expect(events == [.init(name: "step", data: "{\"a\":1}\nmore"), .init(name: "changed", data: "")])
    }
  }

  @Test(
    "The last event id is that of the last complete event; before the first one it is the id of the previous stream")
  func lastID() throws {
    var reader = EventStreamReader(after: "7")
    #expect(reader.lastEventID == "7")
    _ = try reader.add(Array("data: without an id\n\n".utf8))
    #expect(reader.lastEventID == "7")
    _ = try reader.add(Array("id: 8\ndata: a\n\nid: 9\ndata: not whole\n".utf8))
    #expect(reader.lastEventID == "8")
    _ = try reader.add(Array("\nid: 10\u{7}\ndata: no id\n\n".utf8))
    #expect(reader.lastEventID == "9")
    _ = try reader.add(Array("id\ndata: begins anew\n\n".utf8))
    #expect(reader.lastEventID.isEmpty)
  }

  @Test("An endless event is refused at the maximum size")
  func bounded() {
    var reader = EventStreamReader()
    #expect(throws: DemoFailure.self) {
      for _ in 0..<20 { _ = try reader.add(Array(repeating: 0x61, count: 1 << 17)) }
    }
    var lines = EventStreamReader()
    #expect(throws: DemoFailure.self) {
      for _ in 0..<20 { _ = try lines.add(Array("data: ".utf8) + Array(repeating: 0x61, count: 1 << 17) + [0x0A]) }
    }
  }
}
