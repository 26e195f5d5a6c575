import { randomInt, randomUUID } from 'node:crypto'
import type { Ctx, Services } from '../../access/context.ts'
import { tellCredentialChange } from '../../access/credential-change.ts'
import { recordAct } from '../../audit/audit.ts'
import { transaction } from '../../db/database.ts'
import type { ActionRunnerRow } from '../../db/tables/actions.ts'
import { BadRequest, Forbidden, Invalid } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { hashToken, newToken } from '../../secrets/tokens.ts'
import type { QueueScope } from '../queue-scope.ts'
import {
  findRegistration,
  findTokenByHash,
  insertRegistrationToken,
  insertRunner,
  updateRunner,
} from './runner.store.ts'

/** What registration tokens are sealed for. */
export const registrationPurpose = 'action-registration'

/** Longest name and version of a runner, and most labels and their longest, in characters. */
const maxNameLength = 1024
const maxVersionLength = 255
const maxLabels = 100
const maxLabelLength = 255

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Forty letters and digits, each as likely as the others. */
const newRegistrationToken = (): string => Array.from({ length: 40 }, () => digits[randomInt(digits.length)]).join('')

/** A new registration token, and its row. */
export function makeRegistrationToken({ secrets, clock }: Services, isActive = true) {
  const token = newRegistrationToken()
  const sealed = secrets.seal(registrationPurpose, token)
  return { token, row: { hash: hashToken(token), sealed, createdUnix: nowUnix(clock), isActive } }
}

/**
 * The token that registers a runner of this scope: the same until somebody ends it. `Forbidden` where the registration is
 * disabled.
 */
export async function getRegistrationToken(services: Services, scope: QueueScope): Promise<string> {
  const known = await findRegistration(services.db, scope)
  if (known && !known.is_active) {
    throw new Forbidden('the registration of runners is disabled here', 'runner_registration_disabled')
  }
  if (known) return services.secrets.open(registrationPurpose, known.sealed)
  const { token, row } = makeRegistrationToken(services)
  const made = await transaction(services.db, async (tx) => {
    const isMade = await insertRegistrationToken(tx, scope, row)
    const about = { kind: 'runner', id: null } as const
    if (isMade) await recordAct(tx, { action: 'runnerToken.made', about, details: scopeDetails(scope) })
    return isMade
  })
  // Somebody else asked for it in this moment.
  return made ? token : getRegistrationToken(services, scope)
}

/** Returns the registration token of a scope for somebody who asks, and tells them by mail that it was shown. */
export async function showRegistrationToken(ctx: Ctx, scope: QueueScope, name: string): Promise<string> {
  const token = await getRegistrationToken(ctx, scope)
  await transaction(ctx.db, async (tx) => {
    const about = { kind: 'runner', id: null, name } as const
    await recordAct(tx, { action: 'runnerToken.shown', about, details: scopeDetails(scope) })
    await tellCredentialChange(tx, ctx, 'runnerToken', name)
  })
  return token
}

/** Whose runners they are, for the audit log; nothing for those of the instance. */
export const scopeDetails = ({ ownerId, repoId }: QueueScope): Readonly<Record<string, number>> => ({
  ...(ownerId === null ? {} : { account: ownerId }),
  ...(repoId === null ? {} : { repository: repoId }),
})

/** What a runner says of itself. */
export interface RunnerFacts {
  readonly name: string
  readonly version: string
  readonly labels: readonly string[]
  readonly isEphemeral?: boolean
}

function checkFacts({ name, version, labels }: RunnerFacts): void {
  const isFit =
    name.length <= maxNameLength &&
    version.length <= maxVersionLength &&
    labels.length <= maxLabels &&
    labels.every((label) => label.length <= maxLabelLength)
  if (!isFit) throw new Invalid('a runner has a short name and a hundred labels at most', 'runner_facts_too_long')
}

/**
 * Registers a runner for the scope of a registration token, which stays good. A missing name and an unknown token are
 * `BadRequest`.
 * @returns its row, and the token that it works with, which is kept as a hash
 */
export async function registerRunner(
  services: Services,
  registrationToken: string,
  facts: RunnerFacts,
): Promise<{ readonly runner: ActionRunnerRow; readonly token: string }> {
  if (facts.name === '') throw new BadRequest('a runner has a name', 'runner_name_missing')
  if (registrationToken === '') throw new BadRequest('a runner shows a registration token', 'runner_token_missing')
  checkFacts(facts)
  const token = newToken()
  return transaction(services.db, async (tx) => {
    const registration = await findTokenByHash(tx, hashToken(registrationToken))
    if (!registration) throw new BadRequest('the registration token is not known', 'runner_token_unknown')
    const runner = await insertRunner(tx, {
      uuid: randomUUID(),
      name: facts.name,
      version: facts.version,
      owner_id: registration.owner_id,
      repo_id: registration.repo_id,
      token_hash: hashToken(token),
      labels: JSON.stringify(facts.labels),
      is_ephemeral: facts.isEphemeral ?? false,
      online_ms: services.clock.nowMs(),
      active_ms: 0,
      created_unix: nowUnix(services.clock),
    })
    const { owner_id: ownerId, repo_id: repoId } = runner
    await recordAct(tx, {
      action: 'runner.registered',
      about: { kind: 'runner', id: runner.id, name: runner.name },
      details: scopeDetails({ ownerId, repoId }),
    })
    return { runner, token }
  })
}

/** A runner tells its version and its labels anew. */
export async function declareRunner(
  services: Services,
  runner: ActionRunnerRow,
  { version, labels }: Pick<RunnerFacts, 'version' | 'labels'>,
): Promise<ActionRunnerRow> {
  checkFacts({ name: runner.name, version, labels })
  const declared = await transaction(services.db, (tx) =>
    updateRunner(tx, runner.id, { version, labels: JSON.stringify(labels) }),
  )
  return declared ?? runner
}

/**
 * How old what is known of a runner may become before it is written down again, in milliseconds: it counts as there for a
 * minute, and as working for ten seconds.
 */
const onlineEveryMs = 30_000
const activeEveryMs = 10_000

/** Notes that a runner is there, now and then: it asks every few seconds, and says so again after a cut of power. */
export async function noteRunner(services: Services, runner: ActionRunnerRow, isActive: boolean): Promise<void> {
  const now = services.clock.nowMs()
  const isFresh = now - runner.online_ms < onlineEveryMs && (!isActive || now - runner.active_ms < activeEveryMs)
  if (isFresh) return
  await transaction(
    services.db,
    (tx) => updateRunner(tx, runner.id, { online_ms: now, ...(isActive ? { active_ms: now } : {}) }),
    { lasting: false },
  )
}
