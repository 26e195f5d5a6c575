import { timingSafeEqual } from 'node:crypto'
import type { CredentialReader } from '../../auth/credentials.ts'
import type { ActionRunnerRow } from '../../db/tables/action-runners.ts'
import { Unauthenticated } from '../../lib/errors.ts'
import { hashToken } from '../../secrets/tokens.ts'
import { findRunnerByUuid } from './runner.store.ts'

/** A runner that sends a request. It has no account. */
export class RunnerPrincipal {
  constructor(readonly runner: ActionRunnerRow) {}
}

/** Runners recognise this message and register again. */
const unregistered = () => new Unauthenticated('unregistered runner', 'runner_unregistered')

const same = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))

/** Accepts the UUID and the token of a runner in their own headers. */
export const runnerTokens: CredentialReader = {
  kind: 'runner',
  async read({ db }, { headers }) {
    const { 'x-runner-uuid': uuid, 'x-runner-token': token } = headers
    if (typeof uuid !== 'string' || typeof token !== 'string') return undefined
    const runner = await findRunnerByUuid(db, uuid)
    if (!runner || !same(runner.token_hash, hashToken(token))) throw unregistered()
    return { viewer: undefined, principal: new RunnerPrincipal(runner) }
  },
}
