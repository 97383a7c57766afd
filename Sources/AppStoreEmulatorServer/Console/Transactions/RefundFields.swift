/// What a refund is asked for with.
enum RefundFields {
  static let all = [
    ControlField(
      "reason", .number, "Reason", text: "0",
      input: .choice([.init("0", "Another reason"), .init("1", "An issue with the app")])),
    ControlField(
      "percentage", .thousandths, "Share of the price, in percent", text: "100", input: .number,
      hint: "Up to three decimals. Less than 100 is a refund in part."),
  ]
}
