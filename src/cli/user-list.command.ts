import { Command } from 'commander'
import { listPeople } from '../admin/accounts/account-list.store.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { UserId } from '../lib/ids.ts'
import { formatOptionalUnix, formatUnix } from '../lib/time.ts'
import { withInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import type { Terminal } from './terminal.ts'

interface ListOptions extends InstanceOptions {
  readonly admin?: boolean
  readonly json?: boolean
}

export const userListCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('list'))
    .description('list accounts')
    .option('--admin', 'list only administrators')
    .option('--json', 'print one JSON object per line')
    .action((options: ListOptions) => list(terminal, options))

/** Number of accounts read and printed at once. */
const batch = 1000

async function list(terminal: Terminal, options: ListOptions): Promise<void> {
  await withInstance(options, async ({ db }) => {
    if (!options.json) terminal.out('id\tname\temail\tactive\tadministrator\tcreated\tlast sign-in\n')
    let after = 0 as UserId
    for (;;) {
      const people = await listPeople(db, { onlyAdmins: options.admin === true, after, limit: batch })
      terminal.out(people.map((row) => `${options.json ? asJson(row) : asLine(row)}\n`).join(''))
      if (people.length < batch) return
      after = (people.at(-1) as UserRow).id
    }
  })
}

const asLine = (row: UserRow): string =>
  [
    row.id,
    row.name,
    row.email,
    row.is_active && !row.prohibit_login ? 'yes' : 'no',
    row.is_admin ? 'yes' : 'no',
    formatUnix(row.created_unix),
    formatOptionalUnix(row.last_login_unix) ?? 'never',
  ].join('\t')

const asJson = (row: UserRow): string =>
  JSON.stringify({
    id: row.id,
    name: row.name,
    email: row.email,
    is_active: row.is_active,
    prohibit_login: row.prohibit_login,
    is_admin: row.is_admin,
    created: formatUnix(row.created_unix),
    last_login: formatOptionalUnix(row.last_login_unix),
  })
