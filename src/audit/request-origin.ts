import { AsyncLocalStorage } from 'node:async_hooks'

/** The origin of the current work, for the audit log. */
export interface RequestOrigin {
  /** Client address; empty for commands. */
  readonly address: string
  readonly requestId: string
  /** Name of the operation or command. */
  readonly operation: string
  /** Set after authentication. */
  person?: { readonly id: number; readonly name: string }
  /** The credential, such as `token 12`; never the secret. */
  credential?: string
  /** Set when an operation that is not expensive took a slot for expensive work. */
  hasSlot?: boolean
}

const current = new AsyncLocalStorage<RequestOrigin>()

/** Runs work with an origin, which audit entries written meanwhile name. */
export const withOrigin = <Result>(origin: RequestOrigin, work: () => Result): Result => current.run(origin, work)

/** Returns the origin of the current work; undefined in jobs and tasks. */
export const requestOrigin = (): RequestOrigin | undefined => current.getStore()
