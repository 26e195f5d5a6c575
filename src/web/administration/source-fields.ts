import { Invalid } from '../../lib/errors.ts'
import { defaultSettings, type SettingsOf, type SourceKind, type TeamMap } from '../../sources/source.rules.ts'
import { texts as all } from './texts.tsx'

const texts = all.sources

/** How a setting is written in a form. */
export type FieldKind = 'text' | 'address' | 'words' | 'number' | 'flag' | 'security' | 'map'

type GroupOf<Kind extends SourceKind> = {
  readonly title: string
  readonly fields: readonly { readonly name: keyof SettingsOf[Kind] & string; readonly kind: FieldKind }[]
}

/** One group of settings in a form. */
export interface FieldGroup {
  readonly title: string
  readonly fields: readonly { readonly name: string; readonly kind: FieldKind }[]
}

const teams = [
  { name: 'team_map', kind: 'map' },
  { name: 'team_map_removes', kind: 'flag' },
] as const

const openid: readonly GroupOf<'openid'>[] = [
  {
    title: texts.groups.provider,
    fields: [
      { name: 'discovery_url', kind: 'address' },
      { name: 'client_id', kind: 'text' },
      { name: 'scopes', kind: 'words' },
      { name: 'skip_second_factor', kind: 'flag' },
    ],
  },
  {
    title: texts.groups.who,
    fields: [
      { name: 'required_claim_name', kind: 'text' },
      { name: 'required_claim_value', kind: 'text' },
      { name: 'group_claim_name', kind: 'text' },
      { name: 'admin_group', kind: 'text' },
      { name: 'restricted_group', kind: 'text' },
    ],
  },
  { title: texts.groups.teams, fields: teams },
]

const ldap: readonly GroupOf<'ldap'>[] = [
  {
    title: texts.groups.directory,
    fields: [
      { name: 'host', kind: 'text' },
      { name: 'port', kind: 'number' },
      { name: 'security', kind: 'security' },
      { name: 'skip_tls_verify', kind: 'flag' },
      { name: 'bind_dn', kind: 'text' },
    ],
  },
  {
    title: texts.groups.who,
    fields: [
      { name: 'user_base', kind: 'text' },
      { name: 'user_filter', kind: 'text' },
      { name: 'user_dn', kind: 'text' },
      { name: 'admin_filter', kind: 'text' },
      { name: 'restricted_filter', kind: 'text' },
    ],
  },
  {
    title: texts.groups.attributes,
    fields: [
      { name: 'username_attribute', kind: 'text' },
      { name: 'first_name_attribute', kind: 'text' },
      { name: 'surname_attribute', kind: 'text' },
      { name: 'email_attribute', kind: 'text' },
    ],
  },
  {
    title: texts.groups.sync,
    fields: [
      { name: 'synchronise', kind: 'flag' },
      { name: 'allow_deactivate_all', kind: 'flag' },
      { name: 'page_size', kind: 'number' },
    ],
  },
  {
    title: texts.groups.teams,
    fields: [
      { name: 'group_base', kind: 'text' },
      { name: 'group_filter', kind: 'text' },
      { name: 'group_member_attribute', kind: 'text' },
      { name: 'user_attribute_in_group', kind: 'text' },
      ...teams,
    ],
  },
]

/** The settings of each kind of source, as forms show them. */
export const fieldsOf: Readonly<Record<SourceKind, readonly FieldGroup[]>> = { openid, ldap }

/** Returns the names of the settings of both kinds. */
export const settingNames: readonly string[] = [
  ...new Set([...Object.keys(defaultSettings.openid), ...Object.keys(defaultSettings.ldap)]),
]

/** Returns the text by which a form shows a setting. */
export function fieldText(value: unknown): string {
  if (Array.isArray(value)) return value.join(' ')
  if (typeof value === 'object' && value !== null) {
    return Object.keys(value).length === 0 ? '' : JSON.stringify(value, undefined, 2)
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Reads the settings of a form. Throws `Invalid` that names the field. */
export const settingsFrom = <Kind extends SourceKind>(
  kind: Kind,
  body: Readonly<Record<string, string | undefined>>,
): Partial<SettingsOf[Kind]> =>
  Object.fromEntries(
    fieldsOf[kind].flatMap(({ fields }) => fields.map((field) => [field.name, valueOf(field, body[field.name] ?? '')])),
  ) as Partial<SettingsOf[Kind]>

function valueOf({ name, kind }: FieldGroup['fields'][number], typed: string): unknown {
  const text = typed.trim()
  switch (kind) {
    case 'flag':
      return text !== ''
    case 'number':
      return numberOf(name, text)
    case 'words':
      return text.split(/\s+/).filter((word) => word !== '')
    case 'map':
      return mapOf(name, text)
    case 'text':
    case 'address':
    case 'security':
      return text
  }
}

function numberOf(name: string, text: string): number {
  const number = Number(text === '' ? '0' : text)
  if (!Number.isSafeInteger(number)) throw new Invalid(texts.noNumber, 'source_invalid', { field: name })
  return number
}

/** Reads a map of groups to organizations and teams, which is written in JSON. */
function mapOf(name: string, text: string): TeamMap {
  if (text === '') return {}
  let map: unknown
  try {
    map = JSON.parse(text)
  } catch {
    map = undefined
  }
  if (!isMap(map)) throw new Invalid(texts.noMap, 'source_invalid', { field: name })
  return map
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isMap = (value: unknown): value is TeamMap =>
  isObject(value) &&
  Object.entries(value).every(
    ([group, orgs]) =>
      group.length <= 500 &&
      isObject(orgs) &&
      Object.entries(orgs).every(
        ([org, names]) =>
          org.length <= 40 &&
          Array.isArray(names) &&
          names.every((each) => typeof each === 'string' && each.length <= 255),
      ),
  )
