import ChildProcesses
import Foundation
import ProgramSupport
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("openstorekit exec", .timeLimit(.minutes(30)))
struct ExecTests {
  private let folder: ScratchFolder
  private let catalog: String

  init() throws {
    folder = try ScratchFolder()
    catalog = try folder.write(
      "shop.storekit", #"{"products": [{"productID": "shop.tea", "type": "Consumable", "displayPrice": "2"}]}"#)
  }

  private func exec(
    _ options: [String] = [], _ command: String..., environment: [String: String] = [:], input: String? = nil
  ) throws -> Program {
    try Program(
      arguments: ["exec", "--config", catalog] + options + ["--"] + command, environment: environment,
      input: try input.map { try folder.write("input", $0) })
  }

  private func script() throws -> String {
    try #require(Bundle.module.url(forResource: "purchase_test", withExtension: "py")).path
  }

  @Test(
    "G1 G2 G6 F3 a test in Python buys, verifies both receipts, and its exit status is passed on",
    arguments: [Int32(0), 7])
  func python(status: Int32) async throws {
    let program = try exec(["--bundle-id", "com.example.tea"], "python3", try script(), "\(status)")
    let (output, ended) = try await program.finish()
    #expect(ended == status, "\(program.standardError)")
    #expect(program.standardError.isEmpty, "\(program.standardError)")
    let line = try #require(output.wholeMatch(of: /bought \d{19} at (.+)\/device\n/), "\(output)")
    #expect(!FileManager.default.fileExists(atPath: String(line.output.1)), "the folder goes when the command ends")
  }

  @Test("after SIGKILL neither its command, nor the command's children, nor its folder are left")
  func killed() async throws {
    let script = "echo $OPENSTOREKIT_ROOT_CERTIFICATE; sleep 600 & sh -c 'sleep 600; true'; true"
    let program = try exec([], "sh", "-c", script)
    let certificate = await program.output(until: "\n").trimmingCharacters(in: .newlines)
    #expect(FileManager.default.fileExists(atPath: certificate))
    let cleanup = try #require(
      try RunningProcess.children(of: program.identifier).first { $0.arguments.contains("cleanup") })

    program.send(SIGKILL)
    // All these processes have inherited standard output, which ends with the last one.
    _ = try await program.finish()
    // Ends when the cleanup process ends.
    let end = try Program(
      arguments: ["--pid=\(cleanup.identifier)", "-f", "/dev/null"], executable: "/usr/bin/tail")
    _ = try await end.finish()

    let folder = URL(filePath: certificate).deletingLastPathComponent().path
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test(
    """
    a command that was started just before SIGKILL, and that the cleanup process does not know, is killed as well; but no \
    process that was never announced, only because it has the folder in its environment
    """, arguments: [true, false])
  func killedBeforeReport(isAnnounced: Bool) async throws {
    let note = folder.path("note")
    await #expect(processExitsWith: .signal(SIGKILL)) { [note = note as String, isAnnounced = isAnnounced as Bool] in
      let temporary = TemporaryFolder("exec")
      try temporary.make()
      if isAnnounced { try temporary.processStarts() }
      let command = try SpawnedProcess(
        "sleep", ["600"], .init(adding: ["OPENSTOREKIT_DATA": temporary.url.appending(path: "device").path]))
      try "\(command.identifier) \(temporary.url.path)".write(toFile: note, atomically: true, encoding: .utf8)
      kill(getpid(), SIGKILL)
    }
    let words = try String(contentsOfFile: note, encoding: .utf8).split(separator: " ").map(String.init)
    try #require(words.count == 2)
    while FileManager.default.fileExists(atPath: words[1]) { await Task.yield() }
    if !isAnnounced {
      // An ended process whose parent has not waited for it has no arguments.
      let arguments = try? String(contentsOfFile: "/proc/\(words[0])/cmdline", encoding: .utf8)
      #expect(arguments?.hasPrefix("sleep") == true, "it has ended")
      kill(try #require(Int32(words[0])), SIGKILL)
    }
    // Ends when the command ends.
    let end = try await Program.run("tail", ["--pid=\(words[0])", "-f", "/dev/null"])
    #expect(end.status == 0)
  }

  @Test("the command's exit status is passed on also if the cleanup process was killed")
  func withoutCleanupProcess() async throws {
    // The pattern does not match the arguments of this command.
    let script = """
      for process in $(cat /proc/$PPID/task/*/children)
      do
        if grep -q 'clean[u]p' /proc/$process/cmdline; then kill -KILL $process && exit 7; fi
      done
      """
    let program = try exec([], "sh", "-c", script)
    #expect(try await program.finish().status == 7, "\(program.standardError)")
  }

  @Test("a missing or unusable temporary folder is a clear message, and is not created")
  func temporaryFolder() async throws {
    let missing = folder.url.appending(path: "missing").path
    for path in [missing, try folder.write("file", "")] {
      let program = try exec([], "true", environment: ["TMPDIR": path])
      #expect(try await program.finish().status == 1)
      let reason = path == missing ? "No such file or directory" : "Not a directory"
      #expect(
        program.standardError == """
          openstorekit: No temporary folder can be made in \(path): \(reason). Set TMPDIR to a folder that is there and \
          can be written.

          """)
      #expect(!FileManager.default.fileExists(atPath: missing))
    }
  }

