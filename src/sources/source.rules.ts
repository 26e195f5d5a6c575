import { Invalid } from '../lib/errors.ts'

/** Maps groups of a source to organizations and teams. */
export type TeamMap = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/** Group settings of both kinds of sources. */
export interface GroupSettings {
  readonly team_map: TeamMap
  /** Whether people leave mapped teams without a matching group. */
  readonly team_map_removes: boolean
}

/** An OpenID Connect provider, with the names of the API and the row. */
export interface OpenIdSettings extends GroupSettings {
  /** Address of the discovery document, or the issuer. */
  readonly discovery_url: string
  readonly client_id: string
  /** Scopes requested besides `openid` and those of `[oauth2_client].OPENID_CONNECT_SCOPES`. */
  readonly scopes: readonly string[]
  /** A required claim and its value; an empty value accepts any. */
  readonly required_claim_name: string
  readonly required_claim_value: string
  readonly group_claim_name: string
  /** Members are administrators, others are not; empty leaves the right unchanged. The same for restricted accounts. */
  readonly admin_group: string
  readonly restricted_group: string
  /** Whether the provider's second factor replaces that of the account. */
  readonly skip_second_factor: boolean
}

/** An LDAP directory. */
export interface LdapSettings extends GroupSettings {
  readonly host: string
  readonly port: number
  readonly security: 'none' | 'starttls' | 'tls'
  readonly skip_tls_verify: boolean
  /** Entry to bind as for searches; empty for an anonymous search. */
  readonly bind_dn: string
  readonly user_base: string
  /** `%s` stands for the typed name, escaped. */
  readonly user_filter: string
  /** DN that people bind as, with `%s` for the typed name; empty to search with `bind_dn`. */
  readonly user_dn: string
  /**
   * People who match are administrators, others are not; empty leaves the right unchanged. The same for restricted
   * accounts.
   */
  readonly admin_filter: string
  readonly restricted_filter: string
  /** Empty for the typed name. */
  readonly username_attribute: string
  readonly first_name_attribute: string
  readonly surname_attribute: string
  readonly email_attribute: string
  /** Base of groups for the team map, which names groups by DN. */
  readonly group_base: string
  readonly group_filter: string
  readonly group_member_attribute: string
  /** Attribute of a person that groups list; `dn` for the DN. */
  readonly user_attribute_in_group: string
  /** Whether accounts follow the directory on a schedule. */
  readonly synchronise: boolean
  /** Whether an empty result deactivates accounts. */
  readonly allow_deactivate_all: boolean
  readonly page_size: number
}

export interface SettingsOf {
  readonly openid: OpenIdSettings
  readonly ldap: LdapSettings
}
export type SourceKind = keyof SettingsOf

const noGroups: GroupSettings = { team_map: {}, team_map_removes: false }

/** Default settings. */
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

/** Largest number of teams in a map. */
const maxMapped = 500

function wrong(field: string, message: string): never {
  throw new Invalid(`[${field}]: ${message}`, 'source_invalid', { field })
}

/** Checks a name, which appears in addresses. @throws Invalid */
export function checkSourceName(name: string): void {
  if (!/^[0-9A-Za-z](?:[0-9A-Za-z]|[-_.](?=[0-9A-Za-z])){0,99}$/.test(name)) {
    wrong('name', 'has up to 100 letters and digits, with single - _ . between them')
  }
}

/** @throws Invalid that names the first wrong field */
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
  // Words and characters with a meaning in lists of allowed hosts.
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

/** Returns whether a text has balanced parentheses; the directory validates the rest. */
function isBalanced(filter: string): boolean {
  let depth = 0
  for (const [index, sign] of filter.split('').entries()) {
    if (sign === '(') depth++
    else if (sign === ')' && --depth === 0 && index < filter.length - 1) return false
    if (depth <= 0 && sign !== ')') return false
  }
  return depth === 0 && filter !== ''
}

/** Returns the redirect URI of a provider. */
export const callbackOf = (rootUrl: string, name: string): string => `${rootUrl}user/oauth2/${name}/callback`

/** A step of a source's test and its result. */
export interface TestStep {
  readonly ok: boolean
  readonly what: string
  readonly found: string
}
