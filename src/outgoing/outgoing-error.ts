export type OutgoingReason =
  /** The URL is invalid, is not http(s), or contains a part that cannot be sent. */
  | 'bad_url'
  /** The rules allow no address of the host. */
  | 'refused_address'
  | 'unknown_host'
  | 'timeout'
  | 'aborted'
  | 'too_large'
  | 'too_many_redirects'
  /** Too many concurrent requests. */
  | 'busy'
  /** Connection refused, TLS error, or malformed response. */
  | 'network'

/** A request without a usable response. Users may see the message. */
export class OutgoingError extends Error {
  readonly reason: OutgoingReason
  constructor(reason: OutgoingReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OutgoingError'
    this.reason = reason
  }
}
