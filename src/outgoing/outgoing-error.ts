export type OutgoingReason =
  /** The URL is none, not http(s), or has something that cannot be sent. */
  | 'bad_url'
  /** The rules allow none of the host's addresses. */
  | 'refused_address'
  | 'unknown_host'
  | 'timeout'
  | 'aborted'
  | 'too_large'
  | 'too_many_redirects'
  /** Too many requests of this process are under way. */
  | 'busy'
  /** Refused connections, TLS errors, broken replies. */
  | 'network'

/** A request that got no usable answer. The message is fit to be shown to who asked for the request. */
export class OutgoingError extends Error {
  readonly reason: OutgoingReason
  constructor(reason: OutgoingReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OutgoingError'
    this.reason = reason
  }
}
