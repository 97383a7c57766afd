import Foundation
import SharedFixtures
import Testing
import WebSupport

@testable import SampleApp

@Suite("The photograph", .timeLimit(.minutes(30)))
struct PhotographTests {
  static let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0, 1, 2])
  static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1])
  static let webp = Data("RIFF".utf8) + Data([1, 0, 0, 0]) + Data("WEBPVP8 ".utf8)

  @Test(
    "a photograph's type is detected by its first bytes",
    arguments: [
      (jpeg, PhotographType.jpeg), (png, .png), (webp, .webp), (Data("GIF89a".utf8), nil),
      (Data("<svg xmlns='…'>".utf8), nil), (Data("RIFF".utf8), nil), (Data(), nil),
    ] as [(Data, PhotographType?)])
  func types(_ file: Data, _ type: PhotographType?) { #expect(PhotographType(file) == type) }

  @Test("a file that is no photograph, or too large, does not replace the previous one")
  func refusals() throws {
    let folder = try ScratchFolder()
    let album = PhotographAlbum(folder: folder.url)
    #expect(try album.photograph().type == .jpeg)
    #expect(!album.isOwn)
    try album.replace(with: Self.png)
    #expect(throws: PhotographError.unknownType) { try album.replace(with: Data("<script>".utf8)) }
    #expect(throws: PhotographError.tooLarge) {
      try album.replace(with: Self.jpeg + Data(count: PhotographAlbum.largestBytes))
    }
    #expect(try album.photograph().bytes == Self.png)
    try album.remove()
    #expect(try album.photograph().type == .jpeg)
  }

  @Test("the file of a form is the data between its boundaries, whatever they contain")
  func form() {
    let file = Data("\r\n--other\r\n\0\u{1}".utf8)
    let head = "--x1\r\nContent-Disposition: form-data; name=\"photograph\"; filename=\"a.png\"\r\n\r\n"
    let body = Data(head.utf8) + file + Data("\r\n--x1--\r\n".utf8)
    #expect(SubmittedFile(body, "multipart/form-data; boundary=x1")?.content == file)
    #expect(SubmittedFile(body, "multipart/form-data; boundary=\"x1\"")?.content == file)
    #expect(SubmittedFile(body, "multipart/form-data; boundary=x2")?.content == nil)
    #expect(SubmittedFile(body, "text/plain; boundary=x1")?.content == nil)
    #expect(SubmittedFile(Data(), "multipart/form-data; boundary=x1")?.content == nil)
  }
}
