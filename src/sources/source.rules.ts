import { Invalid } from '../lib/errors.ts'

/** Which groups of a source put people on which teams: names of groups, of organizations, of teams. */
export type TeamMap = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/** What both kinds of sources say of groups. */
export interface GroupSettings {
  readonly team_map: TeamMap
  /** Whether people leave a team of the map when no group puts them there any more. */
  readonly team_map_removes: boolean
}

/** A provider of OpenID Connect. The names are those that the API shows and the row keeps. */
export interface OpenIdSettings extends GroupSettings {
  /** The address of the provider's description, or the issuer, below which it lies. */
  readonly discovery_url: string
  readonly client_id: string
  /** Asked for besides `openid`, with those of `[oauth2_client].OPENID_CONNECT_SCOPES`. */
  readonly scopes: readonly string[]
  /** A claim without which nobody is let in, and the value that it has or that is one of it; empty: whichever. */
  readonly required_claim_name: string
  readonly required_claim_value: string
  readonly group_claim_name: string
  /** Who is in it is an administrator, who is not is none. Empty: left alone. The same for restricted accounts. */
  readonly admin_group: string
  readonly restricted_group: string
  /** Whether the second factor of the provider is enough. */
  readonly skip_second_factor: boolean
}

/** A directory (LDAP). */
export interface LdapSettings extends GroupSettings {
  readonly host: string
  readonly port: number
  readonly security: 'none' | 'starttls' | 'tls'
  readonly skip_tls_verify: boolean
  /** Who looks people up; empty: nobody in particular. */
  readonly bind_dn: string
  readonly user_base: string
  /** `%s` stands for what somebody typed, escaped. */
  readonly user_filter: string
  /** People sign in to the directory under this name, with `%s` for theirs, and nobody looks them up. Empty: by `bind_dn`. */
  readonly user_dn: string
  /** Who fits is an administrator, who does not is none. Empty: left alone. The same for restricted accounts. */
  readonly admin_filter: string
  readonly restricted_filter: string
  /** Empty: what somebody typed. */
  readonly username_attribute: string
  readonly first_name_attribute: string
  readonly surname_attribute: string
  readonly email_attribute: string
  /** Where groups are, for the map of teams, whose names are those of entries (DN). */
  readonly group_base: string
  readonly group_filter: string
  readonly group_member_attribute: string
  /** What groups say of their members: `dn`, or an attribute of theirs. */
  readonly user_attribute_in_group: string
  /** Whether accounts follow the directory by the clock. */
  readonly synchronise: boolean
  /** Whether they do when nobody is found any more. */
  readonly allow_deactivate_all: boolean
  readonly page_size: number
}

export interface SettingsOf {
  readonly openid: OpenIdSettings
  readonly ldap: LdapSettings
}
export type SourceKind = keyof SettingsOf

const noGroups: GroupSettings = { team_map: {}, team_map_removes: false }

/** What counts until somebody says otherwise. */
export const defaultSettings: SettingsOf = {
  openid: {
    discovery_url: '',
    client_id: '',
    scopes: ['profile', 'email'],
    required_claim_name: '',
    required_claim_value: '',
    group_claim_name: 'groups',
    admin_group: '',
    restricted_group: '',
    skip_second_factor: false,
    ...noGroups,
  },
  ldap: {
    host: '',
    port: 0,
    security: 'starttls',
    skip_tls_verify: false,
    bind_dn: '',
    user_base: '',
    user_filter: '(&(objectClass=person)(uid=%s))',
    user_dn: '',
    admin_filter: '',
    restricted_filter: '',
    username_attribute: 'uid',
    first_name_attribute: 'givenName',
    surname_attribute: 'sn',
    email_attribute: 'mail',
    group_base: '',
    group_filter: '',
    group_member_attribute: 'member',
    user_attribute_in_group: 'dn',
    synchronise: false,
    allow_deactivate_all: false,
    page_size: 500,
    ...noGroups,
  },
}

/** Most teams that a map names in all. */
const maxMapped = 500

function wrong(field: string, message: string): never {
  throw new Invalid(`[${field}]: ${message}`, 'source_invalid', { field })
}

