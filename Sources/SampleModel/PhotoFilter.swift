/// A photo filter, which changes the colours of a photograph. Filters are what the customer buys.
public struct PhotoFilter: Hashable, Sendable {
  /// The values of an `feColorMatrix` of type `matrix` (W3C Filter Effects): four rows, one for each resulting channel
  /// (red, green, blue, alpha). A row has a factor for each original channel, then a constant that is added.
  public let colorMatrix: [Double]

  /// Turns each colour into its luminance (ITU-R BT.709).
  static let greyscale = PhotoFilter(colorMatrix: [
    0.2126, 0.7152, 0.0722, 0, 0,
    0.2126, 0.7152, 0.0722, 0, 0,
    0.2126, 0.7152, 0.0722, 0, 0,
    0, 0, 0, 1, 0,
  ])

  /// Turns colours into the brown of old photographs (W3C Filter Effects, `sepia(1)`).
  static let sepia = PhotoFilter(colorMatrix: [
    0.393, 0.769, 0.189, 0, 0,
    0.349, 0.686, 0.168, 0, 0,
    0.272, 0.534, 0.131, 0, 0,
    0, 0, 0, 1, 0,
  ])
}
