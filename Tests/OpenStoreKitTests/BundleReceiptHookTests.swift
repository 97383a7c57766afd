#if os(Linux)
  import Foundation
  import SharedFixtures
  import Testing

  @Suite("The redirection of Bundle.appStoreReceiptURL", .timeLimit(.minutes(30)))
  struct BundleReceiptHookTests {
    private static let hook = URL(filePath: #filePath).appending(path: "../../../Sources/BundleReceiptHook")
      .standardizedFileURL

    @Test("A1 a toolchain without Foundation's symbols links the program, and nothing is redirected")
    func otherToolchain() async throws {
      let folder = try ScratchFolder()
      let main = folder.url.appending(path: "main.c")
      try """
      #include <stdio.h>
      #include "BundleReceiptHook.h"
      int main(void) { printf("%d", openstorekit_bundle_slots_redirected()); }
      """.write(to: main, atomically: true, encoding: .utf8)
      let program = folder.url.appending(path: "program").path
      let compiled = try await folder.run(
        "clang", "-I", Self.hook.appending(path: "include").path,
        Self.hook.appending(path: "BundleReceiptHook.c").path, main.path, "-o", program)
      #expect(compiled.status == 0, "\(compiled)")
      let outcome = try await folder.run(program)
      #expect(outcome.status == 0 && outcome.output == "0", "\(outcome)")
    }
  }
#endif
