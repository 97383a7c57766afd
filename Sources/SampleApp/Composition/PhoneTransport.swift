import Foundation
import HTTPTransport
import OpenStoreKit

/// The app's connection to the developer's server. It fails while the phone has no network, and reports the steps of
/// purchases.
struct PhoneTransport: HTTPSender {
  let base: any HTTPSender
  let switches: DeviceSwitches
  let steps: StepReporter

  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    guard !switches.isOffline else { throw HTTPFailure.unreachable(reason: "the phone has no network") }
    let watch = StepReply(call: call, steps: steps)
    watch.begin()
    try await base.send(call, to: Sink(sink: sink, switches: switches, watch: watch))
  }

  /// Forwards the parts of a response, and fails as soon as there is no network.
  private final class Sink: HTTPReplySink {
    private let sink: any HTTPReplySink
    private let switches: DeviceSwitches
    private let watch: StepReply

    init(sink: any HTTPReplySink, switches: DeviceSwitches, watch: StepReply) {
      self.sink = sink
      self.switches = switches
      self.watch = watch
    }

    func begin(_ head: HTTPReplyHead) throws {
      try check()
      watch.answered(head.status)
      try sink.begin(head)
    }

    func take(_ bytes: Data) throws {
      try check()
      try sink.take(bytes)
    }

    private func check() throws {
      guard !switches.isOffline else { throw HTTPFailure.noAnswer(reason: "the phone has lost its network") }
    }
  }
}
