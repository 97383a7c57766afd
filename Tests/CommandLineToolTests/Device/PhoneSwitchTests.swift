import Foundation
import ProgramSupport
import SharedFixtures
import Testing

@testable import Demo

@Suite("A phone's switches in its environment", .timeLimit(.minutes(30)))
struct PhoneSwitchTests {
  @Test("I3 restrictions and airplane mode reach the phone's app by environment variables, and stay")
  func environment() async throws {
    let scratch = try ScratchFolder()
    let folder = try PhoneFolder(scratch.url.appending(path: "p"), documents: nil)
    defer { folder.release() }
    let network = PhoneNetwork(name: "p", store: URL(filePath: "/"), server: nil)
    func switches(_ environment: [String: String]) async throws -> [String?] {
      let phone = try Phone(network: network, folder: folder, environment: environment)
      let variables = network.environment(of: await phone.settings, folder)
      return [variables["OPENSTOREKIT_RESTRICTED"], variables["OPENSTOREKIT_OFFLINE"]]
    }
    #expect(try await switches([:]) == ["0", "0"])
    #expect(try await switches(["OPENSTOREKIT_RESTRICTED": "1", "OPENSTOREKIT_OFFLINE": "1"]) == ["1", "1"])
    #expect(try await switches(["OPENSTOREKIT_RESTRICTED": ""]) == ["1", "1"])
    #expect(try await switches(["OPENSTOREKIT_OFFLINE": "0"]) == ["1", "0"])
    await #expect(throws: CommandFailure.self) { _ = try await switches(["OPENSTOREKIT_OFFLINE": "yes"]) }
  }
}
