import APIDescription
import ArgumentParser
import ControlAPI
import HTTPTransport
import ProgramSupport
import SignedData
import StoreModel

extension ReceiptCommand {
  /// `receipt verify`: verifies an input. The exit status reports the result, too.
  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify",
      abstract: "Verify a receipt or JWS: signature, certificate chain, dates, app, device.",
      discussion: """
        FILE holds an app receipt (DER, BER or base64), a legacy transaction receipt, or a JWS, and its kind is detected by \
        its contents. Apple's roots are always trusted, known by their fingerprints. Only the certificates of \
        --store are fetched: a purchase refunded after signing is not noticed.
        Without --bundle-id, genuine data of any app passes.
        Exit status: 0 verified, 1 refused, 2 wrong usage or unreadable.
        """)

    @Argument(help: ArgumentHelp("The file to read; - is standard input.", valueName: "file|-"), completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The app it must be for.", valueName: "id"))
    var bundleID: String?

    @Option(
      help: ArgumentHelp(
        "The device it must be issued to: vendor identifier, or address of a Mac's network interface.",
        valueName: "uuid|mac"))
    var device: String?

    @Option(
      name: .customLong("root"),
      help: ArgumentHelp(
        "Trust the certificates in this file as well, PEM or DER: an emulator's roots, or for legacy receipts the "
          + "intermediate that they do not carry. May be given several times.", valueName: "cert"),
      completion: .file(extensions: ["cer", "crt", "der", "pem"]))
    var roots: [String] = []

    @Option(
      name: .customLong("store"),
      help: ArgumentHelp(
        "Trust the certificates of the emulator at this address as well. It must be running.", valueName: "url"))
    var store: String?

    @Option(
      help: ArgumentHelp(
        "The control token of that store. Default: OPENSTOREKIT_CONTROL_TOKEN of the environment.", valueName: "token"))
    var controlToken: String?

    @Flag(help: "Trust the self-signed certificate that Xcode's test data carries. Anyone can make such a certificate.")
    var trustXcode = false

    @Flag(help: "Print one JSON document.")
    var json = false

    func validate() throws {
      if controlToken != nil && store == nil {
        throw ValidationError("--control-token is for --store, which is missing.")
      }
    }

    func run() async throws { try await run(on: .standard) }

    /// Verifies the input and writes the report.
    ///
    /// - Throws: ``CommandFailure`` or `ExitCode`, after the output was written.
    func run(on console: CommandConsole) async throws {
      try await console.answering(inJSON: json) {
        let expectation = try expectation()
        var certificates: [[UInt8]] = []
        for path in roots { certificates += try CertificateFile.read(path, on: console) }
        if let store { certificates += try await Self.certificates(of: store, token: controlToken) }
        let input = try InputFile(path: file).receiptInput(on: console)
        let report = await report(on: input, roots: certificates, expectation)
        try console.write(json ? report.json.document : report.text)
        // The verdict has been printed; only the exit status remains.
        if report.verdict.isRefused { throw ExitCode.failure }
      }
    }

    /// The certificates of a running emulator.
    private static func certificates(of store: String, token: String?) async throws -> [[UInt8]] {
      guard let address = ControlAPIOptions.storeAddress(store) else {
        throw CommandFailure.unusable(ControlAPIOptions.noAddress(store))
      }
      let client = ControlAPIClient(
        address: address, token: ControlAPIOptions.token(token), transport: SystemTransport.program())
      do {
        // All apps of a store have the same certificates, but the call needs one of them.
        let app = try await client.call(ControlEndpoints.apps, query: PageQuery(limit: 1)).value.apps.first
        let query = ConnectionQuery(bundleId: app?.bundleId)
        let connection = try await client.call(ControlEndpoints.connection, query: query).value
        let roots = [connection.rootCertificate, connection.receiptRootCertificate]
        return (roots + connection.intermediateCertificates).map(Array.init)
      } catch let failure as ControlAPIError {
        throw CommandFailure.unusable(failure.description.madeVisible(limit: 2_000))
      }
    }

    private func report(
      on input: ReceiptInput, roots: [[UInt8]], _ expectation: Expectation
    ) async -> ReceiptReport {
      let contents: ReceiptContents
      do throws(VerificationFailure) {
        contents = try ReceiptContents(input)
      } catch {
        return ReceiptReport(
          kind: input.kind, verdict: .refused(error), contents: nil, device: expectation.device)
      }
      let trust = ReceiptTrust(roots: roots, trustsXcode: trustXcode, contents: contents)
      let verification = ReceiptVerification(
        input: input, contents: contents, trust: trust, expectation: expectation)
      return ReceiptReport(
        kind: contents.kind, verdict: await verification.verdict(), contents: contents, device: expectation.device,
        trust: trust)
    }

    private func expectation() throws(CommandFailure) -> Expectation {
      var expectation = Expectation(bundleID: bundleID.map(BundleID.init(rawValue:)))
      if let device {
        guard let identifier = DeviceIdentifier(device) else {
          throw .unusable(
            "\"\(device.madeVisible(limit: 100))\" is no device: give a UUID, or an address such as 00:1B:63:84:45:E6")
        }
        expectation.device = identifier
      }
      if bundleID?.isEmpty == true { throw .unusable("the bundle id is empty") }
      return expectation
    }
  }
}
