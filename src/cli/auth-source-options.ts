import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { SettingsOf, SourceKind, TeamMap } from '../sources/source.rules.ts'
import type { SourceInput } from '../sources/source.service.ts'
import { CommandFailure } from './exit.ts'
import { wordTable } from '../lib/word-table.ts'

/** An option of a command and the setting it fills. Names follow the family's commands where those exist. */
type Meaning<Kind extends SourceKind> = readonly [
  flags: string,
  setting: keyof SettingsOf[Kind],
  description: string,
  form: 'text' | 'words' | 'number' | 'flag' | 'map' | 'security',
]

const groups = [
  ['--group-team-map <json>', 'team_map', 'groups and the teams their members join: {"group":{"org":["team"]}}', 'map'],
  ['--group-team-map-removal', 'team_map_removes', 'remove people from mapped teams when they leave the group', 'flag'],
] as const

const openid: readonly Meaning<'openid'>[] = [
  ['--auto-discover-url <url>', 'discovery_url', "address of the provider's discovery document, or its issuer", 'text'],
  ['--key <id>', 'client_id', 'client id of this instance at the provider', 'text'],
  ['--scopes <words>', 'scopes', 'scopes to request besides openid', 'words'],
  ['--required-claim-name <claim>', 'required_claim_name', 'claim that a person must have to sign in', 'text'],
  ['--required-claim-value <value>', 'required_claim_value', 'value that the required claim must have', 'text'],
  ['--group-claim-name <claim>', 'group_claim_name', 'claim that lists the groups of a person', 'text'],
  ['--admin-group <group>', 'admin_group', 'its members, and nobody else from this source, are administrators', 'text'],
  [
    '--restricted-group <group>',
    'restricted_group',
    'its members, and nobody else from this source, are restricted',
    'text',
  ],
  ['--skip-local-2fa', 'skip_second_factor', 'do not ask for the second factor of the account', 'flag'],
  ...groups,
]

const ldap: readonly Meaning<'ldap'>[] = [
  ['--host <host>', 'host', 'host name of the directory', 'text'],
  ['--port <port>', 'port', 'port of the directory; default 389, or 636 with LDAPS', 'number'],
  ['--security-protocol <kind>', 'security', 'unencrypted, LDAPS or StartTLS', 'security'],
  ['--skip-tls-verify', 'skip_tls_verify', 'accept any certificate', 'flag'],
  ['--user-search-base <dn>', 'user_base', 'entry below which people are searched', 'text'],
  ['--user-filter <filter>', 'user_filter', 'filter for the person who signs in; %s is the name they type', 'text'],
  [
    '--admin-filter <filter>',
    'admin_filter',
    'people who match, and nobody else from this source, are administrators',
    'text',
  ],
  [
    '--restricted-filter <filter>',
    'restricted_filter',
    'people who match, and nobody else from this source, are restricted',
    'text',
  ],
  [
    '--username-attribute <name>',
    'username_attribute',
    'attribute with the name of the account; empty: the name they type',
    'text',
  ],
  ['--firstname-attribute <name>', 'first_name_attribute', 'attribute with the first name', 'text'],
  ['--surname-attribute <name>', 'surname_attribute', 'attribute with the surname', 'text'],
  ['--email-attribute <name>', 'email_attribute', 'attribute with the email address', 'text'],
  ['--group-search-base-dn <dn>', 'group_base', 'entry below which groups are searched', 'text'],
  ['--group-filter <filter>', 'group_filter', 'filter for groups', 'text'],
  ['--group-member-attribute <name>', 'group_member_attribute', 'attribute of a group that lists its members', 'text'],
  [
    '--group-user-attribute <name>',
    'user_attribute_in_group',
    'attribute of a person that the list contains; dn for the entry itself',
    'text',
  ],
  ...groups,
]

const bound: readonly Meaning<'ldap'>[] = [
  ['--bind-dn <dn>', 'bind_dn', 'entry that the server binds as to search for people', 'text'],
  ['--synchronize-users', 'synchronise', 'update accounts from the directory on a schedule', 'flag'],
  [
    '--allow-deactivate-all',
    'allow_deactivate_all',
    'deactivate accounts even when the directory returns nobody',
    'flag',
  ],
  ['--page-size <number>', 'page_size', 'number of people per page of a search', 'number'],
]
const simple: readonly Meaning<'ldap'>[] = [
  ['--user-dn <dn>', 'user_dn', 'entry that a person binds as; %s is the name they type', 'text'],
]

