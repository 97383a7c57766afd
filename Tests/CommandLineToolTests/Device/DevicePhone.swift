import AsyncHTTPClient
import Foundation
import NIOCore
import SampleApp
import SharedFixtures

/// A phone as `openstorekit device` runs it, used as a browser would.
final class DevicePhone: Sendable {
  let program: Program
  let port: Int
  let folder: URL
  private let steps: AsyncStream<StepReport>
  private let changes: AsyncStream<Void>
  private let listening: [Task<Void, any Error>]

  /// Starts it, and returns when it is ready.
  init(in folder: URL, store: String, documents: URL? = nil, more: [String] = []) async throws {
    self.folder = folder
    var arguments = ["device", "--port", "0", "--data", folder.path, "--store", store] + more
    if let documents { arguments += ["--documents", documents.path] }
    let program = try Program(arguments: arguments)
    self.program = program
    let output = await program.output(until: "\n")
    guard let match = output.wholeMatch(of: /ready http:\/\/127\.0\.0\.1:(\d+)\n/), let port = Int(match.1) else {
      throw Unexpected("The phone did not start: \(output) \(program.standardError)")
    }
    self.port = port
    let (steps, step) = AsyncStream.makeStream(of: StepReport.self)
    self.steps = steps
    let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.changes = changes
    listening = [
      Task {
        try await EventListener.listen(port: port, path: "/steps") { line in
          guard line.hasPrefix("data: {") else { return }
          if let report = try? JSONDecoder().decode(StepReport.self, from: Data(line.dropFirst(6).utf8)) {
            step.yield(report)
          }
        }
        step.finish()
      },
      Task {
        try await EventListener.listen(port: port, path: "/live") { if $0 == "event: changed" { change.yield() } }
        change.finish()
      },
    ]
  }

  struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// Returns the steps up to and including the wanted one.
  @discardableResult
  func steps(until wanted: PurchaseStep) async throws -> [StepReport] {
    var seen: [StepReport] = []
    while let step = await steps.first(where: { _ in true }) {
      seen.append(step)
      if step.step == wanted { return seen }
    }
    throw Unexpected("The phone ended without \(wanted): \(seen.map(\.step)) \(program.standardError)")
  }

  func page(_ screen: String) async throws -> String {
    try await answer("GET", "/?screen=\(screen)").text
  }

  /// Returns when a screen meets the condition, which is checked whenever the phone notifies its page of a change.
  func page(_ screen: String, until isWanted: (String) -> Bool) async throws {
    var text = try await page(screen)
    while !isWanted(text) {
      guard await changes.first(where: { _ in true }) != nil else {
        throw Unexpected("The phone ended, and its page was: \(text) \(program.standardError)")
      }
      text = try await page(screen)
    }
  }

  /// Sends a form as the page does.
  @discardableResult
  func press(_ path: String, _ form: [String: String] = [:]) async throws -> Answer {
    let text = form.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
    return try await answer(
      "POST", path, ["Content-Type": "application/x-www-form-urlencoded", "Origin": "http://127.0.0.1:\(port)"],
      text.joined(separator: "&"))
  }

  /// Answers the sheet that is shown.
  func answerSheet(_ answer: String, _ more: [String: String] = [:]) async throws {
    let number = try await page("credits").firstMatch(of: /name="number" value="(\d+)"/)?.1 ?? ""
    try await press(
      "/app/sheet", ["number": String(number), "screen": "credits", "answer": answer].merging(more) { $1 })
  }

  struct Answer: Sendable {
    let status: Int
    let text: String
    let fields: [String: String]
  }

  func answer(
    _ method: String, _ path: String, _ fields: [String: String] = [:], _ body: String? = nil
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
    request.method = .init(rawValue: method)
    for (name, value) in fields { request.headers.replaceOrAdd(name: name, value: value) }
    if let body { request.body = .bytes(ByteBuffer(string: body)) }
    let answer = try await Self.client.execute(request, timeout: .seconds(60))
    let text = String(buffer: try await answer.body.collect(upTo: 16 << 20))
    let headers = Dictionary(answer.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
    return Answer(status: Int(answer.status.code), text: text, fields: headers)
  }

  private static let client = HTTPClient(
    eventLoopGroupProvider: .singleton, configuration: .init(redirectConfiguration: .disallow))

  /// Ends it with SIGTERM.
  func stop() async throws -> Int32 {
    program.terminate()
    return try await program.finish().status
  }

  /// Returns when no process locks the app's folder.
  func waitUntilAppHasEnded() async throws {
    let lock = folder.appending(path: "app/payment-queue.sqlite.lock").path
    let descriptor = open(lock, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw Unexpected("There is no \(lock).") }
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      // Waiting blocks.
      Thread.detachNewThread {
        flock(descriptor, LOCK_EX)
        close(descriptor)
        done.resume()
      }
    }
  }
}
