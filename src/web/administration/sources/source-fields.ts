import { Invalid } from '../../../lib/errors.ts'
import { defaultSettings, type SettingsOf, type SourceKind, type TeamMap } from '../../../sources/source.rules.ts'
import { administrationTexts } from '../../languages/texts.ts'

const texts = administrationTexts.sources

/** How a setting is written in a form. `secret` is no setting: it is stored apart from them. */
export type FieldKind = 'text' | 'address' | 'words' | 'number' | 'flag' | 'security' | 'map' | 'secret'

/** One setting of a form. */
export interface SettingField<Name extends string = string> {
  readonly name: Name
  readonly kind: FieldKind
  /** It takes the whole width of a form with two columns. */
  readonly isWhole?: true
  readonly isRequired?: boolean
}

/** One group of settings in a form. */
export interface FieldGroup<Name extends string = string> {
  readonly group: keyof typeof texts.groups
  readonly fields: readonly SettingField<Name>[]
}

type GroupOf<Kind extends SourceKind> = FieldGroup<(keyof SettingsOf[Kind] & string) | 'secret'>

const teams = [
  { name: 'team_map', kind: 'map', isWhole: true },
  { name: 'team_map_removes', kind: 'flag', isWhole: true },
] as const

const openid: readonly GroupOf<'openid'>[] = [
  {
    group: 'provider',
    fields: [
      { name: 'discovery_url', kind: 'address', isWhole: true, isRequired: true },
      { name: 'client_id', kind: 'text', isRequired: true },
      { name: 'secret', kind: 'secret' },
      { name: 'scopes', kind: 'words', isWhole: true },
      { name: 'skip_second_factor', kind: 'flag', isWhole: true },
    ],
  },
  {
    group: 'claim',
    fields: [
      { name: 'required_claim_name', kind: 'text' },
      { name: 'required_claim_value', kind: 'text' },
    ],
  },
  {
    group: 'teams',
    fields: [
      { name: 'group_claim_name', kind: 'text', isWhole: true },
      { name: 'admin_group', kind: 'text' },
      { name: 'restricted_group', kind: 'text' },
      ...teams,
    ],
  },
]

const ldap: readonly GroupOf<'ldap'>[] = [
  {
    group: 'directory',
    fields: [
      { name: 'host', kind: 'text', isWhole: true, isRequired: true },
      { name: 'security', kind: 'security' },
      { name: 'port', kind: 'number' },
      { name: 'skip_tls_verify', kind: 'flag', isWhole: true },
      { name: 'bind_dn', kind: 'text' },
      { name: 'secret', kind: 'secret' },
    ],
  },
  {
    group: 'who',
    fields: [
      { name: 'user_base', kind: 'text' },
      { name: 'user_filter', kind: 'text' },
      { name: 'user_dn', kind: 'text', isWhole: true },
      { name: 'admin_filter', kind: 'text' },
      { name: 'restricted_filter', kind: 'text' },
    ],
  },
  {
    group: 'attributes',
    fields: [
      { name: 'username_attribute', kind: 'text' },
      { name: 'email_attribute', kind: 'text', isRequired: true },
      { name: 'first_name_attribute', kind: 'text' },
      { name: 'surname_attribute', kind: 'text' },
    ],
  },
  {
    group: 'sync',
    fields: [
      { name: 'synchronise', kind: 'flag', isWhole: true },
      { name: 'allow_deactivate_all', kind: 'flag', isWhole: true },
      { name: 'page_size', kind: 'number' },
    ],
  },
  {
    group: 'teams',
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
    fieldsOf[kind]
      .flatMap(({ fields }) => fields)
      .filter((field) => field.kind !== 'secret')
      .map((field) => [field.name, valueOf(field, body[field.name] ?? '')]),
  ) as Partial<SettingsOf[Kind]>

function valueOf({ name, kind }: SettingField, typed: string): unknown {
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
    case 'secret':
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
