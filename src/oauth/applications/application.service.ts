import { randomUUID } from 'node:crypto'
import type { Services } from '../../access/context.ts'
import { recordAct } from '../../audit/audit.ts'
import { transaction } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { OAuthApplicationRow } from '../../db/tables/oauth.ts'
import { publish } from '../../events/hub.ts'
import { NotFound } from '../../lib/errors.ts'
import type { OAuthApplicationId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { hashToken, newPrefixedToken } from '../../secrets/tokens.ts'
import {
  countApplications,
  deleteApplication,
  deleteBuiltIn,
  findApplication,
  findApplicationByClientId,
  insertApplication,
  listApplications,
  updateApplication,
  upsertBuiltIn,
} from './application.store.ts'
import { builtInApplications } from './built-in.rules.ts'
import { checkRedirectUri } from './redirect.rules.ts'

export interface ApplicationInput {
  readonly name: string
  readonly isConfidential: boolean
  readonly redirectUris: readonly string[]
}

/** An application and its secret, of which only the hash is stored. */
export interface ApplicationWithSecret {
  readonly application: OAuthApplicationRow
  readonly secret: string
}

const noApplication = () => new NotFound('the application does not exist', 'oauth_application_not_found')

const columnsOf = ({ name, isConfidential, redirectUris }: ApplicationInput) => {
  for (const uri of redirectUris) checkRedirectUri(uri)
  return { name, is_confidential: isConfidential, redirect_uris: JSON.stringify(redirectUris) }
}

/** Returns one page of an account's applications, the newest first, and their number. */
export async function pageOfApplications(
  { db }: Services,
  owner: UserRow,
  page: Page,
): Promise<{ readonly applications: readonly OAuthApplicationRow[]; readonly total: number }> {
  const [applications, total] = await rowsAndTotal(
    page,
    listApplications(db, owner.id, page),
    countApplications(db, owner.id),
  )
  return { applications, total }
}

/** Returns an application of the account. Throws `NotFound`. */
export async function getApplication({ db }: Services, owner: UserRow, id: number): Promise<OAuthApplicationRow> {
  const application = await findApplication(db, owner.id, id as OAuthApplicationId)
  if (!application) throw noApplication()
  return application
}

const actOn = ({ id, name }: OAuthApplicationRow) => ({ about: { kind: 'application', id, name } }) as const

/** Creates an application. Throws `Invalid` for a bad redirect address. */
export async function createApplication(
  { db, clock }: Services,
  owner: UserRow,
  input: ApplicationInput,
): Promise<ApplicationWithSecret> {
  const columns = columnsOf(input)
  const secret = newPrefixedToken('gto_')
  const now = nowUnix(clock)
  const application = await transaction(db, async (tx) => {
    const made = await insertApplication(tx, {
      ...columns,
      user_id: owner.id,
      client_id: randomUUID(),
      secret_hash: hashToken(secret),
      created_unix: now,
      updated_unix: now,
    })
    await recordAct(tx, { ...actOn(made), action: 'application.created', doerId: owner.id })
    await publish(tx, 'credential.changed', { userId: owner.id, what: 'application', name: made.name })
    return made
  })
  return { application, secret }
}

/**
 * Replaces all properties of an application and its secret. Grants stay.
 * @param input.keepsSecret keeps the secret; the returned one is empty
 */
export async function editApplication(
  { db, clock }: Services,
  owner: UserRow,
  id: number,
  input: ApplicationInput & { readonly keepsSecret?: boolean },
): Promise<ApplicationWithSecret> {
  const columns = columnsOf(input)
  const secret = input.keepsSecret ? '' : newPrefixedToken('gto_')
  const change = {
    ...columns,
    ...(secret === '' ? {} : { secret_hash: hashToken(secret) }),
    updated_unix: nowUnix(clock),
  }
  const application = await transaction(db, async (tx) => {
    const changed = await updateApplication(tx, owner.id, id as OAuthApplicationId, change)
    if (!changed) throw noApplication()
    await recordAct(tx, { ...actOn(changed), action: 'application.changed', doerId: owner.id })
    await publish(tx, 'credential.changed', { userId: owner.id, what: 'application', name: changed.name })
    return changed
  })
  return { application, secret }
}

/** Deletes an application with its tokens. */
export async function removeApplication({ db }: Services, owner: UserRow, id: number): Promise<void> {
  await transaction(db, async (tx) => {
    if (!(await deleteApplication(tx, owner.id, id as OAuthApplicationId))) throw noApplication()
    await recordAct(tx, { action: 'application.deleted', doerId: owner.id, about: { kind: 'application', id } })
  })
}

export const findClient = ({ db }: Pick<Services, 'db'>, clientId: string): Promise<OAuthApplicationRow | undefined> =>
  findApplicationByClientId(db, clientId)

export const redirectUrisOf = (application: OAuthApplicationRow): readonly string[] =>
  JSON.parse(application.redirect_uris) as string[]

/** Creates the applications of `[oauth2].DEFAULT_APPLICATIONS`, and deletes the other built-in ones. */
export async function provideBuiltIns({ config, db, clock }: Services): Promise<void> {
  const { enabled, defaultApplications } = config.oauth2
  const wanted = builtInApplications.filter(({ key }) => enabled && defaultApplications.includes(key))
  const unwanted = builtInApplications.filter((each) => !wanted.includes(each)).map(({ clientId }) => clientId)
  const now = nowUnix(clock)
  await transaction(db, async (tx) => {
    if (unwanted.length > 0) await deleteBuiltIn(tx, unwanted)
    for (const { name, clientId, redirectUris } of wanted) {
      await upsertBuiltIn(tx, {
        user_id: null,
        name,
        client_id: clientId,
        // Public clients have no secret: no text has this hash.
        secret_hash: '',
        is_confidential: false,
        redirect_uris: JSON.stringify(redirectUris),
        created_unix: now,
        updated_unix: now,
      })
    }
  })
}
