import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { SettingsOf, SourceKind, TeamMap } from '../sources/source.rules.ts'
import type { SourceInput } from '../sources/source.service.ts'
import { CommandFailure } from './exit.ts'

/** An option of a command, and what it says. The names are those of the family's commands where these have them. */
type Meaning<Kind extends SourceKind> = readonly [
  flags: string,
  setting: keyof SettingsOf[Kind],
  description: string,
  form: 'text' | 'words' | 'number' | 'flag' | 'map' | 'security',
]

const groups = [
  ['--group-team-map <json>', 'team_map', 'groups and the teams they put people on: {"group":{"org":["team"]}}', 'map'],
  ['--group-team-map-removal', 'team_map_removes', 'people leave teams that no group puts them on', 'flag'],
] as const

const openid: readonly Meaning<'openid'>[] = [
  ['--auto-discover-url <url>', 'discovery_url', "address of the provider's description, or the issuer", 'text'],
  ['--key <id>', 'client_id', 'id of this instance there', 'text'],
  ['--scopes <words>', 'scopes', 'what is asked for besides openid', 'words'],
  ['--required-claim-name <claim>', 'required_claim_name', 'a claim without which nobody is let in', 'text'],
  ['--required-claim-value <value>', 'required_claim_value', 'the value that it has', 'text'],
  ['--group-claim-name <claim>', 'group_claim_name', 'the claim that names groups', 'text'],
  ['--admin-group <group>', 'admin_group', 'who is in it is an administrator, and nobody else from there', 'text'],
  ['--restricted-group <group>', 'restricted_group', 'who is in it is restricted, and nobody else from there', 'text'],
  ['--skip-local-2fa', 'skip_second_factor', 'the second factor of the provider is enough', 'flag'],
  ...groups,
]

const ldap: readonly Meaning<'ldap'>[] = [
  ['--host <host>', 'host', 'where the directory is', 'text'],
  ['--port <port>', 'port', '389, or 636 with LDAPS, unless told', 'number'],
  ['--security-protocol <kind>', 'security', 'unencrypted, LDAPS or StartTLS', 'security'],
  ['--skip-tls-verify', 'skip_tls_verify', 'take any certificate', 'flag'],
  ['--user-search-base <dn>', 'user_base', 'below which people are', 'text'],
  ['--user-filter <filter>', 'user_filter', 'who may sign in; %s is what they type', 'text'],
  ['--admin-filter <filter>', 'admin_filter', 'who fits is an administrator, and nobody else from there', 'text'],
  ['--restricted-filter <filter>', 'restricted_filter', 'who fits is restricted, and nobody else from there', 'text'],
  ['--username-attribute <name>', 'username_attribute', 'the name of the account; empty: what they type', 'text'],
  ['--firstname-attribute <name>', 'first_name_attribute', 'the first name', 'text'],
  ['--surname-attribute <name>', 'surname_attribute', 'the surname', 'text'],
  ['--email-attribute <name>', 'email_attribute', 'the mail address', 'text'],
  ['--group-search-base-dn <dn>', 'group_base', 'below which groups are', 'text'],
  ['--group-filter <filter>', 'group_filter', 'which groups count', 'text'],
  ['--group-member-attribute <name>', 'group_member_attribute', 'what groups name their members by', 'text'],
  ['--group-user-attribute <name>', 'user_attribute_in_group', 'what stands there: dn, or an attribute', 'text'],
  ...groups,
]

const bound: readonly Meaning<'ldap'>[] = [
  ['--bind-dn <dn>', 'bind_dn', 'who looks people up', 'text'],
  ['--synchronize-users', 'synchronise', 'accounts follow the directory by the clock', 'flag'],
  ['--allow-deactivate-all', 'allow_deactivate_all', 'also when it names nobody any more', 'flag'],
  ['--page-size <number>', 'page_size', 'people that are asked for at once', 'number'],
]
const simple: readonly Meaning<'ldap'>[] = [
  ['--user-dn <dn>', 'user_dn', 'the name under which people sign in there, with %s for theirs', 'text'],
]

/** The kinds of sources that commands tell apart. */
export const kinds = {
  oauth: { kind: 'openid', meanings: openid, secret: '--secret <secret>' },
  ldap: { kind: 'ldap', meanings: [...ldap, ...bound], secret: '--bind-password <password>' },
  'ldap-simple': { kind: 'ldap', meanings: [...ldap, ...simple], secret: undefined },
} as const
export type KindName = keyof typeof kinds

/** Gives a command the options of a kind of source. */
export function withSourceOptions(command: Command, name: KindName): Command {
  const { meanings, secret } = kinds[name]
  command.option('--active', 'people sign in by it').option('--not-active', 'nobody does')
  if (secret !== undefined) {
    command
      .option(secret, 'the secret; others on this machine may see it while the command runs')
      .option('--secret-file <file>', 'the same, as the first line of a file; /dev/stdin is what is typed')
  }
  for (const [flags, , description, form] of meanings as readonly Meaning<never>[]) {
    command.option(flags, description)
    // Without the second a flag of a source could be set and not be taken back.
    if (form === 'flag') command.option(flags.replace('--', '--no-'), 'the other way')
  }
  return command
}

const optionName = (flags: string): string =>
  flags
    .replace(/^--/, '')
    .replace(/ .*$/, '')
    .replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const securities: Readonly<Record<string, string>> = { unencrypted: 'none', ldaps: 'tls', starttls: 'starttls' }

function valueOf(flags: string, form: Meaning<never>[3], said: unknown): unknown {
  const text = String(said)
  switch (form) {
    case 'words':
      return text.split(/[\s,]+/).filter((word) => word !== '')
    case 'number':
      if (!/^\d{1,9}$/.test(text)) throw new CommandFailure(`${flags}: ${text} is no number`)
      return Number(text)
    case 'security':
      return securities[text.toLowerCase()] ?? text
    case 'map':
      return teamMapOf(flags, text)
    case 'text':
    case 'flag':
      return said
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
    // Told below, with the form that it has.
  }
  throw new CommandFailure(`${flags.split(' ')[0]}: must be JSON like {"group":{"org":["team"]}}`)
}

/** What the options of a command say of a source; what is not given is undefined. @throws CommandFailure */
export async function sourceInputOf(
  name: KindName,
  options: Readonly<Record<string, unknown>>,
): Promise<SourceInput<SourceKind>> {
  const { meanings, secret } = kinds[name]
  const settings: Record<string, unknown> = {}
  for (const [flags, setting, , form] of meanings as readonly Meaning<'ldap'>[]) {
    const said = options[optionName(flags)]
    if (said !== undefined) settings[setting] = valueOf(flags, form, said)
  }
  const file = options['secretFile']
  const plain = secret === undefined ? undefined : options[optionName(secret)]
  if (file !== undefined && plain !== undefined) throw new CommandFailure('give the secret once')
  const said = typeof file === 'string' ? ((await readSecret(file)).split('\n', 1)[0] ?? '').replace(/\r$/, '') : plain
  const { active, notActive } = options
  if (active && notActive) throw new CommandFailure('give one of --active and --not-active')
  return {
    ...(typeof options['name'] === 'string' ? { name: options['name'] } : {}),
    ...(active ? { isActive: true } : notActive ? { isActive: false } : {}),
    ...(typeof said === 'string' ? { secret: said } : {}),
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
