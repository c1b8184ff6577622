internal import NIOCore
internal import NIOHTTPTypes
internal import Synchronization

/// The open connections of a server, of which the one that has waited longest for its client gives way to a new one.
///
/// Clients that send slowly can therefore not shut out others: an honest request is read within milliseconds, long before
/// its connection is the oldest.
final class ConnectionLimits: Sendable {
  private struct Connection {
    var channel: any Channel
    var address: String
    /// When the client's turn began; `nil` while a request is answered.
    var waitsSince: NIODeadline?
  }

  /// Connections in total, and from one address.
  let most: Int
  private let mostOfAddress: Int
  private let connections = Mutex<[ObjectIdentifier: Connection]>([:])

  init(most: Int, mostOfAddress: Int) {
    self.most = most
    self.mostOfAddress = mostOfAddress
  }

  func open(_ channel: any Channel) {
    let address = channel.remoteAddress?.ipAddress ?? ""
    let surplus: (any Channel)? = connections.withLock { connections in
      let ofAddress = connections.values.filter { $0.address == address }
      let candidates: [Connection]
      if ofAddress.count >= mostOfAddress {
        candidates = ofAddress
      } else if connections.count >= most {
        candidates = Array(connections.values)
      } else {
        candidates = []
      }
      connections[ObjectIdentifier(channel)] = Connection(channel: channel, address: address, waitsSince: .now())
      if candidates.isEmpty { return nil }
      let waiting = candidates.filter { $0.waitsSince != nil }
      let oldest = waiting.min { ($0.waitsSince ?? .distantFuture) < ($1.waitsSince ?? .distantFuture) }?.channel ?? channel
      connections[ObjectIdentifier(oldest)] = nil
      return oldest
    }
    surplus?.close(promise: nil)
  }

  func close(_ channel: any Channel) { connections.withLock { $0[ObjectIdentifier(channel)] = nil } }

  /// Notes whose turn it is on a connection.
  func setWaiting(_ channel: any Channel, _ isWaiting: Bool) {
    connections.withLock { $0[ObjectIdentifier(channel)]?.waitsSince = isWaiting ? .now() : nil }
  }
}

/// Closes a connection whose client takes too long to send a request or to take its answer.
final class RequestDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  struct Times: Sendable {
    /// Until a request's head is there.
    var head: TimeAmount
    /// From the head to the end of the body.
    var body: TimeAmount
    /// From the head to the end of the answer.
    var request: TimeAmount
    /// For the rest of a body after its answer.
    var rest = TimeAmount.seconds(2)
  }

  private let limits: ConnectionLimits
  private let times: Times
  private var turn: Scheduled<Void>?
  private var whole: Scheduled<Void>?
  private var isReading = false

  init(_ limits: ConnectionLimits, _ times: Times) {
    self.limits = limits
    self.times = times
  }

  func channelActive(context: ChannelHandlerContext) {
    limits.open(context.channel)
    turn = closing(context, in: times.head)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    turn?.cancel()
    whole?.cancel()
    limits.close(context.channel)
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      isReading = true
      turn?.cancel()
      turn = closing(context, in: times.body)
      whole?.cancel()
      whole = closing(context, in: times.request)
    case .end:
      isReading = false
      turn?.cancel()
      limits.setWaiting(context.channel, false)
    case .body: break
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      turn?.cancel()
      turn = closing(context, in: isReading ? times.rest : times.head)
      whole?.cancel()
      limits.setWaiting(context.channel, true)
    }
    context.write(data, promise: promise)
  }

  private func closing(_ context: ChannelHandlerContext, in time: TimeAmount) -> Scheduled<Void> {
    let channel = context.channel
    return context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }
}
