import { recordAct } from '../../audit/audit.ts'
import type { Tx } from '../../db/database.ts'
import type { UserId } from '../../lib/ids.ts'
import {
  countRunners,
  countRunnersBelow,
  deleteAllRegistrationTokens,
  deleteRegistrationTokensBelow,
  deleteRegistrationTokensReadableBy,
} from './runner.store.ts'

/**
 * Revokes registration tokens when a person who may know them loses the right to read them. The next request for a token
 * creates another. Registered runners stay, because a runner does not record the person who registered it. The audit log
 * reports their number, so that an owner can list and delete them.
 */

/** Revokes all registration tokens: an administrator can read each of them. */
export async function endAllTokens(tx: Tx): Promise<void> {
  await report(tx, await deleteAllRegistrationTokens(tx), await countRunners(tx))
}

/** Revokes the registration tokens of an organization and of its repositories. */
export async function endTokensBelow(tx: Tx, orgId: UserId): Promise<void> {
  await report(tx, await deleteRegistrationTokensBelow(tx, orgId), await countRunnersBelow(tx, orgId), orgId)
}

/** Revokes the registration tokens of other owners that a person can read, before the account is deleted or barred. */
export async function endTokensReadableBy(tx: Tx, userId: UserId): Promise<void> {
  const ended = await deleteRegistrationTokensReadableBy(tx, userId)
  if (ended > 0) await report(tx, ended, await countRunners(tx))
}

async function report(tx: Tx, tokens: number, runners: number, orgId?: UserId): Promise<void> {
  if (tokens === 0 && runners === 0) return
  const details = { tokens, runners, ...(orgId === undefined ? {} : { account: orgId }) }
  await recordAct(tx, { action: 'runnerToken.ended', about: { kind: 'runner', id: null }, details })
}
