import type { Tx } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { Invalid } from '../../lib/errors.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Services } from '../context.ts'

/**
 * What a feature owns for accounts or repositories, beside rows that a foreign key deletes. Transfers and renames
 * need nothing here: subscribers hear `repo.transferred` and `repo.renamed` in the transaction.
 */
export type Owned = OwnedByAccount | OwnedByRepo

export interface OwnedByAccount {
  readonly of: 'account'
  /** Throws when the account still owns something that prevents its deletion; see `stillOwns`. */
  readonly refuse?: (tx: Tx, account: UserRow) => Promise<void>
  /** Deletes everything, in transactions of its own, when the account is purged. */
  readonly purge?: (services: Services, account: UserRow, doerId: UserId) => Promise<void>
  /** Runs in the transaction that deletes the account. */
  readonly leave?: (tx: Tx, account: UserRow) => Promise<void>
}

export interface OwnedByRepo {
  readonly of: 'repository'
  /** Runs in the transaction that deletes the repository, before its rows are deleted. */
  readonly leave: (tx: Tx, repo: RepoRow) => Promise<void>
}

/** The error for an account that still owns something. */
export const stillOwns = ({ kind }: Pick<UserRow, 'kind'>): Invalid =>
  kind === 'organization'
    ? new Invalid('the organization still owns repositories or packages', 'org_not_empty')
    : new Invalid('the account still owns repositories or packages', 'account_not_empty')
