import Foundation
import SharedFixtures
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite("The message beside a phone's settings", .timeLimit(.minutes(30)))
struct PhoneMessageTests {
  @Test("unreadable documents are reported if there is no other message")
  func documents() async throws {
    let scratch = try ScratchFolder()
    let folder = try PhoneFolder(scratch.url.appending(path: "p"), documents: nil)
    defer { folder.release() }
    let network = PhoneNetwork(name: "p", store: URL(filePath: "/"), server: nil)
    let phone = try Phone(network: network, folder: folder)
    let client = AppConnection.client()
    let pages = DevicePages(phone: phone, app: AppConnection(client: client, socket: folder.socket), framedBy: [])
    #expect(await pages.view(.settings, nil, nil).settings.message == nil)
    try FileManager.default.removeItem(at: folder.documents)
    let unreadable = await pages.view(.settings, nil, nil).settings.message
    #expect(unreadable?.text.contains("documents cannot be read") == true)
    await phone.show(.good("Signed in."))
    #expect(await pages.view(.settings, nil, nil).settings.message == .good("Signed in."))
    #expect(await pages.view(.settings, nil, .bad("It hangs.")).settings.message == .bad("It hangs."))
    try await client.shutdown()
  }
}
