import { serverWork } from '../access/server-work.ts'
import { Command } from 'commander'
import type { Services } from '../access/context.ts'
import { askForNewPasswords, deleteAccount, editAccount, endAllSessions } from '../admin/accounts/account.service.ts'
import type { UserChange, UserRow } from '../db/tables/accounts.ts'
import { renameAccount } from '../users/account-name.service.ts'
import { CommandFailure } from './exit.ts'
import { withInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import { getPerson } from './person.ts'
import type { Terminal } from './terminal.ts'

interface OneOptions extends InstanceOptions {
  readonly username: string
}

interface EditOptions extends OneOptions {
  readonly email?: string
  readonly fullname?: string
  readonly admin?: string
  readonly active?: string
  readonly prohibitLogin?: string
  readonly restricted?: string
}

/** Returns a command about one account. */
const onOne = (name: string, description: string): Command =>
  withInstanceOptions(new Command(name))
    .description(description)
    .requiredOption('--username <name>', 'name of the account')

const withPerson = (options: OneOptions, work: (services: Services, user: UserRow) => Promise<void>): Promise<void> =>
  withInstance(options, async (services) => work(services, await getPerson(services, options.username)))

export const userEditCommand = (terminal: Terminal): Command =>
  onOne('edit', 'change an account; attributes that are not given stay as they are')
    .option('--email <address>', 'primary email address')
    .option('--fullname <name>', 'display name')
    .option('--admin <yes or no>', 'administrator of the instance')
    .option('--active <yes or no>', 'no: the account cannot be used, as before its confirmation')
    .option('--prohibit-login <yes or no>', 'yes: sign-in, tokens and keys are refused')
    .option('--restricted <yes or no>', 'yes: it sees only what it was given access to')
    .action((options: EditOptions) =>
      withPerson(options, async (services, user) => {
        const columns: UserChange = {
          ...(options.fullname === undefined ? {} : { full_name: options.fullname }),
          ...answer('is_admin', '--admin', options.admin),
          ...answer('is_active', '--active', options.active),
          ...answer('prohibit_login', '--prohibit-login', options.prohibitLogin),
          ...answer('is_restricted', '--restricted', options.restricted),
        }
        if (options.email === undefined && Object.keys(columns).length === 0) {
          throw new CommandFailure('nothing to change; --help lists the options')
        }
        await editAccount(serverWork(services), user, { email: options.email, columns })
        terminal.out(`changed account ${user.name}\n`)
      }),
    )

function answer(column: keyof UserChange, option: string, text: string | undefined): UserChange {
  if (text === undefined) return {}
  if (text !== 'yes' && text !== 'no') throw new CommandFailure(`${option} ${text}: must be yes or no`)
  return { [column]: text === 'yes' }
}

export const userRenameCommand = (terminal: Terminal): Command =>
  onOne('rename', 'rename an account; addresses with the former name redirect to the new one')
    .requiredOption('--new-username <name>', 'new name')
    .action((options: OneOptions & { readonly newUsername: string }) =>
      withPerson(options, async (services, user) => {
        await renameAccount(services, user, options.newUsername, user.id)
        terminal.out(`renamed account ${user.name} to ${options.newUsername}\n`)
      }),
    )

export const userDeleteCommand = (terminal: Terminal): Command =>
  onOne('delete', 'delete an account that owns nothing')
    .option('--purge', 'also delete what it owns and what it wrote elsewhere')
    .action((options: OneOptions & { readonly purge?: boolean }) =>
      withPerson(options, async (services, user) => {
        await deleteAccount(serverWork(services), user, options.purge === true)
        terminal.out(`deleted account ${user.name}\n`)
      }),
    )

export const userEndSessionsCommand = (terminal: Terminal): Command =>
  onOne('end-sessions', 'sign an account out of all browsers; its tokens and keys stay valid').action(
    (options: OneOptions) =>
      withPerson(options, async (services, user) => {
        await endAllSessions(services, user)
        terminal.out(`account ${user.name} is signed out of all browsers\n`)
      }),
  )

interface AskOptions extends InstanceOptions {
  readonly all?: boolean
  readonly exclude?: readonly string[]
  readonly unset?: boolean
}

export const userMustChangeCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('must-change-password'))
    .description('require people to choose a new password at their next sign-in')
    .argument('[usernames...]', 'names of accounts')
    .option('--all', 'all accounts')
    .option('--exclude <names...>', 'with --all: except these accounts')
    .option('--unset', 'remove the requirement')
    .action((names: readonly string[], options: AskOptions) => {
      const { all = false, exclude = [], unset = false } = options
      if (all === names.length > 0) throw new CommandFailure('name accounts, or give --all')
      if (!all && exclude.length > 0) throw new CommandFailure('--exclude goes with --all')
      return withInstance(options, async (services) => {
        const people = await Promise.all((all ? exclude : names).map((name) => getPerson(services, name)))
        const ids = people.map(({ id }) => id)
        const count = await askForNewPasswords(services, { ids, isAllBut: all }, !unset)
        terminal.out(`${count} ${count === 1 ? 'account was' : 'accounts were'} changed\n`)
      })
    })
