import type { Config } from '../config/load-config.ts'
import type { Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { SessionId, TokenId } from '../lib/ids.ts'
import type { Clock } from '../lib/time.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { PasswordChecks } from './password-check.ts'
import type { SignInAttempts } from './sign-in-attempts.ts'
import type { NotedUse } from './noted-use.ts'

/** Services that identification needs. */
export interface AuthServices {
  readonly config: Config
  readonly db: Db
  readonly clock: Clock
  readonly secrets: Secrets
  readonly tokenUse: NotedUse<TokenId>
  readonly sessionUse: NotedUse<SessionId>
  readonly passwordChecks: PasswordChecks
  readonly signInAttempts: SignInAttempts
  /**
   * Checks the password with the account's sign-in source. `known` is the account with the given name or address, if
   * any.
   */
  readonly askSources: (
    known: UserRow | undefined,
    login: string,
    password: string,
  ) => Promise<UserRow | 'refused' | 'elsewhere'>
  /** Returns the account that a trusted reverse proxy names, or undefined. */
  readonly accountOfProxy: (headers: {
    readonly name: string | undefined
    readonly email: string | undefined
    readonly fullName: string
  }) => Promise<UserRow | undefined>
}
