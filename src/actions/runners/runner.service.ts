import { randomInt, randomUUID } from 'node:crypto'
import type { Ctx, Services } from '../../access/context.ts'
import { publishCredentialChange } from '../../access/credential-change.ts'
import { recordAct } from '../../audit/audit.ts'
import { transaction } from '../../db/database.ts'
import type { ActionRunnerRow } from '../../db/tables/action-runners.ts'
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

/** The purpose for which registration tokens are sealed. */
export const registrationPurpose = 'action-registration'

/** Lengths are in characters. */
const maxNameLength = 1024
const maxVersionLength = 255
const maxLabels = 100
const maxLabelLength = 255

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Returns 40 random letters and digits, uniformly distributed. */
const newRegistrationToken = (): string => Array.from({ length: 40 }, () => digits[randomInt(digits.length)]).join('')

/** Returns a new registration token and its row. */
export function makeRegistrationToken({ secrets, clock }: Services, isActive = true) {
  const token = newRegistrationToken()
  const sealed = secrets.seal(registrationPurpose, token)
  return { token, row: { hash: hashToken(token), sealed, createdUnix: nowUnix(clock), isActive } }
}

/** Returns the registration token of a scope, which stays the same until it is revoked. Throws `Forbidden` when disabled. */
export async function getRegistrationToken(services: Services, scope: QueueScope): Promise<string> {
  const known = await findRegistration(services.db, scope)
  if (known && !known.is_active) {
    throw new Forbidden('the registration of runners is disabled', 'runner_registration_disabled')
  }
  if (known) return services.secrets.open(registrationPurpose, known.sealed)
  const { token, row } = makeRegistrationToken(services)
  const made = await transaction(services.db, async (tx) => {
    const isMade = await insertRegistrationToken(tx, scope, row)
    const about = { kind: 'runner', id: null } as const
    if (isMade) await recordAct(tx, { action: 'runnerToken.made', about, details: scopeDetails(scope) })
    return isMade
  })
  // A concurrent request created it.
  return made ? token : getRegistrationToken(services, scope)
}

/** Returns the registration token of a scope to the viewer, and mails the viewer that it was shown. */
export async function showRegistrationToken(ctx: Ctx, scope: QueueScope, name: string): Promise<string> {
  const token = await getRegistrationToken(ctx, scope)
  await transaction(ctx.db, async (tx) => {
    const about = { kind: 'runner', id: null, name } as const
    await recordAct(tx, { action: 'runnerToken.shown', about, details: scopeDetails(scope) })
    await publishCredentialChange(tx, ctx, 'runnerToken', name)
  })
  return token
}

/** Returns the owner of a scope for the audit log; empty for the instance. */
export const scopeDetails = ({ ownerId, repoId }: QueueScope): Readonly<Record<string, number>> => ({
  ...(ownerId === null ? {} : { account: ownerId }),
  ...(repoId === null ? {} : { repository: repoId }),
})

/** The properties that a runner reports. */
export interface RunnerProperties {
  readonly name: string
  readonly version: string
  readonly labels: readonly string[]
  readonly isEphemeral?: boolean
}

function checkProperties({ name, version, labels }: RunnerProperties): void {
  const isValid =
    name.length <= maxNameLength &&
    version.length <= maxVersionLength &&
    labels.length <= maxLabels &&
    labels.every((label) => label.length <= maxLabelLength)
  if (!isValid) {
    throw new Invalid(
      `a runner has a name of at most ${maxNameLength} characters, a version of at most ${maxVersionLength}, and at most ${maxLabels} labels of ${maxLabelLength} characters`,
      'runner_facts_too_long',
    )
  }
}

/**
 * Registers a runner for the scope of a registration token, which stays valid. Throws `BadRequest` for a missing name and
 * an unknown token.
 * @returns the runner's row and its token, of which only the hash is stored
 */
export async function registerRunner(
  services: Services,
  registrationToken: string,
  properties: RunnerProperties,
): Promise<{ readonly runner: ActionRunnerRow; readonly token: string }> {
  if (properties.name === '') throw new BadRequest('the name of the runner is missing', 'runner_name_missing')
  if (registrationToken === '') throw new BadRequest('the registration token is missing', 'runner_token_missing')
  checkProperties(properties)
  const token = newToken()
  return transaction(services.db, async (tx) => {
    const registration = await findTokenByHash(tx, hashToken(registrationToken))
    if (!registration) {
      throw new BadRequest('the registration token is unknown; request a new one', 'runner_token_unknown')
    }
    const runner = await insertRunner(tx, {
      uuid: randomUUID(),
      name: properties.name,
      version: properties.version,
      owner_id: registration.owner_id,
      repo_id: registration.repo_id,
      token_hash: hashToken(token),
      labels: JSON.stringify(properties.labels),
      is_ephemeral: properties.isEphemeral ?? false,
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

/** Updates the version and the labels of a runner. */
export async function declareRunner(
  services: Services,
  runner: ActionRunnerRow,
  { version, labels }: Pick<RunnerProperties, 'version' | 'labels'>,
): Promise<ActionRunnerRow> {
  checkProperties({ name: runner.name, version, labels })
  const declared = await transaction(services.db, (tx) =>
    updateRunner(tx, runner.id, { version, labels: JSON.stringify(labels) }),
  )
  return declared ?? runner
}

/**
 * The ages after which the times of contact are written again, in milliseconds. A runner counts as online for a minute and as
 * active for ten seconds.
 */
const onlineEveryMs = 30_000
const activeEveryMs = 10_000

/** Records the contact of a runner, at most every few seconds. The write may be lost in a power failure: the next call repeats it. */
export async function recordRunnerContact(
  services: Services,
  runner: ActionRunnerRow,
  isActive: boolean,
): Promise<void> {
  const now = services.clock.nowMs()
  const isFresh = now - runner.online_ms < onlineEveryMs && (!isActive || now - runner.active_ms < activeEveryMs)
  if (isFresh) return
  await transaction(
    services.db,
    (tx) => updateRunner(tx, runner.id, { online_ms: now, ...(isActive ? { active_ms: now } : {}) }),
    { lasting: false },
  )
}
