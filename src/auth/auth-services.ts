import type { Config } from '../config/load-config.ts'
import type { Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { SessionId, TokenId } from '../lib/ids.ts'
import type { Clock } from '../lib/time.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { PasswordChecks } from './password-check.ts'
import type { SignInAttempts } from './sign-in-attempts.ts'
import type { NotedUse } from './noted-use.ts'

/** What finding out who somebody is needs of the running application. */
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
   * Asks another place for the password of somebody, where there is one that has a say in it; `known` is the account of the
   * name or address that was typed.
   */
  readonly askElsewhere: (
    known: UserRow | undefined,
    login: string,
    password: string,
  ) => Promise<UserRow | 'refused' | 'elsewhere'>
  /** The account of whom a reverse proxy that is believed names; undefined when there is none. */
  readonly accountOfProxy: (said: {
    readonly name: string | undefined
    readonly email: string | undefined
    readonly fullName: string
  }) => Promise<UserRow | undefined>
}