/** Kinds of sources, each with its own commands. */
export const kinds = {
  oauth: { kind: 'openid', meanings: openid, secret: '--secret <secret>' },
  ldap: { kind: 'ldap', meanings: [...ldap, ...bound], secret: '--bind-password <password>' },
  'ldap-simple': { kind: 'ldap', meanings: [...ldap, ...simple], secret: undefined },
} as const
export type KindName = keyof typeof kinds

/** Adds the options of a kind of source to a command. */
export function withSourceOptions(command: Command, name: KindName): Command {
  const { meanings, secret } = kinds[name]
  command
    .option('--active', 'let people sign in with the source')
    .option('--not-active', 'let nobody sign in with the source')
  if (secret !== undefined) {
    command
      .option(secret, 'secret; other users of this machine can see it while the command runs')
      .option('--secret-file <file>', 'file whose first line is the secret; /dev/stdin reads it from standard input')
  }
  for (const [flags, , description, form] of meanings as readonly Meaning<never>[]) {
    command.option(flags, description)
    // The second form turns a flag of an existing source off.
    if (form === 'flag') command.option(flags.replace('--', '--no-'), `turn ${flags} off`)
  }
  return command
}

const optionName = (flags: string): string =>
  flags
    .replace(/^--/, '')
    .replace(/ .*$/, '')
    .replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const securities = wordTable<string>({ unencrypted: 'none', ldaps: 'tls', starttls: 'starttls' })

function valueOf(flags: string, form: Meaning<never>[3], value: unknown): unknown {
  const text = String(value)
  switch (form) {
    case 'words':
      return text.split(/[\s,]+/).filter((word) => word !== '')
    case 'number':
      if (!/^\d{1,9}$/.test(text)) throw new CommandFailure(`${flags}: ${text} is not a number`)
      return Number(text)
    case 'security':
      return securities[text.toLowerCase()] ?? text
    case 'map':
      return teamMapOf(flags, text)
    case 'text':
    case 'flag':
      return value
  }
}

function teamMapOf(flags: string, text: string): TeamMap {
  const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  try {
    const map: unknown = JSON.parse(text)
    const isMap =
      isRecord(map) &&
      Object.values(map).every(
        (orgs) =>
          isRecord(orgs) &&
          Object.values(orgs).every((teams) => Array.isArray(teams) && teams.every((team) => typeof team === 'string')),
      )
    if (isMap) return map as TeamMap
  } catch {
    // Reported below, with the expected form.
  }
  throw new CommandFailure(`${flags.split(' ')[0]}: must be JSON like {"group":{"org":["team"]}}`)
}

/** Returns the settings of a source that the options give; others are undefined. @throws CommandFailure */
export async function sourceInputOf(
  name: KindName,
  options: Readonly<Record<string, unknown>>,
): Promise<SourceInput<SourceKind>> {
  const { meanings, secret } = kinds[name]
  const settings: Record<string, unknown> = {}
  for (const [flags, setting, , form] of meanings as readonly Meaning<'ldap'>[]) {
    const option = options[optionName(flags)]
    if (option !== undefined) settings[setting] = valueOf(flags, form, option)
  }
  const file = options['secretFile']
  const plain = secret === undefined ? undefined : options[optionName(secret)]
  if (file !== undefined && plain !== undefined) {
    throw new CommandFailure('give the secret once: with --secret-file, or with its own option')
  }
  const value = typeof file === 'string' ? ((await readSecret(file)).split('\n', 1)[0] ?? '').replace(/\r$/, '') : plain
  const { active, notActive } = options
  if (active && notActive) throw new CommandFailure('give only one of --active and --not-active')
  return {
    ...(typeof options['name'] === 'string' ? { name: options['name'] } : {}),
    ...(active ? { isActive: true } : notActive ? { isActive: false } : {}),
    ...(typeof value === 'string' ? { secret: value } : {}),
    settings,
  }
}

async function readSecret(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new CommandFailure(`${file} cannot be read: ${Error.isError(error) ? error.message : ''}`)
  }
}