  @Test("the same seed gives the same ids")
  func seed() async throws {
    var ids: [String] = []
    for seed in ["5", "5", "6"] {
      let (output, status) = try await exec(["--seed", seed], "python3", try script(), "0").finish()
      #expect(status == 0)
      ids.append(try #require(output.firstMatch(of: /bought (\d+)/)).output.1.description)
    }
    #expect(ids[0] == ids[1])
    #expect(ids[0] != ids[2])
  }

  @Test(
    "every exit status is passed on, also those with a meaning for this program", arguments: [1, 2, 64, 127, 255])
  func statuses(status: Int32) async throws {
    let program = try exec([], "sh", "-c", "exit \(status)")
    let (output, ended) = try await program.finish()
    #expect(ended == status)
    #expect(output.isEmpty)
    #expect(program.standardError.isEmpty, "\(program.standardError)")
  }

  @Test(
    "a command that a signal ended has the exit status that a shell would give", arguments: [SIGTERM, SIGKILL, SIGABRT])
  func endedBySignal(number: Int32) async throws {
    let program = try exec([], "sh", "-c", "kill -\(number) $$")
    #expect(try await program.finish().status == 128 + number)
  }

  @Test(
    "SIGINT, SIGTERM, SIGHUP and SIGQUIT are passed on, and the command can handle them",
    arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func passedOn(number: Int32) async throws {
    let script = """
      import signal, sys
      signal.pthread_sigmask(signal.SIG_BLOCK, [\(number)])
      print("ready", flush=True)
      print(int(signal.sigwait([\(number)])), flush=True)
      sys.exit(9)
      """
    let program = try exec([], "python3", "-c", script)
    #expect(await program.output(until: "ready\n") == "ready\n")
    program.send(number)
    let (output, status) = try await program.finish()
    #expect(output == "\(number)\n")
    #expect(status == 9)
  }

  @Test("a command without a handler for SIGTERM is ended by it, and nothing is left behind")
  func terminated() async throws {
    let program = try exec([], "sh", "-c", "echo $OPENSTOREKIT_DATA; exec tail -f /dev/null")
    let data = await program.output(until: "\n").trimmingCharacters(in: .newlines)
    #expect(FileManager.default.fileExists(atPath: data))
    program.send(SIGTERM)
    #expect(try await program.finish().status == 128 + SIGTERM)
    #expect(!FileManager.default.fileExists(atPath: (data as NSString).deletingLastPathComponent))
  }

  @Test("SIGINT from the terminal reaches the command once, and the command may read from the terminal")
  func terminal() async throws {
    let command = """
      import os, signal, sys
      both = [signal.SIGINT, signal.SIGTERM]
      signal.pthread_sigmask(signal.SIG_BLOCK, both)
      print("ready", flush=True)
      first = signal.sigwait(both)
      # What is passed on of this comes after what would be passed on of the first.
      os.kill(os.getppid(), signal.SIGTERM)
      print(first.name, signal.sigwait(both).name, sys.stdin.readline().strip(), flush=True)
      """
    // Python's pty gives the program a controlling terminal.
    let typist = """
      import os, pty, sys
      process, terminal = pty.fork()
      if process == 0: os.execv(sys.argv[1], sys.argv[1:])
      shown = b""
      def until(word):
          global shown
          while word not in shown: shown += os.read(terminal, 1000)
      until(b"ready")
      os.write(terminal, b"\\x03")
      os.write(terminal, b"a line\\n")
      until(b"SIGINT SIGTERM a line")
      sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
      """
    let program = try exec(
      [], "python3", "-c", typist, try Program.executable().path, "exec", "--config", catalog, "--", "python3", "-c",
      command)
    #expect(try await program.finish().status == 0, "\(program.standardError)")
  }

  @Test("standard input is passed to the command")
  func input() async throws {
    let (output, status) = try await exec([], "cat", input: "one\ntwo").finish()
    #expect(output == "one\ntwo")
    #expect(status == 0)
  }

  @Test("the command does not inherit the emulator's socket, ignored signals or blocked signals")
  func cleanProcess() async throws {
    let program = try exec(
      [], "python3", "-c",
      """
      import os, signal, urllib.parse
      port = urllib.parse.urlsplit(os.environ["OPENSTOREKIT_URL"]).port
      lines = [line.split() for line in open("/proc/net/tcp")]
      [listener] = [line[9] for line in lines if line[1] == f"0100007F:{port:04X}" and line[3] == "0A"]
      own = set()
      for number in os.listdir("/proc/self/fd"):
          try: own.add(os.readlink(f"/proc/self/fd/{number}"))
          except OSError: pass
      print(len(own) > 2, f"socket:[{listener}]" in own)
      print(signal.pthread_sigmask(signal.SIG_BLOCK, []))
      """)
    #expect(try await program.finish().output == "True False\nset()\n")
    let pipe = try exec([], "sh", "-c", "trap 'exit 3' PIPE; kill -PIPE $$; exit 4")
    #expect(try await pipe.finish().status == 3, "a shell cannot trap what was ignored when it began")
  }

  @Test("the command inherits the caller's environment, but not the token of another store")
  func environment() async throws {
    let variables = [
      "COLOUR": "green", "OPENSTOREKIT_APP_VERSION": "2.3", "OPENSTOREKIT_ACCOUNT": "somebody",
      "OPENSTOREKIT_CONTROL_TOKEN": "old", "OPENSTOREKIT_BUNDLE_ID": "com.example.green",
    ]
    let program = try exec(
      [], "sh", "-c",
      "echo $COLOUR $OPENSTOREKIT_APP_VERSION $OPENSTOREKIT_ACCOUNT $OPENSTOREKIT_BUNDLE_ID ${OPENSTOREKIT_CONTROL_TOKEN-none}",
      environment: variables)
    #expect(try await program.finish().output == "green 2.3 customer com.example.green none\n")
  }

  @Test(
    "the command finds what a client of the Server API needs: addresses, issuer, app, and a key that openssl reads")
  func serverAPI() async throws {
    let script = """
      import json, os, subprocess, urllib.request
      store = json.load(urllib.request.urlopen(os.environ["OPENSTOREKIT_CONTROL_URL"] + "/connection"))
      key = os.environ["OPENSTOREKIT_PRIVATE_KEY"]
      print(os.environ["OPENSTOREKIT_ISSUER_ID"] == store["issuerId"], os.environ["OPENSTOREKIT_KEY_ID"] == store["keyId"])
      print(os.environ["OPENSTOREKIT_APP_APPLE_ID"] == str(store["appAppleId"]), open(key).read() == store["privateKey"])
      print([os.environ[f"OPENSTOREKIT_{name.upper()}_URL"] for name in store["baseURLs"]] == list(store["baseURLs"].values()))
      print(oct(os.stat(key).st_mode & 0o777))
      print("P-256" in subprocess.run(["openssl", "pkey", "-in", key, "-noout", "-text"], capture_output=True, text=True).stdout)
      """
    let program = try exec(["--bundle-id", "com.example.tea"], "python3", "-c", script)
    #expect(try await program.finish().output == "True True\nTrue True\nTrue\n0o600\nTrue\n")
  }

  @Test("--notification-url receives the notifications of the command's purchases")
  func notifications() async throws {
    let script = """
      import json, os, urllib.request
      def post(path, body):
          urllib.request.urlopen(urllib.request.Request(
              os.environ["OPENSTOREKIT_CONTROL_URL"] + path, json.dumps(body).encode(), {"Content-Type": "application/json"}))
      post("/purchases", {"bundleId": os.environ["OPENSTOREKIT_BUNDLE_ID"], "environment": "Sandbox",
                          "customer": os.environ["OPENSTOREKIT_ACCOUNT"], "productId": "shop.tea"})
      post("/notifications/settle", {})
      """
    let requests = LockedValue<[String]>([])
    let status = try await ScriptedServer.run({ request in
      requests.withLock { $0.append(request) }
      return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    }) { port in
      let program = try exec(
        ["--notification-url", "http://127.0.0.1:\(port)/notify"], "python3", "-c", script)
      return try await program.finish().status
    }
    #expect(status == 0)
    #expect(requests.value.count == 1)
    #expect(requests.value.first?.hasPrefix("POST /notify HTTP/1.1\r\n") == true)
    #expect(requests.value.first?.contains(#"{"signedPayload":"ey"#) == true)
  }

  @Test(
    "the command's clients send no request for the store to the caller's proxy, and keep the caller's exceptions",
    arguments: [
      (["NO_PROXY": "a.example"], "a.example,127.0.0.1,localhost a.example,127.0.0.1,localhost"),
      (["no_proxy": "a.example"], "a.example,127.0.0.1,localhost a.example,127.0.0.1,localhost"),
      (
        ["NO_PROXY": "a.example", "no_proxy": "b.example"],
        "a.example,127.0.0.1,localhost b.example,127.0.0.1,localhost"
      ),
      (["no_proxy": "*"], "* *"), ([:], "127.0.0.1,localhost 127.0.0.1,localhost"),
    ])
  func proxy(_ exceptions: [String: String], _ text: String) async throws {
    // Nothing listens at the proxy's address.
    let proxies = ["http_proxy": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"]
    let variables = proxies.merging(exceptions) { $1 }
    let program = try exec(
      [], "sh", "-c",
      """
      curl --silent --output /dev/null --write-out '%{http_code} ' "$OPENSTOREKIT_CONTROL_URL/apps"; echo "$NO_PROXY $no_proxy"
      """, environment: variables)
    #expect(try await program.finish().output == "200 \(text)\n")
  }

  @Test("a control token can be requested, and the command receives it")
  func controlToken() async throws {
    let program = try exec(
      ["--control-token", "s3cret"], "sh", "-c",
      """
      code() { curl --silent --noproxy '*' --output /dev/null --write-out '%{http_code} ' "$@" "$OPENSTOREKIT_CONTROL_URL/apps"; }
      code; code --header "Authorization: Bearer $OPENSTOREKIT_CONTROL_TOKEN"
      """)
    #expect(try await program.finish().output == "401 200 ")
  }

  @Test("a connection that the command leaves open does not delay the end for long")
  func openConnection() async throws {
    // The shell's background job holds a connection, and outlives the command.
    let program = try exec(
      [], "python3", "-c",
      """
      import os, socket, sys, urllib.parse
      address = urllib.parse.urlsplit(os.environ["OPENSTOREKIT_URL"])
      connection = socket.create_connection((address.hostname, address.port))
      connection.sendall(b"POST /sandbox/verifyReceipt HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 9\\r\\n\\r\\n")
      if os.fork() == 0:
          for number in (0, 1, 2): os.close(number)
          while connection.recv(100): pass
          os._exit(0)
      sys.exit(5)
      """)
    #expect(try await program.finish().status == 5)
  }

  @Test(
    "a command that cannot be run is a clear message and exit status 2, with nothing on standard output",
    arguments: [
      (["--", "no-such-command-anywhere"], "no-such-command-anywhere"), (["--", "/"], "cannot be run"),
      (["--", "./no-such-file"], "./no-such-file"), (["--"], "command"), ([], "command"), (["true"], "-- <command>"),
    ])
  func notRunnable(_ rest: [String], _ message: String) async throws {
    let program = try Program(arguments: ["exec", "--config", catalog] + rest)
    let (output, status) = try await program.finish()
    #expect(status == 2)
    #expect(output.isEmpty)
    #expect(program.standardError.contains(message), "\(program.standardError)")
  }

  @Test(
    "without a readable catalog no command is run: exit status 2",
    arguments: [([], "--config"), (["--config", "/nowhere.storekit"], "/nowhere.storekit")])
  func noCatalog(_ options: [String], _ message: String) async throws {
    let program = try Program(arguments: ["exec"] + options + ["--", "echo", "run"])
    let (output, status) = try await program.finish()
    #expect(status == 2)
    #expect(output.isEmpty)
    #expect(program.standardError.contains(message), "\(program.standardError)")
  }
}
