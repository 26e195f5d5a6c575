import type { Services } from '../access/context.ts'
import { recordAct } from '../audit/audit.ts'
import { isUniqueViolation, transaction } from '../db/database.ts'
import type { SignInSourceRow } from '../db/tables/sign-in.ts'
import { Conflict, Invalid, NotFound } from '../lib/errors.ts'
import type { SourceId, UserId } from '../lib/ids.ts'
import { nowUnix } from '../lib/time.ts'
import { checkSettings, checkSourceName, defaultSettings, type SettingsOf, type SourceKind } from './source.rules.ts'
import {
  countSources,
  deleteSource,
  findSource,
  hasAccounts,
  insertSource,
  listSources,
  updateSource,
} from './source.store.ts'

/** Purpose of sealed secrets of sources. */
export const sourcePurpose = 'sign-in-source'

/** Largest number of sources, because an unknown name is searched in each directory. */
const maxSources = 50

/** A source with its parsed settings. */
export interface Source<Kind extends SourceKind = SourceKind> {
  readonly id: SourceId
  readonly kind: Kind
  readonly name: string
  readonly isActive: boolean
  readonly settings: SettingsOf[Kind]
  readonly row: SignInSourceRow
}

/** Input for a source; undefined values stay, or take their default. */
export interface SourceInput<Kind extends SourceKind> {
  readonly name?: string | undefined
  readonly isActive?: boolean | undefined
  readonly secret?: string | undefined
  readonly settings?: { readonly [Name in keyof SettingsOf[Kind]]?: SettingsOf[Kind][Name] | undefined }
}

/** Parses a row of a known kind. */
export const sourceOf = <Kind extends SourceKind>(row: SignInSourceRow): Source<Kind> => ({
  id: row.id,
  kind: row.kind as Kind,
  name: row.name,
  isActive: row.is_active,
  // Rows may lack later settings.
  settings: { ...defaultSettings[row.kind], ...(JSON.parse(row.settings) as object) } as SettingsOf[Kind],
  row,
})

/** Returns the secret of a source; empty without one. */
export const secretOf = ({ secrets }: Pick<Services, 'secrets'>, { row }: Source): string =>
  row.sealed === '' ? '' : secrets.open(sourcePurpose, row.sealed)

export const allSources = async ({ db }: Services): Promise<Source[]> =>
  (await listSources(db)).map((row) => sourceOf(row))

/** @throws NotFound */
export async function getSource({ db }: Services, id: number): Promise<Source> {
  const row = await findSource(db, id as SourceId)
  if (!row) throw new NotFound('the sign-in source does not exist', 'source_not_found')
  return sourceOf(row)
}

const given = (settings: object = {}): object =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))

const taken = (error: unknown): unknown =>
  isUniqueViolation(error) ? new Conflict('a sign-in source of this name exists', 'source_name_taken') : error

/** @throws Invalid that names the first wrong field, Conflict for a used name */
export async function addSource<Kind extends SourceKind>(
  services: Services,
  kind: Kind,
  input: SourceInput<Kind>,
  doerId?: UserId,
): Promise<Source> {
  const { name = '', isActive = true, secret = '' } = input
  checkSourceName(name)
  const settings = { ...defaultSettings[kind], ...given(input.settings) }
  checkSettings(kind, settings)
  const now = nowUnix(services.clock)
  try {
    return await transaction(services.db, async (tx) => {
      if ((await countSources(tx)) >= maxSources) {
        throw new Invalid(`an instance has at most ${maxSources} sign-in sources`, 'source_too_many')
      }
      const row = await insertSource(tx, {
        kind,
        name,
        is_active: isActive,
        settings: JSON.stringify(settings),
        sealed: secret === '' ? '' : services.secrets.seal(sourcePurpose, secret),
        created_unix: now,
        updated_unix: now,
      })
      await recordAct(tx, { action: 'source.added', doerId, about: { kind: 'sign-in source', id: row.id, name } })
      return sourceOf(row)
    })
  } catch (error) {
    throw taken(error)
  }
}

/** @throws Invalid and Conflict as for a new source, NotFound */
export async function editSource<Kind extends SourceKind>(
  services: Services,
  source: Source<Kind>,
  input: SourceInput<Kind>,
  doerId?: UserId,
): Promise<Source> {
  const name = input.name ?? source.name
  checkSourceName(name)
  const settings = { ...source.settings, ...given(input.settings) }
  checkSettings(source.kind, settings)
  const { secret } = input
  try {
    return await transaction(services.db, async (tx) => {
      const row = await updateSource(tx, source.id, {
        name,
        is_active: input.isActive ?? source.isActive,
        settings: JSON.stringify(settings),
        ...(secret === undefined ? {} : { sealed: secret === '' ? '' : services.secrets.seal(sourcePurpose, secret) }),
        updated_unix: nowUnix(services.clock),
      })
      if (!row) throw new NotFound('the sign-in source does not exist', 'source_not_found')
      const about = { kind: 'sign-in source', id: row.id, name } as const
      await recordAct(tx, {
        action: 'source.edited',
        doerId,
        about,
        details: { active: row.is_active, secretChanged: secret !== undefined },
      })
      return sourceOf(row)
    })
  } catch (error) {
    throw taken(error)
  }
}

/** Removes a source and its links. Throws `Conflict` while accounts belong to it. */
export async function removeSource({ db }: Services, source: Source, doerId?: UserId): Promise<void> {
  await transaction(db, async (tx) => {
    if (await hasAccounts(tx, source.id)) {
      throw new Conflict('the source has accounts: move them to another source, or deactivate it', 'source_in_use')
    }
    if ((await deleteSource(tx, source.id)).numDeletedRows === 0n) {
      throw new NotFound('the sign-in source does not exist', 'source_not_found')
    }
    const about = { kind: 'sign-in source', id: source.id, name: source.name } as const
    await recordAct(tx, { action: 'source.removed', doerId, about })
  })
}

/** Returns a valid source id; 0 is the instance itself. @throws Invalid for an unknown one */
export async function mustBeSource({ db }: Services, id: number | undefined): Promise<number> {
  if (!id) return 0
  if (!(await findSource(db, id as SourceId))) {
    throw new Invalid(`the sign-in source ${id} does not exist`, 'source_not_found')
  }
  return id
}
