/**
 * The closed set of refusals. Each class is mapped once to an HTTP status (`http/error-forms.ts`) and carries a stable
 * machine-readable `code` beside its message. Anything else that is thrown is a defect and answers 500.
 */
export abstract class Refusal extends Error {
  abstract readonly status: number
  /** Stable, machine-readable name of the reason, in snake_case. */
  readonly code: string
  /** Values for logs, and for replies with more than a message. */
  readonly data: Readonly<Record<string, unknown>>

  constructor(message: string, code: string, data: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.name = new.target.name
    this.code = code
    this.data = data
  }
}

type Data = Readonly<Record<string, unknown>>

/** Returns the base of a refusal: its HTTP status, and the code of reasons without one of their own. */
const refusal = <const Status extends number>(status: Status, usualCode: string) =>
  class extends Refusal {
    readonly status = status
    constructor(message: string, code = usualCode, data?: Data) {
      super(message, code, data)
    }
  }

export class BadRequest extends refusal(400, 'bad_request') {}

export class Unauthenticated extends refusal(401, 'unauthenticated') {
  constructor(message = 'token is required', code?: string, data?: Data) {
    super(message, code, data)
  }
}

/** Each reason has a code of its own, which pages and programs rely on. */
export class Forbidden extends Refusal {
  readonly status = 403
}

/** The account must not be used: it is inactive or blocked, or its password must be changed first. */
export class AccountRefused extends Forbidden {}

/** Sudo by a user who is not an administrator. The reply contains only `message` (contract, sudo). */
export class SudoForbidden extends AccountRefused {
  constructor() {
    super('only administrators may sudo', 'sudo_forbidden')
  }
}

export class NotFound extends refusal(404, 'not_found') {
  constructor(message = 'not found', code?: string, data?: Data) {
    super(message, code, data)
  }
}

export class MethodNotAllowed extends refusal(405, 'method_not_allowed') {}

export class NotAcceptable extends refusal(406, 'not_acceptable') {}

/** Each reason has a code of its own. */
export class Conflict extends Refusal {
  readonly status = 409
}

/** The resource existed and was removed. */
export class Gone extends refusal(410, 'gone') {}

export class PreconditionFailed extends refusal(412, 'precondition_failed') {}

/** A body, a file or a field exceeds its size limit. */
export class TooLarge extends refusal(413, 'too_large') {}

/** Returns the refusal of a body above its limit. `data` carries the limit as `maxBytes`. */
export const bodyTooLarge = (maxBytes: number): TooLarge =>
  new TooLarge(`the body is larger than ${maxBytes} bytes`, undefined, { maxBytes })

/** The owner was over quota before the operation began. `data` carries `user_id` and `username` for the reply. */
export class OverQuota extends refusal(413, 'over_quota') {}

export class AddressTooLong extends refusal(414, 'address_too_long') {
  constructor() {
    super('the address is too long')
  }
}

export class UnsupportedMediaType extends refusal(415, 'unsupported_media_type') {}

export class RangeNotSatisfiable extends refusal(416, 'range_not_satisfiable') {
  /** @param sizeBytes size of the whole content, for the `Content-Range` header */
  constructor(sizeBytes: number) {
    super('the range is outside of the content', undefined, { sizeBytes })
  }
}

/** A body or a value failed validation; the message names the first failing field. */
export class Invalid extends refusal(422, 'invalid') {}

export class Archived extends refusal(423, 'archived') {
  constructor(message = 'the repository is archived', code?: string, data?: Data) {
    super(message, code, data)
  }
}

export class TooManyRequests extends refusal(429, 'too_many_requests') {}

/** A protocol feature that the server does not implement. */
export class Unsupported extends refusal(501, 'unsupported') {}

/** A dependency is temporarily unavailable (git broker, full disk, stopping server); nothing was changed. */
export class Unavailable extends refusal(503, 'unavailable') {}

/**
 * A redirect to `location` (path and query below the site root), such as to the new name of a repository. 301 is sent as 308
 * unless the method is GET or HEAD, since clients repeat other methods as GET after 301.
 */
export class Moved extends Error {
  readonly status: 301 | 303 | 307
  readonly location: string
  constructor(status: 301 | 303 | 307, location: string) {
    super(`moved to ${location}`)
    this.name = 'Moved'
    this.status = status
    this.location = location
  }
}
