import { AsyncLocalStorage } from 'node:async_hooks'

/** Who asked for what is done now, and how: what the audit log says beside the act itself. */
export interface Asking {
  /** The client's; empty for commands. */
  readonly address: string
  readonly requestId: string
  /** The operation or command by its name. */
  readonly operation: string
  /** Known once the credentials were looked at. */
  person?: { readonly id: number; readonly name: string }
  /** What they proved it by, as `token 12`. Never the secret. */
  credential?: string
}

const current = new AsyncLocalStorage<Asking>()

/** Does work that somebody asked for; what is written to the audit log meanwhile names them. */
export const whileAsked = <Result>(asking: Asking, work: () => Result): Result => current.run(asking, work)

/** Who asked for what is done now; undefined in jobs and tasks. */
export const asking = (): Asking | undefined => current.getStore()
