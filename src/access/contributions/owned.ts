import type { Tx } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { Invalid } from '../../lib/errors.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Services } from '../context.ts'

/**
 * What a feature keeps for accounts (people and organizations) or repositories, beside rows that go with theirs by a
 * foreign key. A transfer or another name needs nothing here: `repo.transferred` and `repo.renamed` are heard in their
 * transaction, when what was before is still known.
 */
export type Owned = OwnedByAccount | OwnedByRepo

export interface OwnedByAccount {
  readonly of: 'account'
  /** Throws when the account cannot go while it has this; see `stillOwns`. */
  readonly refuse?: (tx: Tx, account: UserRow) => Promise<void>
  /** Deletes it all, in transactions of its own, when somebody wants the account gone whatever it has. */
  readonly purge?: (services: Services, account: UserRow, doerId: UserId) => Promise<void>
  /** What ends in the transaction that deletes the account. */
  readonly leave?: (tx: Tx, account: UserRow) => Promise<void>
}

export interface OwnedByRepo {
  readonly of: 'repository'
  /** What ends in the transaction that deletes the repository, while its rows are still there. */
  readonly leave: (tx: Tx, repo: RepoRow) => Promise<void>
}

/** An account that has something of its own stays. */
export const stillOwns = ({ kind }: Pick<UserRow, 'kind'>): Invalid =>
  kind === 'organization'
    ? new Invalid('the organization still owns repositories or packages', 'org_not_empty')
    : new Invalid('the account still owns repositories or packages', 'account_not_empty')