/** A name that stands in addresses as it is. @throws Invalid */
export function checkSourceName(name: string): void {
  if (!/^[0-9A-Za-z](?:[0-9A-Za-z]|[-_.](?=[0-9A-Za-z])){0,99}$/.test(name)) {
    wrong('name', 'has up to 100 letters and digits, with single - _ . between them')
  }
}

/** @throws Invalid that names the first field that is wrong */
export function checkSettings<Kind extends SourceKind>(kind: Kind, settings: SettingsOf[Kind]): void {
  if (kind === 'openid') checkOpenId(settings as OpenIdSettings)
  else checkLdap(settings as LdapSettings)
  const mapped = Object.values(settings.team_map).flatMap((orgs) => Object.values(orgs).flat())
  if (mapped.length > maxMapped) wrong('team_map', `names at most ${maxMapped} teams`)
}

function checkOpenId(settings: OpenIdSettings): void {
  const url = URL.parse(settings.discovery_url)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    wrong('discovery_url', 'must be a whole http or https address without a name or password')
  }
  // Words and signs that mean something else where allowed hosts are listed.
  if (/[*?]|^(?:external|private|loopback)$/.test(url.hostname)) wrong('discovery_url', 'names no host')
  if (url.hash !== '' || url.search !== '') wrong('discovery_url', 'has neither a query nor a fragment')
  if (settings.client_id === '') wrong('client_id', 'is missing')
  const odd = settings.scopes.find((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
  if (odd !== undefined) wrong('scopes', 'are words without spaces and quotation marks')
  if (settings.required_claim_value !== '' && settings.required_claim_name === '') {
    wrong('required_claim_name', 'is missing, and there is a value for it')
  }
}

const attribute = /^[A-Za-z][A-Za-z0-9-]*(?:;[A-Za-z0-9-]+)*$/

function checkLdap(settings: LdapSettings): void {
  if (!/^[0-9A-Za-z._:-]{1,253}$/.test(settings.host)) wrong('host', 'must be a host name or an address')
  if (settings.port < 0 || settings.port > 65_535) wrong('port', 'must be a port, or 0 for the usual one')
  if (settings.skip_tls_verify && settings.security === 'none') {
    wrong('skip_tls_verify', 'says nothing without security')
  }
  const isSimple = settings.user_dn !== ''
  if (isSimple && !settings.user_dn.includes('%s')) wrong('user_dn', 'has %s where the name stands')
  if (isSimple && settings.bind_dn !== '') wrong('bind_dn', 'is of no use with user_dn')
  if (isSimple && settings.synchronise) wrong('synchronise', 'takes bind_dn: with user_dn nobody may look others up')
  if (!isSimple && settings.user_base === '') wrong('user_base', 'is missing')
  if (!settings.user_filter.includes('%s') && !isSimple) wrong('user_filter', 'has %s where the name stands')
  for (const field of ['user_filter', 'admin_filter', 'restricted_filter', 'group_filter'] as const) {
    if (settings[field] !== '' && !isBalanced(settings[field])) wrong(field, 'is no filter: (attribute=value)')
  }
  for (const field of [
    'username_attribute',
    'first_name_attribute',
    'surname_attribute',
    'email_attribute',
    'group_member_attribute',
    'user_attribute_in_group',
  ] as const) {
    if (settings[field] !== '' && !attribute.test(settings[field])) wrong(field, 'is no name of an attribute')
  }
  if (settings.email_attribute === '') wrong('email_attribute', 'is missing')
  if (settings.synchronise && settings.username_attribute === '') wrong('username_attribute', 'is missing')
  if (settings.page_size < 1 || settings.page_size > 5000) wrong('page_size', 'is from 1 to 5000')
}

/** Whether a text is in parentheses that belong together; the directory says what else is wrong with it. */
function isBalanced(filter: string): boolean {
  let depth = 0
  for (const [index, sign] of filter.split('').entries()) {
    if (sign === '(') depth++
    else if (sign === ')' && --depth === 0 && index < filter.length - 1) return false
    if (depth <= 0 && sign !== ')') return false
  }
  return depth === 0 && filter !== ''
}

/** Where a provider sends people back to. */
export const callbackOf = (rootUrl: string, name: string): string => `${rootUrl}user/oauth2/${name}/callback`

/** One question of a test of a source, and what came of it. */
export interface TestStep {
  readonly ok: boolean
  readonly what: string
  readonly found: string
}
