/**
 * The closed set of refusals. Each class is mapped once to an HTTP status (`http/error-reply.ts`) and carries a stable
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

export class BadRequest extends Refusal {
  readonly status = 400
  constructor(message: string, code = 'bad_request', data?: Data) {
    super(message, code, data)
  }
}

export class Unauthenticated extends Refusal {
  readonly status = 401
  constructor(message = 'token is required', code = 'unauthenticated', data?: Data) {
    super(message, code, data)
  }
}

export class Forbidden extends Refusal {
  readonly status = 403
  constructor(message: string, code = 'forbidden', data?: Data) {
    super(message, code, data)
  }
}

/**
 * The account must not be used: sudo by a user who is not an administrator, an inactive or blocked account. The reply
 * carries only `message` (contract, sudo).
 */
export class AccountRefused extends Forbidden {}

export class NotFound extends Refusal {
  readonly status = 404
  constructor(message = 'not found', code = 'not_found', data?: Data) {
    super(message, code, data)
  }
}

export class MethodNotAllowed extends Refusal {
  readonly status = 405
  constructor(message: string, code = 'method_not_allowed', data?: Data) {
    super(message, code, data)
  }
}

export class NotAcceptable extends Refusal {
  readonly status = 406
  constructor(message: string, code = 'not_acceptable', data?: Data) {
    super(message, code, data)
  }
}

export class Conflict extends Refusal {
  readonly status = 409
  constructor(message: string, code = 'conflict', data?: Data) {
    super(message, code, data)
  }
}

/** The resource existed and was removed. */
export class Gone extends Refusal {
  readonly status = 410
  constructor(message: string, code = 'gone', data?: Data) {
    super(message, code, data)
  }
}

export class PreconditionFailed extends Refusal {
  readonly status = 412
  constructor(message: string, code = 'precondition_failed', data?: Data) {
    super(message, code, data)
  }
}

/** A body, a file or a field exceeds its size limit. */
export class TooLarge extends Refusal {
  readonly status = 413
  constructor(message: string, code = 'too_large', data?: Data) {
    super(message, code, data)
  }
}

/** The owner was over quota before the operation began. `data` carries `user_id` and `username` for the reply. */
export class OverQuota extends Refusal {
  readonly status = 413
  constructor(message: string, code = 'over_quota', data?: Data) {
    super(message, code, data)
  }
}

export class UnsupportedMediaType extends Refusal {
  readonly status = 415
  constructor(message: string, code = 'unsupported_media_type', data?: Data) {
    super(message, code, data)
  }
}

export class RangeNotSatisfiable extends Refusal {
  readonly status = 416
  /** @param sizeBytes size of the whole content, for the `Content-Range` header */
  constructor(sizeBytes: number) {
    super('the range is outside of the content', 'range_not_satisfiable', { sizeBytes })
  }
}

export class AddressTooLong extends Refusal {
  readonly status = 414
  constructor() {
    super('the address is too long', 'address_too_long')
  }
}

/** A body or a value failed validation; the message names the first failing field. */
export class Invalid extends Refusal {
  readonly status = 422
  constructor(message: string, code = 'invalid', data?: Data) {
    super(message, code, data)
  }
}

export class Archived extends Refusal {
  readonly status = 423
  constructor(message = 'the repository is archived', code = 'archived', data?: Data) {
    super(message, code, data)
  }
}

export class TooManyRequests extends Refusal {
  readonly status = 429
  constructor(message: string, code = 'too_many_requests', data?: Data) {
    super(message, code, data)
  }
}

/** A protocol feature that the server does not implement. */
export class Unsupported extends Refusal {
  readonly status = 501
  constructor(message: string, code = 'unsupported', data?: Data) {
    super(message, code, data)
  }
}

/** A dependency is temporarily unavailable (git broker, full disk, stopping server); nothing was changed. */
export class Unavailable extends Refusal {
  readonly status = 503
  constructor(message: string, code = 'unavailable', data?: Data) {
    super(message, code, data)
  }
}

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
